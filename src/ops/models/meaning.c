/* SPDX-License-Identifier: MIT */
/*
 * Texts are found among the store's words first, and what is left of them in
 * the model; then one space of words serves all answers.
 */
#include <kedge/word.h>

#include <stdlib.h>
#include <string.h>

#include <kedge/diff.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "linalg/blas.h"
#include "ops/textsettings.h"
#include "ops/models/model.h"
#include "ops/plan.h"
#include "io/text/spelling.h"
#include "topics/anchors.h"

#define NEAR_DEFAULT      10
#define SPELLINGS_DEFAULT 5
#define FOLD_MOST         1024

struct kedge_words_answer {
    kedge_model *model;
    bool rectified;
    struct words all;   /* the store's */
    uint64_t *tf, *df;  /* by id */
    kedge_word_answer *answer;
    size_t count, room;
};

typedef struct asking {
    kedge_words_answer *to;
    const kedge_word_opts *opts;
    wordmap ids;
    text_settings tokenizing;
    tokenizer *tokenizer; /* or NULL: no text was cut in this store */
} asking;

void kedge_word_opts_init(kedge_word_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_word_opts){.near = NEAR_DEFAULT,
                              .spellings = SPELLINGS_DEFAULT};
}

void kedge_words_free(kedge_words_answer *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->count; i++) {
        const kedge_word_answer *const one = &w->answer[i];
        mem_free_all((void *)one->asked, (void *)one->word,
                     (void *)one->spellings, (void *)one->topics,
                     (void *)one->near);
    }
    kedge_model_free(w->model);
    words_free(&w->all);
    mem_free_all(w->answer, w->tf, w->df, w);
}

/* ---- finding words ------------------------------------------------------- */

/* Its row, or KEDGE_NO_WORD: rows are in the order of their bytes. */
static uint64_t row_of(const kedge_model *m, span word)
{
    uint64_t from = 0, end = m->words;

    while (from < end) {
        const uint64_t half = from + (end - from) / 2;
        const int order = compare_bytes(words_get(&m->text, half),
                                        words_size(&m->text, half),
                                        word.bytes, word.size);
        if (order == 0)
            return half;
        if (order < 0)
            from = half + 1;
        else
            end = half;
    }
    return KEDGE_NO_WORD;
}

/* Words of documents that are all gone are unknown. */
static bool asking_knows(const asking *a, span word)
{
    const uint32_t id = wordmap_find(&a->ids, word);

    return (id != WORDMAP_NONE && a->to->df[id] > 0) ||
           row_of(a->to->model, word) != KEDGE_NO_WORD;
}

static kedge_status asking_add(asking *a, const char *text, span word,
                               kedge_error *err)
{
    kedge_words_answer *const w = a->to;
    const kedge_model *const m = w->model;
    const uint32_t id = wordmap_find(&a->ids, word);
    kedge_word_answer *one;
    char *own;

    if (!mem_grow((void **)&w->answer, &w->room, w->count + 1,
                  sizeof *w->answer))
        PASS_MEM(NULL);
    one = &w->answer[w->count++];
    *one = (kedge_word_answer){.row = row_of(m, word),
                               .anchor_topic = KEDGE_NO_TOPIC};
    PASS_MEM(one->asked = mem_strdup(text));
    PASS_MEM(one->word = own = mem_new(word.size + 1, 1));
    memcpy(own, word.bytes, word.size);
    if (id != WORDMAP_NONE) {
        one->tf = w->tf[id];
        one->df = w->df[id];
    }
    if (one->row != KEDGE_NO_WORD) {
        one->model_tf = (uint64_t)m->tf[one->row];
        one->model_df = (uint64_t)m->df[one->row];
        one->probability = m->word_probability[one->row];
    }
    return KEDGE_OK;
}

/* As it came, or folded, where the store has no texts. */
static kedge_status asking_plain(asking *a, const char *text, span word,
                                 kedge_error *err)
{
    char folded[FOLD_MOST];

    if (!asking_knows(a, word)) {
        const span other = span_of(folded, tokenizer_fold(word, folded,
                                                          sizeof folded));
        word = other.size > 0 && asking_knows(a, other) ? other : word;
    }
    return asking_add(a, text, word, err);
}

/* Cut as the store's texts were, where it has any; else words are as they came,
 * and several with blanks between them are asked one by one. */
static kedge_status asking_find(asking *a, const char *text, kedge_error *err)
{
    size_t found = 0;
    span word = span_text(text);

    if (!asking_knows(a, word) && a->tokenizer != NULL) {
        tokenizer_begin(a->tokenizer, word);
        for (; tokenizer_next(a->tokenizer, &word); found++)
            PASS(asking_add(a, text, word, err));
        return found > 0 ? KEDGE_OK
                         : asking_add(a, text, span_of("", 0), err);
    }
    if (asking_knows(a, word))
        return asking_add(a, text, word, err);
    for (const char *at = text + strspn(text, " "); *at != '\0';
         at += strspn(at, " "), found++) {
        word = span_of(at, strcspn(at, " "));
        PASS(asking_plain(a, text, word, err));
        at += word.size;
    }
    return found > 0 ? KEDGE_OK : asking_plain(a, text, span_text(text), err);
}

/* ---- words that are spelt like it ---------------------------------------- */

typedef struct likely {
    size_t distance;
    uint32_t id;
} likely;

/* Nearer, or in more documents, or earlier. */
static bool is_likelier(const kedge_words_answer *w, likely a, likely b)
{
    if (a.distance != b.distance)
        return a.distance < b.distance;
    if (w->df[a.id] != w->df[b.id])
        return w->df[a.id] > w->df[b.id];
    return strcmp(words_get(&w->all, a.id), words_get(&w->all, b.id)) < 0;
}

/* Those that are spelt most like a word that is nowhere, in order. */
static kedge_status spell(const asking *a, kedge_word_answer *one,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_words_answer *const w = a->to;
    const size_t most = a->opts->spellings;
    likely *list = NULL;
    const char **texts;
    spelling asked, other;
    size_t held = 0;

    if (one->df > 0 || one->row != KEDGE_NO_WORD || one->word[0] == '\0' ||
        !spelling_of(span_text(one->word), &asked))
        return KEDGE_OK;
    const size_t far = 1 + asked.size / 4;
    TRY_MEM(list = mem_new(most, sizeof *list));
    for (size_t id = 0; id < w->all.count && most > 0; id++) {
        likely it = {.id = (uint32_t)id};
        size_t at;
        if (w->df[id] == 0 ||
            !spelling_of(span_of(words_get(&w->all, id),
                                 words_size(&w->all, id)), &other))
            continue;
        it.distance = spelling_distance(&asked, &other, far);
        if (it.distance > far ||
            (held == most && !is_likelier(w, it, list[held - 1])))
            continue;
        at = held < most ? held++ : held - 1;
        for (; at > 0 && is_likelier(w, it, list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = it;
    }
    TRY_MEM(one->spellings = texts = mem_new(held, sizeof *texts));
    for (size_t i = 0; i < held; i++)
        texts[i] = words_get(&w->all, list[i].id);
    one->spelling_count = held;
out:
    mem_free(list);
    return st;
}

/* ---- what the model tells ------------------------------------------------ */

static int compare_topics(const void *left, const void *right)
{
    const kedge_word_topic *a = left, *b = right;

    if (a->topic_probability != b->topic_probability)
        return a->topic_probability > b->topic_probability ? -1 : 1;
    return compare_numbers(a->topic, b->topic);
}

static kedge_status tell_topics(const kedge_model *m, kedge_word_answer *one,
                                kedge_error *err)
{
    const size_t k = m->topics;
    const double *const b = m->probabilities + one->row * k;
    const double mix = m->mix[one->row];
    kedge_word_topic *topics;

    PASS_MEM(one->topics = topics = mem_new(k, sizeof *topics));
    for (size_t t = 0; t < k; t++)
        topics[t] = (kedge_word_topic){
            t, mix > 0 ? b[t] * m->shares[t] / mix : 0, b[t]};
    qsort(topics, k, sizeof *topics, compare_topics);
    return KEDGE_OK;
}

/* The words with the largest cosine, ties by row. */
static kedge_status tell_near(const asking *a, const wordspace *space,
                              kedge_word_answer *one, kedge_error *err)
{
    const kedge_model *const m = a->to->model;
    const uint64_t most =
        a->opts->near < m->words ? a->opts->near : m->words;
    kedge_word_near *near;

    PASS_MEM(one->near = near = mem_new(most, sizeof *near));
    for (uint64_t i = 0; i < m->words && most > 0; i++) {
        const double c = wordspace_cosine(space, m->topics, one->row, i);
        uint64_t at = one->near_count;

        if (i == one->row || !(c > 0) ||
            (at == most && !(c > near[at - 1].likeness)))
            continue;
        if (at < most)
            one->near_count++;
        else
            at--;
        for (; at > 0 && near[at - 1].likeness < c; at--)
            near[at] = near[at - 1];
        near[at] = (kedge_word_near){words_get(&m->text, i), c};
    }
    return KEDGE_OK;
}

/* ---- how near it came to be an anchor ------------------------------------ */

typedef struct chosen {
    double residual;
    uint64_t topic;
} chosen;

static int compare_chosen(const void *left, const void *right)
{
    const chosen *a = left, *b = right;

    if (a->residual != b->residual)
        return a->residual > b->residual ? -1 : 1;
    return compare_numbers(a->topic, b->topic);
}

/* Anchors were chosen by falling residual. The space is destroyed. */
static kedge_status tell_standings(pool *p, kedge_words_answer *w,
                                   wordspace *space, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_model *const m = w->model;
    const size_t k = m->topics;
    chosen *order = NULL;
    uint64_t *anchor = NULL;
    standing *asked = NULL;
    size_t n = 0;

    TRY_MEM(order = mem_new(k, sizeof *order));
    TRY_MEM(anchor = mem_new(k, sizeof *anchor));
    TRY_MEM(asked = mem_new(w->count, sizeof *asked));
    for (size_t t = 0; t < k; t++)
        order[t] = (chosen){m->residuals[t], t};
    qsort(order, k, sizeof *order, compare_chosen);
    for (size_t t = 0; t < k; t++)
        anchor[t] = m->anchors[order[t].topic];
    for (size_t i = 0; i < w->count; i++)
        if (w->answer[i].row != KEDGE_NO_WORD)
            asked[n++].row = w->answer[i].row;
    TRY(standing_find(p, m->words, k, space->x, space->candidate, anchor,
                      asked, n, err));
    n = 0;
    for (size_t i = 0; i < w->count; i++) {
        kedge_word_answer *const one = &w->answer[i];
        if (one->row == KEDGE_NO_WORD)
            continue;
        const standing *const s = &asked[n++];
        one->stands_out = s->share;
        one->rank = s->rank;
        if (one->anchor != KEDGE_WORD_ANCHOR && s->rank > 0)
            one->anchor_topic = order[s->step].topic;
    }
out:
    mem_free_all(order, anchor, asked);
    return st;
}

static kedge_status asking_tell(asking *a, pool *p,
                                const kedge_control *control,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_words_answer *const w = a->to;
    const kedge_model *const m = w->model;
    wordspace space = {0};

    TRY(wordspace_make(p, m, &space, err));
    w->rectified = space.rectified;
    for (size_t i = 0; i < w->count; i++) {
        kedge_word_answer *const one = &w->answer[i];
        if (one->row == KEDGE_NO_WORD)
            continue;
        TRY(run_check(control, err));
        TRY(tell_topics(m, one, err));
        TRY(tell_near(a, &space, one, err));
        one->anchor = space.candidate[one->row] ? KEDGE_WORD_CANDIDATE
                      : one->model_df < m->figures.anchor_min_df
                          ? KEDGE_WORD_RARE
                          : KEDGE_WORD_ALONE;
        for (uint64_t t = 0; t < m->topics; t++)
            if (m->anchors[t] == one->row) {
                one->anchor = KEDGE_WORD_ANCHOR;
                one->anchor_topic = t;
            }
    }
    /* of other ways, and of anchors that were given, nothing is known */
    if (m->ways.anchors == KEDGE_ANCHORS_QR && !m->ways.several &&
        m->ways.recover != KEDGE_RECOVER_ANCHOR_FREE)
        TRY(tell_standings(p, w, &space, err));
out:
    wordspace_free(&space);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

/* The store's words and counts, once it is known that there is room. */
static kedge_status asking_load(asking *a, store *s,
                                const kedge_control *control,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_words_answer *const w = a->to;
    kedge_model *head = NULL;
    store_totals totals;
    uint64_t memory;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    TRY(model_open(txn, a->opts->model, MODEL_HEADER, &head, err));
    const uint64_t n = totals.words;
    TRY(plan_walk(&(walk_shape){.what = "asking for words",
                                .threads = control->threads,
                                .vocabulary = n,
                                .word_bytes = totals.word_bytes,
                                .more = memory_wordmap(n) + 16 * n +
                                        memory_tokenizer() +
                                        model_memory(head, 0) +
                                        memory_wordspace(head->words,
                                                           head->topics)},
                  control, &memory, err));
    TRY(store_get_words(txn, &w->all, err));
    TRY_MEM(w->tf = mem_new(n, sizeof *w->tf));
    TRY_MEM(w->df = mem_new(n, sizeof *w->df));
    TRY(store_get_counts(txn, w->tf, w->df, n, err));
    TRY(text_settings_load(&a->tokenizing, txn, err));
out:
    store_abort(&txn);
    kedge_model_free(head);
    return st;
}

kedge_status kedge_words_ask(kedge_store *s, const char *const *texts,
                             size_t count, const kedge_word_opts *opts,
                             const kedge_control *control,
                             kedge_words_answer **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});
    API_TEXTS(err, "texts", texts, count);
    API_USUAL(kedge_word_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    asking a = {.opts = opts};
    tokenizer_opts how;
    pool *p = NULL;

    for (size_t i = 0; i < count; i++)
        if (texts[i][0] == '\0')
            return kedge_fail(err, KEDGE_EINVAL, "a word cannot be empty");
    TRY(blas_begin(control->threads, err));
    TRY_MEM(a.to = mem_new(1, sizeof *a.to));
    TRY(asking_load(&a, s, control, err));
    TRY(kedge_model_load(s, opts->model, control, &a.to->model, err));
    TRY_MEM(wordmap_open(&a.ids, &a.to->all) ? a.to : NULL);
    if (a.tokenizing.settings.texts) {
        text_settings_tokens(&a.tokenizing, &how);
        TRY(tokenizer_create(&how, &a.tokenizer, err));
    }
    for (size_t i = 0; i < count; i++)
        TRY(asking_find(&a, texts[i], err));
    TRY(pool_open(control, &p, err));
    TRY(asking_tell(&a, p, control, err));
    for (size_t i = 0; i < a.to->count; i++)
        TRY(spell(&a, &a.to->answer[i], err));
    *out = a.to;
    a.to = NULL;
out:
    pool_free(p);
    blas_end();
    kedge_words_free(a.to);
    wordmap_close(&a.ids);
    text_settings_free(&a.tokenizing);
    tokenizer_free(a.tokenizer);
    return api_leave(st, err);
}

uint64_t kedge_words_count(const kedge_words_answer *w)
{
    return w != NULL ? w->count : 0;
}

const kedge_word_answer *kedge_words_get(const kedge_words_answer *w,
                                         uint64_t i)
{
    return w != NULL && i < w->count ? &w->answer[i] : NULL;
}

const kedge_model *kedge_words_model(const kedge_words_answer *w)
{
    return w != NULL ? w->model : NULL;
}

int kedge_words_rectified(const kedge_words_answer *w)
{
    return w != NULL ? w->rectified : 0;
}

uint64_t kedge_words_anchor_floor(const kedge_words_answer *w)
{
    return w != NULL ? w->model->figures.anchor_min_df : 0;
}

uint64_t kedge_words_candidates(const kedge_words_answer *w)
{
    return w != NULL ? w->model->figures.candidates : 0;
}

int kedge_words_banned(const kedge_words_answer *w)
{
    return w != NULL ? w->model->ways.banned : 0;
}
