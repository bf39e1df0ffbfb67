/* SPDX-License-Identifier: MIT */
#include "ops/parts/parts.h"

#include "store/scene.h"

enum { ROOM = 1 << 20, WORDS = 5000 };

typedef struct memory {
    uint8_t bytes[ROOM];
    size_t size, at;
} memory;

static memory m;

static kedge_status memory_write(void *data, const void *bytes, size_t size,
                                 kedge_error *err)
{
    (void)data;
    (void)err;
    ck_assert_uint_le(m.size + size, ROOM);
    memcpy(m.bytes + m.size, bytes, size);
    m.size += size;
    return KEDGE_OK;
}

static kedge_status memory_read(void *data, void *to, size_t room, size_t *got,
                                kedge_error *err)
{
    (void)data;
    (void)err;
    *got = room < m.size - m.at ? room : m.size - m.at;
    memcpy(to, m.bytes + m.at, *got);
    m.at += *got;
    return KEDGE_OK;
}

static void begin(parcel_out *out)
{
    kedge_error err = {0};

    m.size = m.at = 0;
    ck_ok(parcel_begin(out, &(parcel_sink){memory_write, NULL}, &err), err);
}

static void turn(parcel_out *out, parcel_in *in)
{
    kedge_error err = {0};

    parcel_out_free(out);
    ck_ok(parcel_open(in, &(parcel_source){memory_read, NULL}, &err), err);
}

static store_part parts[2] = {
    {.name = "north", .digest = {1, 2}, .documents = 3, .tokens = 4,
     .nonzeros = 5},
    {.name = "south", .digest = {6, 7}, .documents = 8, .tokens = 9,
     .nonzeros = 10}};
static part_index both[2] = {
    {0, {.statistic = 0, .weight_bits = 40, .width = 100, .seed = 7,
         .min_tokens = 5, .words = 20, .documents = 11, .skipped = 1,
         .tokens = 12}},
    {3, {.statistic = 1, .weight_bits = 32, .value_bits = 5, .width = 16,
         .seed = 8, .min_tokens = 2, .words = 10, .listed = true,
         .rule = "of a list (01234567)"}}};

static part_facts sample(void)
{
    return (part_facts){.documents = 11, .tokens = 13, .nonzeros = 15,
                            .digest = {7, 9}, .words = 20, .word_bytes = 60,
                            .parts = 2, .part = parts, .indexes = 2,
                            .index = both};
}

/* Written and read. */
static kedge_status pass_facts(const part_facts *f, part_facts *got,
                               kedge_error *err)
{
    parcel_out out;
    OWN(parcel_in_free) parcel_in in;

    *got = (part_facts){0};
    begin(&out);
    ck_ok(part_put_facts(&out, f, err), *err);
    turn(&out, &in);
    return part_get_facts(&in, got, err);
}

TEST(facts_come_back)
{
    part_facts f = sample();
    OWN(part_facts_free) part_facts got;
    store_settings *const s = &f.tokenizing.settings;
    const store_settings *const g = &got.tokenizing.settings;
    kedge_error err = {0};

    *s = (store_settings){.texts = true, .digits = true, .shortest = 3,
                          .longest = 20, .stemmer = "english",
                          .stopwords = "few"};
    ck_assert(words_add(&f.tokenizing.stop, "a", 1));
    ck_assert(words_add(&f.tokenizing.stop, "the", 3));
    ck_ok(pass_facts(&f, &got, &err), err);
    ck_assert_mem_eq(&f, &got, offsetof(part_facts, tokenizing));
    ck_assert_mem_eq(f.part, got.part, sizeof parts);
    ck_assert_mem_eq(f.index, got.index, sizeof both);
    s->stop_count = 2;
    ck_assert_mem_eq(s, g, sizeof *s);
    ck_assert_uint_eq(got.tokenizing.stop.count, 2);
    ck_assert_str_eq(words_get(&got.tokenizing.stop, 1), "the");
    text_settings_free(&f.tokenizing);
}

/* Of a store without documents. */
TEST(nothing_comes_back_as_nothing)
{
    part_facts f = {0};
    OWN(part_facts_free) part_facts got;
    kedge_error err = {0};

    ck_ok(pass_facts(&f, &got, &err), err);
    ck_assert_uint_eq(got.parts + got.documents + got.words + got.indexes, 0);
    part_facts_free(&got);
    f.words = 1;
    ck_fails(pass_facts(&f, &got, &err), KEDGE_EFORMAT, err, "its totals");
}

/* Whoever wrote it, with checksums that are right. */
TEST(facts_that_make_no_sense_are_refused)
{
    for (int kind = 0; kind < 12; kind++) {
        part_facts f = sample();
        OWN(part_facts_free) part_facts got;
        part_index odd[2] = {both[0], both[1]};
        kedge_error err = {0};

        f.index = odd;
        odd[0].index.words -= kind == 0;       /* a row for each word */
        odd[1].index.words += kind == 1 ? 11 : 0;
        odd[0].index.width = kind == 2 ? 8193 : 100;
        odd[0].index.width = kind == 3 ? 0 : odd[0].index.width;
        odd[1].index.statistic = kind == 4 ? 9 : 1;
        f.parts = kind == 5 ? 0 : 2;
        f.words = kind == 6 ? UINT32_MAX : f.words;
        f.documents += kind == 7; /* parts are not more than all, */
        f.tokens += kind == 8;
        f.nonzeros += kind == 9;
        f.digest[1] += kind == 10; /* and not less */
        parts[1].name[0] = kind == 11 ? '\0' : 's';
        ck_assert_int_eq(pass_facts(&f, &got, &err),
                         kind == 4 ? KEDGE_EVERSION : KEDGE_EFORMAT);
    }
    parts[1].name[0] = 's';
}

TEST(words_and_lists_come_back)
{
    static uint32_t place[WORDS], got_place[WORDS];
    part_words p = {0}, got = {0};
    part_facts f = {.words = WORDS};
    char text[16];
    parcel_out out;
    parcel_in in;
    kedge_error err = {0};

    ck_ok(part_words_room(&p, WORDS, &err), err);
    for (size_t i = 0; i < WORDS; i++) {
        const int size = snprintf(text, sizeof text, "w%06zu", 3 * i);
        ck_assert(words_add(&p.w, text, (size_t)size));
        p.df[i] = i % 300 + 1;
        p.tf[i] = p.df[i] + i * i;
        f.tokens += p.tf[i];
        f.nonzeros += p.df[i];
    }
    for (uint32_t i = 0; i < WORDS / 2; i++)
        place[i] = i < 5 ? i : 2 * i;
    begin(&out);
    ck_ok(part_put_words(&out, &p, &err), err);
    ck_ok(part_put_list(&out, place, WORDS / 2, &err), err);
    turn(&out, &in);
    ck_ok(part_get_words(&in, WORDS, words_bytes(&p.w), &got, &err), err);
    ck_ok(part_check_words(&f, &got, &err), err);
    ck_ok(part_get_list(&in, WORDS, got_place, WORDS / 2, &err), err);
    ck_assert_mem_eq(p.tf, got.tf, WORDS * sizeof *p.tf);
    ck_assert_mem_eq(p.df, got.df, WORDS * sizeof *p.df);
    ck_assert_mem_eq(place, got_place, sizeof place);
    ck_assert_uint_eq(words_bytes(&p.w), words_bytes(&got.w));
    ck_assert_mem_eq(p.w.bytes, got.w.bytes, words_bytes(&p.w));
    part_words_free(&p);
    part_words_free(&got);
    parcel_in_free(&in);
}

/* Two words; `more` tokens are told than they have. */
static kedge_status through(const char *first, const char *second,
                            uint64_t tf, uint64_t df, uint64_t bytes,
                            uint64_t more)
{
    part_words p = {.tf = (uint64_t[]){1, tf}, .df = (uint64_t[]){1, df}};
    const part_facts f = {.words = 2, .tokens = 1 + tf + more,
                          .nonzeros = 1 + df};
    part_words got = {0};
    parcel_out out;
    parcel_in in;
    kedge_error err = {0};
    kedge_status st;

    ck_assert(words_add(&p.w, first, strlen(first)));
    ck_assert(words_add(&p.w, second, strlen(second)));
    begin(&out);
    ck_ok(part_put_words(&out, &p, &err), err);
    turn(&out, &in);
    st = part_get_words(&in, 2, bytes, &got, &err);
    if (st == KEDGE_OK)
        st = part_check_words(&f, &got, &err);
    words_free(&p.w);
    part_words_free(&got);
    parcel_in_free(&in);
    return st;
}

TEST(words_that_make_no_sense_are_refused)
{
    ck_assert_int_eq(through("a", "b", 2, 1, 4, 0), KEDGE_OK);
    ck_assert_int_eq(through("a", "a", 2, 1, 4, 0), KEDGE_EFORMAT);
    ck_assert_int_eq(through("b", "a", 2, 1, 4, 0), KEDGE_EFORMAT);
    ck_assert_int_eq(through("a", "b", 2, 0, 4, 0), KEDGE_EFORMAT);
    ck_assert_int_eq(through("a", "b", 1, 2, 4, 0), KEDGE_EFORMAT);
    ck_assert_int_eq(through("a", "b", 2, 1, 3, 0), KEDGE_EFORMAT);
    ck_assert_int_eq(through("a", "b", 2, 1, 4, 1), KEDGE_EFORMAT);
}

TEST(places_beyond_the_words_are_refused)
{
    const uint32_t place[] = {0, 4};
    uint32_t got[2];
    parcel_out out;
    parcel_in in;
    kedge_error err = {0};

    for (uint64_t known = 4; known < 6; known++) {
        begin(&out);
        ck_ok(part_put_list(&out, place, 2, &err), err);
        turn(&out, &in);
        ck_assert_int_eq(part_get_list(&in, known, got, 2, &err),
                         known == 4 ? KEDGE_EFORMAT : KEDGE_OK);
        parcel_in_free(&in);
    }
}
