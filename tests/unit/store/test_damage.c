/* SPDX-License-Identifier: MIT */
/*
 * Of every kind of record: each bit flipped, each cut, another one in its
 * place, no memory to read or to write it.
 */
#include "store/spoil.h"
#include "store/whole.h"

/* Reads something; `seen` stands for what was found. */
typedef kedge_status (*getter)(scene *t, uint64_t *seen);

#define SEEN(object) (*seen = hash_bytes(1, &(object), sizeof(object)))

static kedge_status get_format(scene *t, uint64_t *seen)
{
    *seen = 0;
    return ledger_check_format(t->txn, &t->err);
}

/* A function that reads one struct. */
#define GETTER(name, type, call)                            \
    static kedge_status name(scene *t, uint64_t *seen)      \
    {                                                       \
        type out = {0};                                     \
        const kedge_status st = (call);                     \
        SEEN(out);                                          \
        return st;                                          \
    }

GETTER(get_totals, store_totals, ledger_get_totals(t->txn, &out, &t->err))
GETTER(get_settings, store_settings,
       store_get_settings(t->txn, &out, NULL, &t->err))
GETTER(get_source, store_source,
       store_get_source_record(t->txn, 0, &out, &t->err))
GETTER(get_part, store_part, store_get_part(t->txn, 0, &out, &t->err))
GETTER(get_index, store_index, store_get_index_record(t->txn, 3, &out, &t->err))
GETTER(get_set, store_kept, store_get_kept(t->txn, "m", &out, &t->err))
GETTER(get_spectrum, store_spectrum,
       store_get_spectrum(t->txn, 3, 1, &out, &t->err))
GETTER(get_id, store_place,
       store_get_id(t->txn, span_text("document-0-1"), &out, &t->err))

static kedge_status get_gone(scene *t, uint64_t *seen)
{
    OWN(store_gone_free) store_gone out = {0};
    const kedge_status st = store_get_gone(t->txn, 1, &out, &t->err);

    *seen = hash_bytes(1, out.index, out.count * sizeof *out.index);
    ck_assert_int_eq(out.count > 0, st == KEDGE_OK);
    return st;
}

static kedge_status get_removal(scene *t, uint64_t *seen)
{
    OWN(store_gone_free) store_gone out = {0};
    const kedge_status st = store_get_removal(t->txn, 0, seen, &out, &t->err);

    return st;
}

static kedge_status get_header(scene *t, uint64_t *seen)
{
    const uint8_t *header = NULL;
    size_t size = 0;
    const kedge_status st =
        store_get_model_header(t->txn, "m", &header, &size, &t->err);

    *seen = st == KEDGE_OK ? hash_bytes(1, header, size) : 0;
    return st;
}

static kedge_status get_block(scene *t, uint64_t *seen)
{
    OWN(store_block_free) store_block b = {0};
    OWN(store_order_free) store_order o = {0};
    OWN(docs_free) docs d = {0};
    uint32_t source;
    const kedge_status st =
        store_read_block(t->txn, 1, &b, &o, &source, &d, &t->err);

    *seen = st != KEDGE_OK
                ? 0
                : hash_bytes(hash_bytes(1, d.word, 4 * docs_entries(&d)),
                             d.order, 4 * docs_symbols(&d));
    return st;
}

static kedge_status get_words(scene *t, uint64_t *seen)
{
    const uint32_t ids[] = {WORDS - 1, STORE_WORDS_CHUNK};
    OWN(words_free) words out = {0};
    const kedge_status st = store_pick_words(t->txn, ids, 2, &out, &t->err);

    *seen = st == KEDGE_OK ? hash_bytes(1, out.bytes, words_bytes(&out)) : 0;
    return st;
}

typedef struct all_counts {
    uint64_t tf[WORDS], df[WORDS];
} all_counts;

GETTER(get_counts, all_counts,
       store_get_counts(t->txn, out.tf, out.df, WORDS, &t->err))
GETTER(get_part_counts, all_counts,
       store_get_part_counts(t->txn, out.tf, out.df, WORDS, &t->err))

static kedge_status get_list(scene *t, uint64_t *seen)
{
    OWN(store_list_free) store_list out = {0};
    const kedge_status st = store_get_list(t->txn, 3, &out, &t->err);

    *seen = hash_bytes(1, out.ids, out.count * sizeof *out.ids);
    ck_assert_int_eq(out.count > 0, st == KEDGE_OK);
    return st;
}

static kedge_status get_joins(scene *t, uint64_t *seen)
{
    OWN(store_joins_free) store_joins out = {0};
    const kedge_status st = store_get_joins(t->txn, 3, &out, &t->err);

    *seen = hash_bytes(out.blocks, out.join, out.count * sizeof *out.join);
    ck_assert_int_eq(out.count > 0, st == KEDGE_OK);
    return st;
}

static kedge_status get_rows(scene *t, uint64_t *seen)
{
    int64_t values[ROWS * (1 + WIDTH)] = {0};
    OWN(store_rows_free) store_rows scratch = {0};
    const uint8_t *bytes;
    size_t size;
    kedge_status st = store_get_rows(t->txn, 7, 1, &bytes, &size, &t->err);

    if (st == KEDGE_OK)
        st = store_rows_decode(&scratch, bytes, size, ROWS % STORE_CHUNK_ROWS,
                               WIDTH, values, &t->err);
    SEEN(values);
    return st;
}

typedef struct few {
    double values[20];
} few;

GETTER(get_array, few,
       store_get_array(t->txn, "m", "few", out.values, 20, &t->err))

static kedge_status get_values(scene *t, uint64_t *seen)
{
    double a[4 * WIDTH * WIDTH] = {0};
    const size_t step = WIDTH * WIDTH;
    store_spectrum of;
    kedge_status st = store_get_spectrum(t->txn, 3, 1, &of, &t->err);

    if (st == KEDGE_OK)
        st = store_get_spectrum_arrays(
            t->txn, 3, 1, &of,
            &(store_spectrum_arrays){a, a + step, a + 2 * step, a + 3 * step},
            &t->err);
    SEEN(a);
    return st;
}

static kedge_status get_portion(scene *t, uint64_t *seen)
{
    const store_kept set = {.topics = 3, .blocks = BLOCKS};
    OWN(store_portion_free) store_portion out = {0};
    const kedge_status st =
        store_get_portion(t->txn, "m", &set, 0, &out, &t->err);

    *seen = st != KEDGE_OK
                ? 0
                : hash_bytes(1, out.units, 4 * store_portion_shares(&out));
    return st;
}

static const struct kind {
    kv_db db;
    getter get;
    bool packed; /* zstd's format has no use for a few bits */
    const char *key;
    size_t key_size;
    const char *what; /* the messages name it */
} kinds[] = {
    {DB_META, get_format, false, "\0", 1, "record of the format"},
    {DB_META, get_totals, false, "\1", 1, "record of the totals"},
    {DB_META, get_settings, false, "\2", 1, "record of the settings"},
    {DB_SOURCES, get_source, false, "\0\0\0\0\0\0\0\0", 8, "source 0"},
    {DB_PARTS, get_part, false, "\0\0\0\0\0\0\0\0", 8, "part 0"},
    {DB_INDEXES, get_index, false, "\0\0\0\3", 4, "index 3"},
    {DB_GONE, get_gone, false, "\0\0\0\0\0\0\0\1", 8, "removed from block 1"},
    {DB_REMOVALS, get_removal, false, "\0\0\0\0\0\0\0\0", 8, "removal 0"},
    {DB_MODELS, get_header, false, "m", 1, "model \"m\""},
    {DB_KEPT, get_set, false, "m", 1,
     "set of topic proportions of model \"m\""},
    {DB_SPECTRA, get_spectrum, false, "\0\0\0\3\0\0\0\1", 8,
     "spectrum of index 3, weights 1"},
    {DB_IDS, get_id, false, "document-0-1", 12, "id \"document-0-1\""},
    {DB_BLOCKS, get_block, true, "\0\0\0\0\0\0\0\1", 8, "block 1"},
    {DB_ORDERS, get_block, true, "\0\0\0\0\0\0\0\1", 8,
     "order of words of block 1"},
    {DB_WORDS, get_words, true, "\0\0\0\1", 4, "words chunk 1"},
    {DB_COUNTS, get_counts, true, "\0\0\0\1", 4, "counts chunk 1"},
    {DB_PART_COUNTS, get_part_counts, true, "\0\0\0\1", 4,
     "chunk 1 of the counts of parts"},
    {DB_LISTS, get_list, true, "\0\0\0\3\0\0\0\0", 8,
     "chunk 0 of the list of index 3"},
    {DB_JOINS, get_joins, true, "\0\0\0\3", 4, "phrases of index 3"},
    {DB_ROWS, get_rows, true, "\0\0\0\7\0\0\0\1", 8, "sketch chunk"},
    {DB_ARRAYS, get_array, true, "m\0few\0\0\0\0\0", 10,
     "array \"few\" of model \"m\""},
    {DB_SPECTRUM, get_values, true, "\0\0\0\3\0\0\0\1\0\0\0\0", 12,
     "spectrum of index 3, weights 1"},
    {DB_KEPT, get_portion, true, "m\0\0\0\0\0\0\0\0\0\0\0\0\0", 14,
     "model \"m\", portion 0"},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static kv_key key_of(const struct kind *k)
{
    return (kv_key){k->db, (const uint8_t *)k->key, k->key_size};
}

/* The one that is tried, and what is right of it. */
static const struct kind *now;
static uint64_t right;

static kedge_status get_now(scene *t)
{
    uint64_t seen;
    const kedge_status st = now->get(t, &seen);

    ck_assert_msg(st != KEDGE_OK || seen == right, "%s: found, but another",
                  now->what);
    ck_assert_msg(st == KEDGE_OK || strstr(t->err.text, now->what) != NULL,
                  "%s: %s", now->what, t->err.text);
    return st;
}

/* Limits as the totals told them, however these are now. */
static scene *damage_new(void)
{
    scene *const t = whole_new();

    t->unlimited = true;
    scene_commit(t);
    scene_write(t);
    return t;
}

TEST(every_flipped_bit_and_cut_is_found)
{
    OWN(scene_drop) scene *const t = damage_new();

    for (now = kinds; now < kinds + KINDS; now++) {
        OK(now->get(t, &right));
        spoil_bits(t, key_of(now), get_now, "damaged", now->packed);
        spoil_cuts(t, key_of(now), get_now, "damaged");
    }
}

/* Whole ones of every other kind. */
TEST(another_record_in_its_place_is_found)
{
    uint64_t seen;
    OWN(scene_drop) scene *const t = damage_new();

    for (const struct kind *k = kinds; k < kinds + KINDS; k++) {
        size_t size, other_size;
        uint8_t *const good = spoil_copy(t, key_of(k), &size);
        for (const struct kind *other = kinds; other < kinds + KINDS; other++) {
            if (other == k)
                continue;
            uint8_t *const bytes = spoil_copy(t, key_of(other), &other_size);
            OK(kv_put(t->txn, key_of(k), bytes, other_size, &t->err));
            FAILS(k->get(t, &seen), KEDGE_ECORRUPT, "damaged");
            mem_free(bytes);
        }
        OK(kv_put(t->txn, key_of(k), good, size, &t->err));
        mem_free(good);
    }
}

TEST(no_memory_to_read_is_told)
{
    uint64_t seen;
    OWN(scene_drop) scene *const t = whole_new();

    scene_commit(t);
    for (const struct kind *k = kinds; k < kinds + KINDS; k++) {
        scene_reopen(t, KEDGE_OPEN_READ); /* without its scratch */
        scene_read(t);
        scene_starve(k->get(t, &seen), t->err);
    }
}

/* One put of every kind that takes memory. */
static kedge_status put_one(scene *t, int kind)
{
    static double values[20];
    static const uint64_t counts[2];
    static uint32_t ids[] = {1, 2};
    store_join join = {1, 2, 3, 1};
    const store_joins joins = {.join = &join, .count = 1};
    const store_spectrum of = {.width = 2, .used = 2, .count = 2};
    const store_spectrum_arrays four = {values, values, values, values};
    const uint8_t header[40] = {1};
    store_portion p = {.capacity = 0};
    uint64_t bytes;
    words w = {0};
    kedge_status st = KEDGE_OK;

    switch (kind) {
    case 0:
        st = store_put_source(t->txn, 0, &(store_source){0}, &t->err);
        break;
    case 1:
        st = words_add(&w, "word", 4) ? store_put_words(t->txn, &w, 0, &t->err)
                                      : KEDGE_ENOMEM;
        words_free(&w);
        break;
    case 2:
        st = store_put_counts(t->txn, counts, counts, 2, &t->err);
        break;
    case 3:
        st = store_put_list(t->txn, 0, ids, 2, &t->err);
        break;
    case 4:
        st = store_put_joins(t->txn, 0, &joins, &t->err);
        break;
    case 5:
        st = store_put_gone(t->txn, 0, ids, 2, &t->err);
        break;
    case 6:
        st = store_put_model(t->txn, "m", header, sizeof header, &t->err);
        break;
    case 7:
        st = store_put_array(t->txn, "m", "few", values, 20, &t->err);
        break;
    case 8:
        st = store_put_spectrum(t->txn, 0, 0, &of, &four, &t->err);
        break;
    default:
        if (!store_portion_grow(&p, 0, 0))
            return store_portion_free(&p), KEDGE_ENOMEM;
        st = store_put_portion(t->txn, "m", 0, 0, &p, &bytes, &t->err);
        store_portion_free(&p);
    }
    return st;
}

TEST(no_memory_to_write_is_told)
{
    OWN(scene_drop) scene *const t = scene_blank();

    for (int kind = 0; kind < 10; kind++) {
        scene_make_unlimited(t);
        scene_write(t);
        scene_starve(put_one(t, kind), t->err);
        scene_end(t);
    }
}
