/* SPDX-License-Identifier: MIT */
/*
 * Lengths and frequencies are those of the documents that are there, which a
 * model need not have been fitted of. Of counts it is known after the last how
 * many entries there are, which stands before the first: so the head of
 * counts.mtx has a comment, filled up with blanks as far as any numbers could
 * need, and is written twice.
 *
 * In MALLET's files numbers count from 0, and ids and words have no blanks and
 * ends of lines, which divide: \s, \t, \v, \f, \n, \r and \\ stand for them.
 * What a model makes no sample of is shared out: the tokens of a word in a
 * document go to topics in proportion to p(topic | word, composition), by
 * largest remainder, of equal ones to the first; in proportion to the
 * composition where none of its topics has the word. Tokens are in the order of
 * the words.
 */
#include "export/export.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/plan.h"
#include "ops/infer/saved.h"
#include "ops/infer/walk.h"
#include "export/text.h"

#define HEAD 192      /* of counts.mtx */
#define FIRST 20      /* words of a topic, as many as MALLET's */
#define BETA "0.01"   /* MALLET's: kedge has no such prior on words */
#define FIVES UINT64_C(152587890625) /* 10^16 / STORE_UNITS = 5^16 */
#define FULL (1 << 16) /* bytes, then lines go out */

static_assert(FIVES * STORE_UNITS == UINT64_C(10000000000000000),
              "shares have 16 digits");

enum { IDS, ROWS, MATRIX, LENGTHS, TOPICS, STATE, FILES };

typedef struct exportdocs {
    export *e;
    const kedge_model *m;
    newfile file[FILES]; /* those that are written are open */
    walk walk;
    walk_part part;
    saved_set set;
    saved_walk kept;
    uint64_t documents, entries; /* so far */
    /* the document: */
    const uint32_t *row, *tally; /* its words */
    size_t count;
    char id[STORE_ID_MAX + 1];
    size_t id_size;
    double *shares;
    /* pyLDAvis: how often each word is there */
    uint64_t *frequency;
    /* MALLET, by place among the topics that the document has: */
    size_t active;
    uint32_t *topic, *given; /* tokens of a word */
    double *weight, *rest;
    textbuf line; /* what begins a token's line */
} exportdocs;

static bool has(const exportdocs *d, int file)
{
    return d->file[file].out != NULL;
}

/* ---- counts -------------------------------------------------------------- */

static kedge_status write_head(exportdocs *d, kedge_error *err)
{
    static const char begins[] =
        "%%MatrixMarket matrix coordinate integer general\n"
        "% rows as in documents.txt, columns as in vocab.txt";
    char sizes[72];
    const int size = snprintf(sizes, sizeof sizes,
                              "\n%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                              d->documents, d->m->words, d->entries);

    static_assert(sizeof begins + sizeof sizes <= HEAD, "the head has room");
    textbuf_print(&d->file[MATRIX].text, "%-*s%s", HEAD - size, begins, sizes);
    return newfile_flush(&d->file[MATRIX], err);
}

static kedge_status add_counts(exportdocs *d, kedge_error *err)
{
    for (size_t i = 0; i < d->count; i++)
        textbuf_print(&d->file[MATRIX].text,
                      "%" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
                      d->documents + 1, d->row[i] + 1, d->tally[i]);
    d->entries += d->count;
    return newfile_flush(&d->file[MATRIX], err);
}

/* ---- pyLDAvis ------------------------------------------------------------ */

/* The topics as rows, one at a time. */
static kedge_status write_topics(export *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_model *const m = e->m;
    double *row = NULL;

    TRY(newfile_open(&e->file, e->directory, "topic_term_dists.npy", err));
    TRY_MEM(row = mem_new(m->words, sizeof *row));
    TRY(npy_begin(&e->file, err));
    for (size_t k = 0; k < m->topics; k++) {
        for (size_t i = 0; i < m->words; i++)
            row[i] = m->probabilities[i * m->topics + k];
        TRY(npy_row(&e->file, row, m->words, true, err));
    }
    TRY(npy_end(&e->file, m->topics, m->words, true, err));
    TRY(newfile_commit(&e->file, err));
out:
    mem_free(row);
    return st;
}

/* ---- MALLET: topics ------------------------------------------------------ */

static void add_word(textbuf *t, const kedge_model *m, size_t row)
{
    textbuf_escape(t, words_get(&m->text, row), words_size(&m->text, row),
                   true);
}

/* Where no Dirichlet is near, the topics' shares. */
static double alpha(const kedge_model *m, size_t topic)
{
    return m->alpha != NULL ? m->alpha[topic] : m->shares[topic];
}

static kedge_status write_keys(export *e, kedge_error *err)
{
    textbuf *const t = &e->file.text;
    kedge_ranked_word first[FIRST];
    uint64_t got;

    PASS(newfile_open(&e->file, e->directory, "mallet-keys.txt", err));
    for (size_t k = 0; k < e->m->topics; k++) {
        PASS(kedge_model_top_words(e->m, k, KEDGE_RANK_PROBABILITY, first,
                                   FIRST, &got, err));
        textbuf_print(t, "%zu\t", k);
        textbuf_real(t, alpha(e->m, k));
        for (uint64_t i = 0; i < got; i++) {
            textbuf_add(t, i == 0 ? "\t" : " ", 1);
            add_word(t, e->m, first[i].row);
        }
        textbuf_add(t, "\n", 1);
        PASS(newfile_flush(&e->file, err));
    }
    return newfile_commit(&e->file, err);
}

/* ---- MALLET: documents --------------------------------------------------- */

/* A multiple of 1/65536 has 16 digits behind its point at most: all of them,
 * less the zeros at the end. */
static void add_share(textbuf *t, double share)
{
    const uint64_t units = (uint64_t)(share * STORE_UNITS);
    uint64_t digits = units * FIVES;
    int places = 16;

    if (units == 0 || units == STORE_UNITS) {
        textbuf_add(t, units == 0 ? "0" : "1", 1);
        return;
    }
    for (; digits % 10 == 0; digits /= 10)
        places--;
    textbuf_print(t, "0.%0*" PRIu64, places, digits);
}

static kedge_status add_shares(exportdocs *d, kedge_error *err)
{
    textbuf *const t = &d->file[TOPICS].text;

    textbuf_print(t, "%" PRIu64 "\t", d->documents);
    textbuf_escape(t, d->id, d->id_size, true);
    for (size_t k = 0; k < d->m->topics; k++) {
        textbuf_add(t, "\t", 1);
        add_share(t, d->shares[k]);
    }
    textbuf_add(t, "\n", 1);
    return newfile_flush(&d->file[TOPICS], err);
}

/* Tokens of the word for each of the document's topics: whole parts first; what
 * is left goes to the largest remainders, one each. */
static void share_out(exportdocs *d, size_t row, uint32_t tokens)
{
    const double *const b = d->m->probabilities + row * d->m->topics;
    uint32_t left = tokens;
    double sum = 0;

    for (size_t a = 0; a < d->active; a++)
        sum += d->weight[a] = b[d->topic[a]] * d->shares[d->topic[a]];
    if (!(sum > 0))
        for (size_t a = 0; a < d->active; a++)
            sum += d->weight[a] = d->shares[d->topic[a]];
    for (size_t a = 0; a < d->active; a++) {
        const double part = tokens * (d->weight[a] / sum);
        d->given[a] = (uint32_t)floor(part);
        d->rest[a] = part - d->given[a];
        assert(d->given[a] <= left);
        left -= d->given[a];
    }
    while (left > 0) {
        size_t most = 0;
        for (size_t a = 1; a < d->active; a++)
            if (d->rest[a] > d->rest[most])
                most = a;
        d->given[most]++;
        d->rest[most] = -1;
        left--;
    }
}

/* "document source position typeindex type topic" of each token. */
static kedge_status add_state(exportdocs *d, kedge_error *err)
{
    textbuf *const t = &d->file[STATE].text;
    uint64_t position = 0;

    d->active = 0;
    for (size_t k = 0; k < d->m->topics; k++)
        if (d->shares[k] > 0)
            d->topic[d->active++] = (uint32_t)k;
    d->line.size = 0;
    textbuf_print(&d->line, "%" PRIu64 " ", d->documents);
    textbuf_escape(&d->line, d->id, d->id_size, true);
    t->failed |= d->line.failed;
    for (size_t i = 0; i < d->count; i++) {
        const size_t row = d->row[i];
        share_out(d, row, d->tally[i]);
        for (size_t a = 0; a < d->active; a++)
            for (uint32_t n = 0; n < d->given[a]; n++) {
                textbuf_add(t, d->line.bytes, d->line.size);
                textbuf_print(t, " %" PRIu64 " %zu ", position++, row);
                add_word(t, d->m, row);
                textbuf_print(t, " %" PRIu32 "\n", d->topic[a]);
                if (t->size >= FULL)
                    PASS(newfile_flush(&d->file[STATE], err));
            }
    }
    return t->failed ? newfile_flush(&d->file[STATE], err) : KEDGE_OK;
}

static kedge_status begin_state(exportdocs *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t topics = d->m->topics;
    textbuf *const t = &d->file[STATE].text;

    TRY_MEM(d->topic = mem_new(topics, sizeof *d->topic));
    TRY_MEM(d->given = mem_new(topics, sizeof *d->given));
    TRY_MEM(d->weight = mem_new(topics, sizeof *d->weight));
    TRY_MEM(d->rest = mem_new(topics, sizeof *d->rest));
    textbuf_text(t, "#doc source pos typeindex type topic\n#alpha : ");
    for (size_t k = 0; k < topics; k++) {
        textbuf_real(t, alpha(d->m, k));
        textbuf_add(t, " ", 1);
    }
    textbuf_text(t, "\n#beta : " BETA "\n");
out:
    return st;
}

/* ---- the walk ------------------------------------------------------------ */

static kedge_status open_files(exportdocs *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const unsigned also = d->e->opts->also;
    const bool wanted[FILES] = {[IDS] = true, /* of whatever else there is */
                                [ROWS] = d->e->composed,
                                [MATRIX] = also & KEDGE_EXPORT_COUNTS,
                                [LENGTHS] = also & KEDGE_EXPORT_PYLDAVIS,
                                [TOPICS] = also & KEDGE_EXPORT_MALLET,
                                [STATE] = also & KEDGE_EXPORT_MALLET};
    static const char *const name[FILES] = {
        "documents.txt",   "doc_topics.npy",  "counts.mtx",
        "doc_lengths.npy", "mallet-topics.txt", "mallet-state.gz"};

    for (int i = 0; i < FILES; i++)
        if (wanted[i])
            TRY((i == STATE ? newfile_open_gzip : newfile_open)(
                &d->file[i], d->e->directory, name[i], err));
    if (has(d, ROWS))
        TRY(npy_begin(&d->file[ROWS], err));
    if (has(d, MATRIX))
        TRY(write_head(d, err));
    if (has(d, LENGTHS)) {
        TRY_MEM(d->frequency = mem_new(d->m->words, sizeof *d->frequency));
        TRY(npy_begin(&d->file[LENGTHS], err));
    }
    if (has(d, STATE))
        TRY(begin_state(d, err));
out:
    return st;
}

static kedge_status add_document(exportdocs *d, size_t m, kedge_error *err)
{
    const docs *const seen = &d->part.seen;

    d->row = seen->word + seen->start[m];
    d->tally = seen->tally + seen->start[m];
    d->count = seen->start[m + 1] - seen->start[m];
    PASS(walk_id(&d->walk.names, seen, m, d->part.source, d->id, &d->id_size,
                 err));
    textbuf_escape(&d->file[IDS].text, d->id, d->id_size, false);
    textbuf_add(&d->file[IDS].text, "\n", 1);
    PASS(newfile_flush(&d->file[IDS], err));
    if (d->e->composed) {
        PASS(saved_walk_to(&d->kept, d->part.block, seen->position[m],
                           d->shares, err));
        PASS(npy_row(&d->file[ROWS], d->shares, d->m->topics, false, err));
    }
    if (has(d, MATRIX))
        PASS(add_counts(d, err));
    if (has(d, LENGTHS)) {
        const double length = (double)seen->length[m];
        for (size_t i = 0; i < d->count; i++)
            d->frequency[d->row[i]] += d->tally[i];
        PASS(npy_row(&d->file[LENGTHS], &length, 1, true, err));
    }
    if (has(d, TOPICS)) {
        PASS(add_shares(d, err));
        PASS(add_state(d, err));
    }
    d->documents++;
    return KEDGE_OK;
}

static kedge_status commit_files(exportdocs *d, kedge_error *err)
{
    export *const e = d->e;

    if (has(d, ROWS)) {
        PASS(saved_walk_end(&d->kept, err));
        PASS(npy_end(&d->file[ROWS], d->documents, d->m->topics, false, err));
    }
    if (has(d, MATRIX)) {
        PASS(newfile_rewind(&d->file[MATRIX], err));
        PASS(write_head(d, err));
    }
    if (has(d, LENGTHS)) {
        PASS(npy_end(&d->file[LENGTHS], d->documents, 0, true, err));
        PASS(newfile_open(&e->file, e->directory, "term_frequency.npy", err));
        PASS(npy_write_u64(&e->file, d->frequency, d->m->words, 0, err));
        PASS(newfile_commit(&e->file, err));
    }
    for (int i = 0; i < FILES; i++)
        if (has(d, i))
            PASS(newfile_commit(&d->file[i], err));
    return KEDGE_OK;
}

static kedge_status open_walk(exportdocs *d, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const unsigned also = d->e->opts->also;
    const kedge_model *const m = d->m;
    store_totals totals;
    uint64_t total;

    TRY(store_get_totals(txn, &totals, err));
    TRY(plan_walk(&(walk_shape){
                      .what = "exporting documents", .threads = 1,
                      .vocabulary = totals.words, .blocks = 1,
                      .more = model_memory(m, words_bytes(&m->text)) +
                              memory_filter(m->words, totals.words,
                                            m->index.joined) +
                              memory_sources(totals.sources) +
                              (d->e->composed ? memory_portion() : 0) +
                              (also & KEDGE_EXPORT_PYLDAVIS ? 8 * m->words
                                                            : 0) +
                              (also & KEDGE_EXPORT_MALLET
                                   ? 64 * m->topics + (1 << 20) : 0)},
                  d->e->control, &total, err));
    if (d->e->composed) {
        TRY(saved_find_whole(txn, m, &d->set, err));
        TRY_MEM(d->shares = mem_new(m->topics, sizeof *d->shares));
        d->kept = (saved_walk){.txn = txn, .set = &d->set};
    }
    TRY(walk_open(&d->walk, txn, m, &totals, totals.blocks, d->e->control,
                  err));
out:
    return st;
}

kedge_status export_documents(export *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    exportdocs d = {.e = e, .m = e->m};
    store_txn *txn = NULL;
    stage now;

    if (e->opts->also & KEDGE_EXPORT_PYLDAVIS)
        TRY(write_topics(e, err));
    if (e->opts->also & KEDGE_EXPORT_MALLET)
        TRY(write_keys(e, err));
    if (!e->composed && !(e->opts->also & KEDGE_EXPORT_COUNTS))
        return KEDGE_OK;
    TRY(store_begin_read(e->opts->store, &txn, err));
    TRY(open_walk(&d, txn, err));
    TRY(open_files(&d, err));
    now = stage_begin(e->control, "exporting", d.walk.blocks, "blocks");
    for (;;) {
        TRY(walk_next(&d.walk, txn, &d.part, err));
        if (d.part.seen.count == 0)
            break;
        for (size_t m = 0; m < d.part.seen.count; m++)
            TRY(add_document(&d, m, err));
        now.documents = d.documents;
        TRY(stage_reach(&now, d.walk.next, err));
    }
    TRY(commit_files(&d, err));
out:
    store_abort(&txn);
    for (int i = 0; i < FILES; i++)
        newfile_discard(&d.file[i]);
    walk_close(&d.walk);
    walk_part_free(&d.part);
    saved_walk_close(&d.kept);
    textbuf_free(&d.line);
    mem_free_all(d.shares, d.frequency, d.topic, d.given, d.weight, d.rest);
    return st;
}

kedge_status export_find_compositions(export *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    saved_set set;

    TRY(store_begin_read(e->opts->store, &txn, err));
    st = saved_find_whole(txn, e->m, &set, err);
    e->composed = st == KEDGE_OK;
    if (e->composed)
        e->kept = set.info;
    if (e->opts->also < KEDGE_EXPORT_PYLDAVIS &&
        (st == KEDGE_ENOTFOUND || st == KEDGE_EINVAL))
        st = KEDGE_OK;
out:
    store_abort(&txn);
    return st;
}
