/* SPDX-License-Identifier: MIT */
#include "ops/eval/eval.h"

#include "base/docs.h"
#include "base/gate.h"
#include "store/scene.h"

typedef struct shelf {
    scene t;
    char path[128];
    docs d;
    labels l;
} shelf;

static void shelf_begin(shelf *s)
{
    static const char *const id[] = {"a", "b", "", "a"};
    static const char *const label[] = {"red", "", "blue", "red"};

    *s = (shelf){0};
    scene_make(&s->t);
    snprintf(s->path, sizeof s->path, "%s/labels", s->t.root);
    for (size_t m = 0; m < 4; m++) {
        ck_assert(docs_begin(&s->d, m + 1));
        ck_assert(docs_set_name(&s->d, span_of(id[m], strlen(id[m])),
                                span_of(label[m], strlen(label[m]))));
    }
}

static void shelf_end(shelf *s)
{
    labels_close(&s->l);
    docs_free(&s->d);
    scene_end(&s->t);
}

static void shelf_write(shelf *s, const char *text)
{
    FILE *const f = fopen(s->path, "w");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

static void check(shelf *s, const char *path, const uint32_t *want)
{
    ck_ok(labels_open(&s->l, path, 4, &s->t.err), s->t.err);
    for (size_t m = 0; m < 4; m++) {
        uint32_t class;
        ck_ok(labels_next(&s->l, docs_id(&s->d, m), docs_label(&s->d, m),
                          &class, &s->t.err), s->t.err);
        ck_assert_uint_eq(class, want[m]);
    }
    labels_close(&s->l);
}

TEST(documents_have_their_own)
{
    const uint32_t want[] = {0, LABELS_NONE, 1, 0};
    OWN(shelf_end) shelf s;

    shelf_begin(&s);
    check(&s, NULL, want);
}

TEST(files_are_by_line_or_by_id)
{
    const uint32_t lines[] = {0, 1, 0, 2};
    const uint32_t ids[] = {1, LABELS_NONE, LABELS_NONE, 1};
    OWN(shelf_end) shelf s;

    shelf_begin(&s);
    shelf_write(&s, "x\ny\nx\nz z\n");
    check(&s, s.path, lines);
    shelf_write(&s, "other\tx\na\ty y\n");
    check(&s, s.path, ids);
}

/* Two documents have the id a. */
TEST(ids_of_no_document_are_counted)
{
    uint32_t class;
    OWN(shelf_end) shelf s;

    shelf_begin(&s);
    shelf_write(&s, "other\tx\na\ty y\nb\tx\nnone\tx\n");
    ck_ok(labels_open(&s.l, s.path, 4, &s.t.err), s.t.err);
    for (size_t m = 0; m < 4; m++)
        ck_ok(labels_next(&s.l, docs_id(&s.d, m), docs_label(&s.d, m), &class,
                          &s.t.err), s.t.err);
    ck_assert_uint_eq(s.l.unmet, 2);
}

TEST(wrong_files_are_told)
{
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"x\ny\n", "\" has 2 lines, and the store 4 documents"},
        {"x\ny\tz\nx\nx\n", ":2: expected a class without a tab"},
        {"a\tx\ny\n", ":2: expected an id, a tab and a class"},
        {"a\tx\n\ty\n", ":2: expected an id"},
        {"a\tx\nb\tx\na\ty\n",
         "lines 1 and 3 have the same id: expected each id once"},
        {"", "the file is empty: expected a class per line, or an id, a tab "
             "and a class"},
    };
    OWN(shelf_end) shelf s;

    shelf_begin(&s);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        shelf_write(&s, wrong[i].text);
        ck_fails(labels_open(&s.l, s.path, 4, &s.t.err), KEDGE_EFORMAT,
                 s.t.err, wrong[i].part);
        labels_close(&s.l);
    }
    ck_fails(labels_open(&s.l, "/nowhere/labels", 4, &s.t.err), KEDGE_EIO,
             s.t.err, "nowhere");
}

static kedge_status open_and_ask(shelf *s)
{
    uint32_t class;
    kedge_status st = labels_open(&s->l, s->path, 4, &s->t.err);

    if (st == KEDGE_OK)
        st = labels_next(&s->l, docs_id(&s->d, 0), docs_label(&s->d, 0),
                         &class, &s->t.err);
    labels_close(&s->l);
    return st;
}

TEST(no_memory_leaves_nothing)
{
    OWN(shelf_end) shelf s;

    shelf_begin(&s);
    shelf_write(&s, "a\tx\nb\ty\n");
    gate_starve(open_and_ask(&s));
}
