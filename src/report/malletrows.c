/* SPDX-License-Identifier: MIT */
/*
 * Numbers count from 0, as MALLET's do. Ids and words have no blanks and ends
 * of lines, which divide: \s, \t, \v, \f, \n, \r and \\ stand for them.
 */
#include "report/malletrows.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/shares/showing.h"
#include "report/idlines.h"
#include "report/jsontext.h"
#include "report/packed.h"

#define FIRST 20      /* words of a topic, as many as MALLET's */
#define BETA "0.01"   /* MALLET's: kedge has no such prior on words */
#define FIVES UINT64_C(152587890625) /* 10^16 / STORE_UNITS = 5^16 */
#define FULL (1 << 16) /* bytes, then lines go out */

static_assert(FIVES * STORE_UNITS == UINT64_C(10000000000000000),
              "shares have 16 digits");

typedef struct malletrows {
    const kedge_model *m;
    newfile topics;
    packed state;
    textbuf shares, tokens, line; /* what begins a token's line */
    uint64_t documents;
    /* of the document, by place among those that it has: */
    size_t active;
    uint32_t *topic, *given; /* tokens of a word */
    double *weight, *rest;
} malletrows;

static void add_word(textbuf *t, const kedge_model *m, size_t row)
{
    idlines_escape(t, words_get(&m->text, row), words_size(&m->text, row),
                   true);
}

/* Where no Dirichlet is near, the topics' shares. */
static double alpha(const kedge_model *m, size_t topic)
{
    return m->alpha != NULL ? m->alpha[topic] : m->shares[topic];
}

/* ---- topics -------------------------------------------------------------- */

static kedge_status add_keys(textbuf *t, const kedge_model *m, size_t topic,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_ranked_word first[FIRST];
    uint64_t got;

    TRY(kedge_model_top_words(m, topic, KEDGE_RANK_PROBABILITY, first, FIRST,
                              &got, err));
    textbuf_count(t, topic);
    textbuf_add(t, "\t", 1);
    jsontext_add_real(t, alpha(m, topic));
    for (uint64_t i = 0; i < got; i++) {
        textbuf_add(t, i == 0 ? "\t" : " ", 1);
        add_word(t, m, first[i].row);
    }
    textbuf_add(t, "\n", 1);
out:
    return st;
}

kedge_status malletrows_write_keys(const kedge_model *m, const char *directory,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile f = {0};
    textbuf t = {0};

    TRY(newfile_open(&f, directory, "mallet-keys.txt", err));
    for (size_t k = 0; k < m->topics; k++) {
        TRY(add_keys(&t, m, k, err));
        TRY(newfile_flush(&f, &t, err));
    }
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    textbuf_free(&t);
    return st;
}

/* ---- documents ----------------------------------------------------------- */

/* A multiple of 1/65536 has 16 digits behind its point at most: all of them,
 * less the zeros at the end. */
static void add_share(textbuf *t, double share)
{
    const uint64_t units = (uint64_t)(share * STORE_UNITS);
    char text[24];
    int size;

    if (units == 0 || units == STORE_UNITS) {
        textbuf_add(t, units == 0 ? "0" : "1", 1);
        return;
    }
    size = snprintf(text, sizeof text, "0.%016" PRIu64, units * FIVES);
    while (text[size - 1] == '0')
        size--;
    textbuf_add(t, text, (size_t)size);
}

static void add_shares(malletrows *r, const showing_document *d)
{
    textbuf *const t = &r->shares;

    textbuf_count(t, r->documents);
    textbuf_add(t, "\t", 1);
    idlines_escape(t, d->id, d->id_size, true);
    for (size_t k = 0; k < r->m->topics; k++) {
        textbuf_add(t, "\t", 1);
        add_share(t, d->shares[k]);
    }
    textbuf_add(t, "\n", 1);
}

/* The word's weight in each of the document's topics; gives their sum. */
static double weigh(malletrows *r, const showing_document *d, size_t row)
{
    const double *const b = r->m->probabilities + row * r->m->topics;
    double sum = 0;

    for (size_t a = 0; a < r->active; a++) {
        r->weight[a] = b[r->topic[a]] * d->shares[r->topic[a]];
        sum += r->weight[a];
    }
    if (sum > 0)
        return sum;
    for (size_t a = 0; a < r->active; a++) {
        r->weight[a] = d->shares[r->topic[a]];
        sum += r->weight[a];
    }
    return sum;
}

/* Whole parts first; what is left goes to the largest remainders, one each. */
static void share_out(malletrows *r, double sum, uint32_t tokens)
{
    uint32_t left = tokens;

    for (size_t a = 0; a < r->active; a++) {
        const double part = tokens * (r->weight[a] / sum);
        r->given[a] = (uint32_t)floor(part);
        r->rest[a] = part - r->given[a];
        assert(r->given[a] <= left);
        left -= r->given[a];
    }
    while (left > 0) {
        size_t most = 0;
        for (size_t a = 1; a < r->active; a++)
            if (r->rest[a] > r->rest[most])
                most = a;
        r->given[most]++;
        r->rest[most] = -1;
        left--;
    }
}

/* "document source position typeindex type topic" of the tokens of a word. */
static kedge_status add_tokens(malletrows *r, size_t row, uint64_t *position,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    textbuf *const t = &r->tokens;
    const size_t begins = r->line.size;
    char place[48];
    int size;

    for (size_t a = 0; a < r->active; a++)
        for (uint32_t n = 0; n < r->given[a]; n++) {
            size = snprintf(place, sizeof place, " %" PRIu64 " %zu ",
                            (*position)++, row);
            textbuf_add(t, r->line.bytes, begins);
            textbuf_add(t, place, (size_t)size);
            add_word(t, r->m, row);
            size = snprintf(place, sizeof place, " %" PRIu32 "\n",
                            r->topic[a]);
            textbuf_add(t, place, (size_t)size);
            if (t->size >= FULL)
                TRY(packed_flush(&r->state, t, err));
        }
out:
    return st;
}

static kedge_status add_state(malletrows *r, const showing_document *d,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t position = 0;

    r->active = 0;
    for (size_t k = 0; k < r->m->topics; k++)
        if (d->shares[k] > 0)
            r->topic[r->active++] = (uint32_t)k;
    r->line.size = 0;
    textbuf_count(&r->line, r->documents);
    textbuf_add(&r->line, " ", 1);
    idlines_escape(&r->line, d->id, d->id_size, true);
    if (r->line.failed)
        TRY_MEM(NULL);
    for (size_t i = 0; i < d->count; i++) {
        share_out(r, weigh(r, d, d->row[i]), d->tally[i]);
        TRY(add_tokens(r, d->row[i], &position, err));
    }
out:
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status begin(malletrows *r, const char *directory,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    textbuf *const t = &r->tokens;

    TRY_MEM(r->topic = mem_new(r->m->topics, sizeof *r->topic));
    TRY_MEM(r->given = mem_new(r->m->topics, sizeof *r->given));
    TRY_MEM(r->weight = mem_new(r->m->topics, sizeof *r->weight));
    TRY_MEM(r->rest = mem_new(r->m->topics, sizeof *r->rest));
    TRY(newfile_open(&r->topics, directory, "mallet-topics.txt", err));
    TRY(packed_open(&r->state, directory, "mallet-state.gz", err));
    textbuf_text(t, "#doc source pos typeindex type topic\n#alpha : ");
    for (size_t k = 0; k < r->m->topics; k++) {
        jsontext_add_real(t, alpha(r->m, k));
        textbuf_add(t, " ", 1);
    }
    textbuf_text(t, "\n#beta : " BETA "\n");
out:
    return st;
}

static kedge_status walk(malletrows *r, showing *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const showing_document *d;

    for (;;) {
        TRY(showing_next(w, &d, err));
        if (d == NULL)
            break;
        add_shares(r, d);
        TRY(newfile_flush(&r->topics, &r->shares, err));
        TRY(add_state(r, d, err));
        r->documents++;
    }
    TRY(packed_flush(&r->state, &r->tokens, err));
out:
    return st;
}

static void end(malletrows *r)
{
    newfile_discard(&r->topics);
    packed_discard(&r->state);
    textbuf_free(&r->shares);
    textbuf_free(&r->tokens);
    textbuf_free(&r->line);
    mem_free(r->topic);
    mem_free(r->given);
    mem_free(r->weight);
    mem_free(r->rest);
}

kedge_status malletrows_write(kedge_store *s, const kedge_model *m,
                              const kedge_control *control,
                              const char *directory, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    malletrows r = {.m = m};
    showing w = {0};

    TRY(showing_open(&w, &(showing_input){.s = s, .m = m, .control = control,
                                          .stage = "tokens",
                                          .composed = true,
                                          .more = 64 * m->topics +
                                                  (1 << 20)}, err));
    TRY(begin(&r, directory, err));
    TRY(walk(&r, &w, err));
    TRY(newfile_commit(&r.topics, err));
    TRY(packed_commit(&r.state, err));
out:
    end(&r);
    showing_close(&w);
    return st;
}
