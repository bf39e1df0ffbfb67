/* SPDX-License-Identifier: MIT */
#include "ops/ingest/dedupe.h"

#include "base/gate.h"
#include "ops/archive.h"
#include "ops/papers.h"

/* A batch: some documents without an id, some with ids that the archive
 * has, some with ids that come again. Words tell documents apart. */
static void make_batch(docs *d, const archive *a, chance *c, bool again)
{
    const size_t n = chance_below(c, 40);
    char id[32];

    docs_clear(d);
    for (size_t m = 0; m < n; m++) {
        const size_t kind = chance_below(c, 3);
        size_t which = 1000 + (again ? chance_below(c, 8) : m);
        if (kind == 1)
            which = chance_below(c, a->d.count);
        snprintf(id, sizeof id, "id%zu", which);
        ck_assert(docs_begin(d, 5 * m + 1) && docs_push(d, (uint32_t)m, 1));
        if (kind > 0)
            ck_assert(docs_set_name(d, span_text(id), span_text("new")));
    }
}

/* The document of the archive that has this id; SIZE_MAX: none. */
static size_t stored(const archive *a, span id)
{
    for (size_t m = 0; m < a->d.count; m++)
        if (id.size > 0 && !a->gone[m] && span_equal(docs_id(&a->d, m), id))
            return m;
    return SIZE_MAX;
}

static size_t same_before(const docs *d, size_t m)
{
    size_t n = 0;

    for (size_t i = 0; i < m; i++)
        n += docs_id(d, m).size > 0 &&
             span_equal(docs_id(d, i), docs_id(d, m));
    return n;
}

static size_t same_after(const docs *d, size_t m)
{
    size_t n = 0;

    for (size_t i = m + 1; i < d->count; i++)
        n += docs_id(d, m).size > 0 &&
             span_equal(docs_id(d, i), docs_id(d, m));
    return n;
}

/* What is to be of the batch, and which of the archive's leave. */
typedef struct outcome {
    docs left;
    bool leaves[ARCHIVE_MOST];
    uint64_t skipped, replaced;
    bool within, against; /* the first that is not new is of these */
} outcome;

static void foresee(outcome *o, const archive *a, const docs *d,
                    kedge_on_duplicate rule)
{
    *o = (outcome){0};
    for (size_t m = 0; m < d->count; m++) {
        const size_t old = stored(a, docs_id(d, m));
        const bool known = old != SIZE_MAX, first = same_before(d, m) == 0;
        bool keep = true;
        if (!o->within && !o->against) {
            o->within = !first;
            o->against = first && known;
        }
        if (rule == KEDGE_DUPLICATE_SKIP) {
            keep = first && !known;
            o->skipped += !keep;
        } else {
            keep = same_after(d, m) == 0;
            o->replaced += !first || known;
            if (known)
                o->leaves[old] = true;
        }
        if (keep)
            ck_assert(docs_append(&o->left, d, m));
    }
}

/* A batch of one source, and an archive that it comes to. */
typedef struct session {
    archive a;
    batch_part part;
    doc_batch b;
    dedupe d;
} session;

static void session_begin(session *s, uint64_t seed, kedge_on_duplicate rule)
{
    *s = (session){.part.record.name = "new.jsonl"};
    archive_begin(&s->a, seed, true);
    s->b.part = &s->part;
    s->b.parts = 1;
    s->d = (dedupe){.s = s->a.t.s, .rule = rule};
}

static void session_end(session *s)
{
    dedupe_free(&s->d);
    docs_free(&s->b.docs);
    archive_end(&s->a);
}

/* One until the end of the scope. */
#define SESSION(s, ...)         \
    session s OWN(session_end); \
    session_begin(&s, __VA_ARGS__)

static kedge_status check(session *s)
{
    return dedupe_check(&s->d, &s->b, &s->a.t.err);
}

/* What a batch replaces leaves the store, in its own transaction. */
static void replace(session *s)
{
    archive *const a = &s->a;
    archive_sums sums;
    removal r = {.digests = &a->g, .tf = sums.tf, .df = sums.df,
                 .totals = &sums.totals};
    store_totals now;

    archive_count(a, &sums);
    scene_write(&a->t);
    r.txn = a->t.txn;
    ck_ok(store_get_totals(a->t.txn, &now, &a->t.err), a->t.err);
    sums.totals.removals = now.removals;
    ck_ok(dedupe_replace(&s->d, &r, &a->t.err), a->t.err);
    ck_ok(store_put_totals(a->t.txn, &sums.totals, &a->t.err), a->t.err);
    scene_commit(&a->t);
    removal_free(&r);
}

static void check_gone(archive *a)
{
    archive_sums wanted;
    store_totals t;
    store_place p;

    archive_count(a, &wanted);
    scene_read(&a->t);
    ck_ok(store_get_totals(a->t.txn, &t, &a->t.err), a->t.err);
    wanted.totals.removals = t.removals;
    ck_assert_mem_eq(&t, &wanted.totals, sizeof t);
    for (size_t m = 0; m < a->d.count; m++)
        if (docs_id(&a->d, m).size > 0)
            ck_assert_int_eq(
                store_get_id(a->t.txn, docs_id(&a->d, m), &p, &a->t.err),
                a->gone[m] ? KEDGE_ENOTFOUND : KEDGE_OK);
    store_abort(&a->t.txn);
}

/* Batch after batch: what is left of each, and what leaves the archive. */
TEST(duplicates_are_skipped_or_replace_the_earlier)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        const kedge_on_duplicate rule =
            seed < 15 ? KEDGE_DUPLICATE_SKIP : KEDGE_DUPLICATE_REPLACE;
        chance c = {.key = ~seed};
        uint64_t skipped = 0, replaced = 0;
        SESSION(s, seed % 15, rule);
        for (int round = 0; round < 6; round++) {
            outcome o;
            make_batch(&s.b.docs, &s.a, &c, round % 2 == 0);
            foresee(&o, &s.a, &s.b.docs, rule);
            ck_ok(check(&s), s.a.t.err);
            docs_drop(&s.b.docs, 0, s.d.out, s.d.outs);
            ck_assert(scene_same_docs(&s.b.docs, &o.left));
            skipped += o.skipped;
            replaced += o.replaced;
            ck_assert_uint_eq(s.d.skipped, skipped);
            ck_assert_uint_eq(s.d.replaced, replaced);
            if (s.d.olds > 0)
                replace(&s);
            for (size_t m = 0; m < s.a.d.count; m++)
                s.a.gone[m] |= o.leaves[m];
            check_gone(&s.a);
            docs_free(&o.left);
        }
    }
}

/* What is said of the first document whose id is there already. */
static const char *first_refusal(const archive *a, const docs *d,
                                 char said[256])
{
    for (size_t m = 0; m < d->count; m++) {
        const size_t old = stored(a, docs_id(d, m));
        size_t before = 0;
        while (before < m && (docs_id(d, m).size == 0 ||
                              !span_equal(docs_id(d, before), docs_id(d, m))))
            before++;
        if (before == m && old == SIZE_MAX)
            continue;
        snprintf(said, 256,
                 "new.jsonl:%u: the store has document \"%.*s\" already, from "
                 "%s:%u; use --on-duplicate",
                 (unsigned)d->position[m], (int)docs_id(d, m).size,
                 docs_id(d, m).bytes, before < m ? "new.jsonl" : "source",
                 (unsigned)(before < m ? d->position[before]
                                       : a->d.position[old]));
        return said;
    }
    return NULL;
}

TEST(duplicates_are_an_error)
{
    char said[256];
    unsigned seen[3] = {0};

    SESSION(s, 1, KEDGE_DUPLICATE_ERROR);
    for (uint64_t seed = 0; seed < 200; seed++) {
        docs *const d = &s.b.docs;
        chance c = {.key = seed};
        outcome o;
        make_batch(d, &s.a, &c, seed % 3 == 0);
        d->count = d->count > seed % 15 ? seed % 15 : d->count;
        foresee(&o, &s.a, d, KEDGE_DUPLICATE_ERROR);
        const size_t before = d->count;
        const kedge_status st = check(&s);
        if (o.within || o.against)
            ck_fails(st, KEDGE_EFORMAT, s.a.t.err,
                     first_refusal(&s.a, d, said));
        else
            ck_ok(st, s.a.t.err);
        ck_assert_uint_eq(d->count, before);
        seen[o.within ? 0 : o.against ? 1 : 2]++;
        docs_free(&o.left);
    }
    for (int k = 0; k < 3; k++)
        ck_assert_uint_gt(seen[k], 1);
}

static void add_named(session *s, uint32_t m, span id)
{
    docs *const d = &s->b.docs;

    ck_assert(docs_begin(d, m + 1) && docs_push(d, m, 1) &&
              docs_set_name(d, id, span_of("", 0)));
}

TEST(a_long_id_is_shown_in_part)
{
    char id[200];

    memset(id, 'x', sizeof id);
    SESSION(s, 3, KEDGE_DUPLICATE_ERROR);
    for (uint32_t m = 0; m < 2; m++)
        add_named(&s, m, span_of(id, sizeof id));
    ck_fails(check(&s), KEDGE_EFORMAT, s.a.t.err,
             "new.jsonl:2: the store has document \"xxx");
    ck_assert_ptr_nonnull(strstr(s.a.t.err.text,
                                 "xxx\" already, from "
                                 "new.jsonl:1; use --on-duplicate skip"));
    ck_assert_uint_lt(strlen(s.a.t.err.text), 240);
}

TEST(checking_without_memory)
{
    for (int rule = 0; rule < 2; rule++)
        GATE_LOOP {
            chance c = {.key = 11};
            SESSION(s, 5, rule == 0 ? KEDGE_DUPLICATE_SKIP
                                    : KEDGE_DUPLICATE_REPLACE);
            make_batch(&s.b.docs, &s.a, &c, true);
            GATE_TRY(check(&s));
            scene_read(&s.a.t); /* no transaction was left open */
            store_abort(&s.a.t.txn);
        }
}

/* ---- whole ingests ------------------------------------------------------- */

TEST(documents_are_known_by_their_ids)
{
    static const size_t at_once[] = {1, 2, FILES};

    for (uint64_t seed = 0; seed < 12; seed++) {
        const kedge_on_duplicate rule =
            seed % 2 == 0 ? KEDGE_DUPLICATE_SKIP : KEDGE_DUPLICATE_REPLACE;
        papers w;
        PLANTED(p, PLANTED_DOCUMENTS);
        if (seed % 4 < 2)
            p.o.vocabulary = NULL;
        papers_make(&p, &w, seed, rule);
        ck_ok(papers_ingest(&p, &w, at_once[seed % 3]), p.t.err);
        ck_assert_uint_eq(p.r.duplicates, w.skipped);
        ck_assert_uint_eq(p.r.replaced, w.replaced);
        papers_check(&p, &w);
        ck_ok(papers_ingest(&p, &w, FILES), p.t.err); /* all known */
        ck_assert_uint_eq(p.r.documents + p.r.duplicates + p.r.replaced, 0);
        papers_check(&p, &w);
    }
}

/* The sources have what there is, and what left is told. */
static void check_ledger(planted *p)
{
    kedge_store_info info = planted_info(p);

    ck_assert_uint_gt(info.removed, 0);
    for (uint64_t i = 0; i < planted_info(p).sources; i++) {
        const kedge_source_info s = planted_source(p, i);
        info.documents -= s.documents;
        info.tokens -= s.tokens;
        info.nonzeros -= s.nonzeros;
        info.removed -= s.removed_documents;
    }
    ck_assert_uint_eq(info.documents | info.tokens | info.nonzeros, 0);
    ck_assert_uint_eq(info.removed, 0);
}

/* It leaves no trace in the sketch, nor in any model. */
TEST(what_was_replaced_was_never_there)
{
    papers w;
    kedge_model *m[2];

    PLANTED(p, PLANTED_DOCUMENTS);
    papers_make(&p, &w, 5, KEDGE_DUPLICATE_REPLACE);
    ck_assert_uint_gt(w.replaced, 10);
    ck_ok(papers_ingest(&p, &w, 1), p.t.err);
    check_ledger(&p);
    m[0] = planted_fit(&p, 4, NULL, NULL);
    planted_anew(&p);
    char path[96];
    FILE *f = planted_file(planted_path(&p, "left", path));
    for (size_t i = 0; i < FILES * LINES; i++) {
        const docs *d = &p.d;
        const size_t t = w.text[i];
        for (size_t k = d->start[t]; w.stays[i] && k < d->start[t + 1]; k++)
            fprintf(f, "%s\"w%03u\": %u%s",
                    k == d->start[t] ? "{\"text\": {" : ", ",
                    d->word[k] * 37 % PLANTED_WORDS, d->tally[k],
                    k + 1 == d->start[t + 1] ? "}}\n" : "");
    }
    ck_assert_int_eq(fclose(f), 0);
    ck_ok(planted_ingest(&p, path), p.t.err);
    m[1] = planted_fit(&p, 4, NULL, NULL);
    ck_assert(planted_same_numbers(kedge_model_probabilities(m[0]),
                                   kedge_model_probabilities(m[1]),
                                   4 * kedge_model_words(m[0])));
    ck_assert(planted_same_numbers(kedge_model_topic_cooccurrence(m[0]),
                                   kedge_model_topic_cooccurrence(m[1]), 16));
    kedge_model_free(m[0]);
    kedge_model_free(m[1]);
}
