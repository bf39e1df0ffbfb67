/* SPDX-License-Identifier: MIT */
#include "printed.h"

static const char *const vocabulary[] = {"a", "b", "c"};

/* Documents by a list. */
typedef struct desk {
    const kedge_given *list;
    size_t count, next;
    int last; /* what is answered after them */
} desk;

static int desk_next(void *data, kedge_given *out)
{
    desk *d = data;

    ck_assert_ptr_null(out->text);
    ck_assert_uint_eq(out->size, 0);
    if (d->next == d->count)
        return d->last;
    *out = d->list[d->next++];
    return 1;
}

/* All that a desk gives, printed; at most 4 entries a document. */
static kedge_status read_desk(desk from, bool known, blob *to,
                              kedge_error *err)
{
    const kedge_source given = {.data = &from, .next = desk_next,
                                 .vocabulary = known ? vocabulary : NULL,
                                 .words = known ? 3 : 0};
    const record_opts opts = {.source = &given, .name = "desk", .entries = 4};
    kedge_status st = KEDGE_OK;
    bool more = true;
    records r;
    record found;

    ck_ok(records_open(&format_program, NULL, &opts, &r, err), *err);
    blob_add(to, "", 0);
    while (more && (st == KEDGE_OK || st == KEDGE_EFORMAT)) {
        st = records_next(&r, &found, &more, err);
        if (st == KEDGE_OK && more)
            print_record(&found, to);
        if (st == KEDGE_EFORMAT)
            print_reason("desk", err, to);
    }
    records_close(&r);
    return st;
}

TEST(documents_are_texts_or_bags)
{
    static const char *const spelt[] = {"b", "a", "b"};
    static const uint32_t numbers[] = {2, 0}, counts[] = {7, 1};
    const kedge_given list[] = {
        {.id = "one", .label = "l", .text = "some text", .text_size = 4},
        {.words = spelt, .size = 3},
        {.numbers = numbers, .counts = counts, .size = 2},
        {.id = "empty"},
    };
    kedge_error err = {0};
    OWN(blob_free) blob to = {0};

    ck_ok(read_desk((desk){list, 4, 0, 0}, true, &to, &err), err);
    ck_assert_str_eq(to.bytes, "one/l: some\n/: b*1 a*1 b*1\n/: 2*7 0*1\n"
                               "empty/:\n");
}

/* Of the second of three documents, behind which the third comes. */
TEST(what_is_wrong_is_told)
{
    static const char *const ends[] = {"a", "b\n"}, *const none[] = {""},
                      *const missing[] = {NULL};
    static const uint32_t far[] = {1, 3}, zero[] = {1, 0}, two[] = {0, 1};
    static const struct {
        kedge_given document;
        const char *reason;
    } cases[] = {
        {{.words = ends, .size = 2}, "word 2 of the bag has a line end in it"},
        {{.words = none, .size = 1}, "word 1 is empty"},
        {{.words = missing, .size = 1}, "word 1 is empty"},
        {{.numbers = far, .size = 2},
         "word 3 is not in the vocabulary: expected 0 to 2"},
        {{.numbers = two, .counts = zero, .size = 2},
         "the count of word 2 is 0"},
        {{.counts = two, .size = 2}, "the document has counts only"},
        {{.numbers = two, .size = 5},
         "the document is too large: expected at most 4"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kedge_given list[] = {{.text = "first", .text_size = 5},
                                    cases[i].document,
                                    {.text = "last", .text_size = 4}};
        kedge_error err = {0};
        char begin[200];
        OWN(blob_free) blob to = {0};
        ck_ok(read_desk((desk){list, 3, 0, 0}, true, &to, &err), err);
        snprintf(begin, sizeof begin, "/: first\n!2: %s", cases[i].reason);
        ck_assert_msg(strncmp(to.bytes, begin, strlen(begin)) == 0, "%s",
                      to.bytes);
        ck_assert_ptr_nonnull(strstr(to.bytes, "\n/: last\n"));
    }
}

TEST(a_source_is_whole)
{
    static const uint32_t numbers[] = {0};
    const kedge_given list[] = {{.numbers = numbers, .size = 1}};
    kedge_error err = {0};
    OWN(blob_free) blob to = {0};

    ck_fails(read_desk((desk){list, 1, 0, -1}, true, &to, &err),
             KEDGE_ECANCELED, err, "after 1 documents");
    ck_fails(read_desk((desk){list, 1, 0, 0}, false, &to, &err), KEDGE_EINVAL,
             err, "vocabulary");
}
