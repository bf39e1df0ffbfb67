/* SPDX-License-Identifier: MIT */
#include "pipeline/intake/identity.h"

#include "base/gate.h"
#include "pipeline/archive.h"
#include "pipeline/papers.h"

/* A slot's batch: some documents without an id, some with ids that the archive
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

/* What a slot replaces leaves the store, in its own transaction. */
static void replace(archive *a, identity *i)
{
    archive_sums s;
    removal r = {.digests = &a->g, .tf = s.tf, .df = s.df, .totals = &s.totals};
    store_totals now;

    archive_count(a, &s);
    scene_write(&a->t);
    r.txn = a->t.txn;
    ck_ok(store_get_totals(a->t.txn, &now, &a->t.err), a->t.err);
    s.totals.removals = now.removals;
    ck_ok(identity_replace(i, &r, &a->t.err), a->t.err);
    ck_ok(store_put_totals(a->t.txn, &s.totals, &a->t.err), a->t.err);
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

static void check_rule(kedge_on_duplicate rule, uint64_t seed)
{
    archive a;
    chance c = {.key = ~seed};
    docs batch = {0};
    archive_begin(&a, seed, true);
    const slot_part part = {0};
    identity i = {.s = a.t.s, .part = &part, .parts = 1, .rule = rule};
    uint64_t skipped = 0, replaced = 0;

    for (int round = 0; round < 6; round++) {
        outcome o;
        make_batch(&batch, &a, &c, round % 2 == 0);
        foresee(&o, &a, &batch, rule);
        ck_ok(identity_check(&i, &batch, &a.t.err), a.t.err);
        docs_drop(&batch, 0, i.out, i.outs);
        ck_assert(scene_same_docs(&batch, &o.left));
        skipped += o.skipped;
        replaced += o.replaced;
        ck_assert_uint_eq(i.skipped, skipped);
        ck_assert_uint_eq(i.replaced, replaced);
        if (i.olds > 0)
            replace(&a, &i);
        for (size_t m = 0; m < a.d.count; m++)
            a.gone[m] |= o.leaves[m];
        check_gone(&a);
        docs_free(&o.left);
    }
    identity_free(&i);
    docs_free(&batch);
    archive_end(&a);
}

START_TEST(duplicates_are_skipped)
{
    for (uint64_t seed = 0; seed < 15; seed++)
        check_rule(KEDGE_DUPLICATE_SKIP, seed);
}
END_TEST

START_TEST(duplicates_replace_the_earlier)
{
    for (uint64_t seed = 0; seed < 15; seed++)
        check_rule(KEDGE_DUPLICATE_REPLACE, seed);
}
END_TEST

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
                 "new.jsonl:%u: document \"%.*s\" is there already, from "
                 "%s:%u; --on-duplicate",
                 (unsigned)d->position[m], (int)docs_id(d, m).size,
                 docs_id(d, m).bytes, before < m ? "new.jsonl" : "source",
                 (unsigned)(before < m ? d->position[before]
                                       : a->d.position[old]));
        return said;
    }
    return NULL;
}

START_TEST(duplicates_are_an_error)
{
    char said[256];
    archive a;
    docs batch = {0};
    unsigned seen[3] = {0};

    archive_begin(&a, 1, true);
    const slot_part part = {.record.name = "new.jsonl"};
    identity i = {.s = a.t.s, .part = &part, .parts = 1,
                  .rule = KEDGE_DUPLICATE_ERROR};
    for (uint64_t seed = 0; seed < 200; seed++) {
        chance c = {.key = seed};
        outcome o;
        make_batch(&batch, &a, &c, seed % 3 == 0);
        batch.count = batch.count > seed % 15 ? seed % 15 : batch.count;
        foresee(&o, &a, &batch, KEDGE_DUPLICATE_ERROR);
        const size_t before = batch.count;
        const kedge_status st = identity_check(&i, &batch, &a.t.err);
        if (o.within || o.against)
            ck_fails(st, KEDGE_EFORMAT, a.t.err,
                     first_refusal(&a, &batch, said));
        else
            ck_ok(st, a.t.err);
        ck_assert_uint_eq(batch.count, before);
        seen[o.within ? 0 : o.against ? 1 : 2]++;
        docs_free(&o.left);
    }
    for (int k = 0; k < 3; k++)
        ck_assert_uint_gt(seen[k], 1);
    identity_free(&i);
    docs_free(&batch);
    archive_end(&a);
}
END_TEST

/* Three times in one slot, and in the store before: the last stays. */
START_TEST(replaced_again_within_a_slot)
{
    archive a;
    docs batch = {0};
    size_t old = 0;

    archive_begin(&a, 3, true);
    while (docs_id(&a.d, old).size == 0)
        old++;
    const slot_part part = {0};
    identity i = {.s = a.t.s, .part = &part, .parts = 1,
                  .rule = KEDGE_DUPLICATE_REPLACE};
    for (uint32_t m = 0; m < 3; m++)
        ck_assert(docs_begin(&batch, m + 1) && docs_push(&batch, m, 1) &&
                  docs_set_name(&batch, docs_id(&a.d, old), span_of("", 0)));
    ck_ok(identity_check(&i, &batch, &a.t.err), a.t.err);
    docs_drop(&batch, 0, i.out, i.outs);
    ck_assert_uint_eq(batch.count, 1);
    ck_assert_uint_eq(batch.word[0], 2);
    ck_assert_uint_eq(batch.position[0], 3);
    ck_assert_uint_eq(i.olds, 1); /* once, though replaced thrice */
    ck_assert_uint_eq(i.replaced, 3);
    replace(&a, &i);
    a.gone[old] = true;
    check_gone(&a);
    identity_free(&i);
    docs_free(&batch);
    archive_end(&a);
}
END_TEST

START_TEST(a_long_id_is_shown_in_part)
{
    archive a;
    docs batch = {0};
    char id[200];

    memset(id, 'x', sizeof id);
    archive_begin(&a, 3, true);
    const slot_part part = {.record.name = "new.jsonl"};
    identity i = {.s = a.t.s, .part = &part, .parts = 1};
    for (uint64_t m = 0; m < 2; m++)
        ck_assert(docs_begin(&batch, m + 1) && docs_push(&batch, 1, 1) &&
                  docs_set_name(&batch, span_of(id, sizeof id),
                                span_of("", 0)));
    ck_fails(identity_check(&i, &batch, &a.t.err), KEDGE_EFORMAT, a.t.err,
             "new.jsonl:2: document \"xxx");
    ck_assert_ptr_nonnull(strstr(a.t.err.text,
                                 "xxx\" is there already, from "
                                 "new.jsonl:1; --on-duplicate skip"));
    ck_assert_uint_lt(strlen(a.t.err.text), 240);
    identity_free(&i);
    docs_free(&batch);
    archive_end(&a);
}
END_TEST

START_TEST(telling_apart_without_memory)
{
    static const kedge_on_duplicate rules[] = {KEDGE_DUPLICATE_SKIP,
                                               KEDGE_DUPLICATE_REPLACE};
    archive a;

    archive_begin(&a, 5, true);
    for (size_t r = 0; r < 2; r++) {
        kedge_status st = KEDGE_ENOMEM;
        long k = 0;
        for (; st != KEDGE_OK; k++) {
            const slot_part part = {0};
            identity i = {.s = a.t.s, .part = &part, .parts = 1,
                          .rule = rules[r]};
            chance c = {.key = 11};
            docs batch = {0};
            make_batch(&batch, &a, &c, true);
            gate_allow(k);
            st = identity_check(&i, &batch, &a.t.err);
            gate_open();
            ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
            identity_free(&i);
            docs_free(&batch);
            scene_read(&a.t); /* no transaction was left open */
            store_abort(&a.t.txn);
        }
        ck_assert_int_gt(k, 4);
    }
    archive_end(&a);
}
END_TEST

/* ---- whole ingests ------------------------------------------------------- */

START_TEST(documents_are_known_by_their_ids)
{
    static const size_t at_once[] = {1, 2, FILES};

    for (uint64_t seed = 0; seed < 12; seed++) {
        const kedge_on_duplicate rule =
            seed % 2 == 0 ? KEDGE_DUPLICATE_SKIP : KEDGE_DUPLICATE_REPLACE;
        planted p;
        papers w;
        planted_begin(&p, PLANTED_DOCUMENTS);
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
        planted_end(&p);
    }
}
END_TEST

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
START_TEST(what_was_replaced_was_never_there)
{
    planted p;
    papers w;
    kedge_model *m[2];

    planted_begin(&p, PLANTED_DOCUMENTS);
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
    ck_assert(planted_same_numbers(kedge_model_correlations(m[0]),
                                   kedge_model_correlations(m[1]), 16));
    kedge_model_free(m[0]);
    kedge_model_free(m[1]);
    planted_end(&p);
}
END_TEST

START_TEST(an_id_that_is_there_stops_it)
{
    planted p;
    papers w;

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.o.vocabulary = NULL;
    papers_make(&p, &w, 1, KEDGE_DUPLICATE_ERROR);
    ck_fails(papers_ingest(&p, &w, 1), KEDGE_EFORMAT, p.t.err,
             "is there already, from ");
    ck_assert_uint_eq(planted_info(&p).documents, 0);
    ck_assert_uint_eq(p.r.documents, 0);
    planted_end(&p);
}
END_TEST

UNIT_SUITE("identity",
    duplicates_are_skipped,
    duplicates_replace_the_earlier,
    duplicates_are_an_error,
    replaced_again_within_a_slot,
    a_long_id_is_shown_in_part,
    telling_apart_without_memory,
    documents_are_known_by_their_ids,
    what_was_replaced_was_never_there,
    an_id_that_is_there_stops_it)
