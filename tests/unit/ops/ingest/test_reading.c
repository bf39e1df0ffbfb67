/* SPDX-License-Identifier: MIT */
#include "ops/ingest/reading.h"

#include <fcntl.h>

#include "base/fail.h"
#include "base/gate.h"
#include "ops/papers.h"
#include "ops/session.h"

TEST(documents_come_as_written)
{
    session s;
    uint64_t tokens = 0;

    PLANTED(p, PLANTED_DOCUMENTS);
    session_read(&s, &p, p.source);
    ck_assert(!s.out.last);
    ck_assert(scene_same_docs(&s.out.docs, &p.d));
    for (size_t m = 0; m < p.d.count; m++)
        tokens += p.d.length[m];
    ck_assert_uint_eq(s.out.part[0].source, 0);
    ck_assert_str_eq(s.out.part[0].record.name, p.source);
    ck_assert_uint_eq(s.out.part[0].record.words, PLANTED_WORDS);
    ck_assert_uint_eq(s.out.part[0].record.position, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(s.out.part[0].record.documents, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(s.out.part[0].record.tokens, tokens);
    ck_assert_uint_eq(s.out.part[0].record.nonzeros, docs_entries(&p.d));
    ck_assert(s.out.part[0].record.complete);
    ck_assert_uint_eq(s.in.sources, 1);
    session_next(&s);
    ck_assert(s.out.last);
    ck_assert_uint_eq(s.out.docs.count, 0);
    ck_assert_uint_eq(s.out.digest[0] | s.out.digest[1], 0);
    session_close(&s);
}

/* From the formulas of the format's description: of the first documents. */
static uint64_t chain_of(const docs *d, size_t count)
{
    uint64_t chain = 0;

    for (size_t m = 0; m < count; m++)
        chain = hash_mix(chain + hash_mix(planted_digest(d, m) +
                                          (m + 1) * HASH_GOLDEN));
    return chain;
}

/* What the ledger has of a source, what the file has by now, and what becomes
 * of it: the entry that it goes on with, and how many documents come. A head is
 * of sixteen documents; of fewer, only the same name may grow. */
TEST(sources_are_known_by_their_beginnings)
{
    enum { ALL = PLANTED_DOCUMENTS };
    static const struct {
        size_t had;
        bool complete, removed, moved, other_head, other_digest;
        size_t has, comes;
        uint32_t source;
    } cases[] = {
        {.had = 100, .has = ALL, .comes = ALL - 100},
        {.had = 100, .complete = true, .has = ALL, .comes = ALL - 100},
        {.had = 100, .other_digest = true, .has = ALL, .comes = ALL,
         .source = 1},
        {.had = 100, .other_head = true, .has = ALL, .comes = ALL,
         .source = 1},
        {.had = 100, .has = 60, .comes = 60, .source = 1},
        {.had = ALL, .complete = true, .moved = true, .has = ALL},
        {.had = ALL, .complete = true, .removed = true, .has = ALL,
         .comes = ALL, .source = 1},
        {.had = 1, .complete = true, .has = ALL, .comes = ALL - 1},
        {.had = 15, .complete = true, .has = ALL, .comes = ALL - 15},
        {.had = 1, .complete = true, .moved = true, .has = ALL, .comes = ALL,
         .source = 1},
        {.had = 15, .complete = true, .moved = true, .has = ALL, .comes = ALL,
         .source = 1},
        {.had = 16, .complete = true, .moved = true, .has = ALL,
         .comes = ALL - 16},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t has = cases[i].has, comes = cases[i].comes;
        session s;
        PLANTED(p, ALL);
        store_source record = interrupted(&p, cases[i].had);
        record.complete = cases[i].complete;
        record.removed = cases[i].removed;
        record.head += cases[i].other_head;
        record.digest += cases[i].other_digest;
        if (cases[i].moved)
            snprintf(record.name, sizeof record.name, "elsewhere");
        put_record(&p, 0, &record);
        planted_write(p.source, &p.d, 0, has, false);
        session_read(&s, &p, p.source);
        const batch_part *const part = s.out.part;
        ck_assert_msg(part->source == cases[i].source, "case %zu", i);
        ck_assert_uint_eq(s.out.docs.count, comes);
        if (comes > 0)
            ck_assert_uint_eq(s.out.docs.position[0], has - comes + 1);
        ck_assert_uint_eq(part->record.documents, has);
        ck_assert_uint_eq(part->record.head,
                          chain_of(&p.d, has < 16 ? has : 16));
        ck_assert_uint_eq(part->record.digest, chain_of(&p.d, has));
        ck_assert(part->record.complete);
        ck_assert_uint_eq(s.in.resumed, has - comes);
        ck_assert_uint_eq(s.in.sources_known, comes == 0);
        ck_assert_uint_eq(s.in.sources, comes > 0);
        if (cases[i].moved && cases[i].source == 0)
            ck_assert_str_eq(part->record.name, "elsewhere");
        session_close(&s);
    }
}

TEST(nothing_is_a_source_too)
{
    session s;

    PLANTED(p, 20);
    planted_write(p.source, &p.d, 0, 0, false);
    session_read(&s, &p, p.source);
    ck_assert_uint_eq(s.out.docs.count, 0);
    ck_assert_uint_eq(s.out.part[0].record.head, 0);
    ck_assert(s.out.part[0].record.complete);
    session_commit(&s);
    session_close(&s);
    planted_write(p.source, &p.d, 0, 20, false); /* it was not like this */
    session_read(&s, &p, p.source);
    ck_assert_uint_eq(s.out.part[0].source, 1);
    ck_assert_uint_eq(s.out.docs.count, 20);
    session_close(&s);
}

TEST(earlier_entries_of_a_name_are_tried_too)
{
    session s;

    PLANTED(p, PLANTED_DOCUMENTS);
    const store_source record = interrupted(&p, 100);
    store_source other = interrupted(&p, 50);
    other.digest++;
    put_record(&p, 0, &record);
    put_record(&p, 1, &other);
    session_read(&s, &p, p.source);
    ck_assert_uint_eq(s.out.part[0].source, 0);
    ck_assert_uint_eq(s.out.docs.position[0], 101);
    session_close(&s);
}

static void stdin_from(const char *path)
{
    const int fd = open(path, O_RDONLY);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(dup2(fd, 0), 0);
    close(fd);
}

TEST(a_pipe_is_named_by_its_beginning)
{
    session s;
    char name[256];

    PLANTED(p, PLANTED_DOCUMENTS);
    p.o.format = KEDGE_FORMAT_UCI;
    stdin_from(p.source);
    session_read(&s, &p, "-");
    ck_assert_uint_eq(s.out.docs.count, PLANTED_DOCUMENTS);
    ck_assert_int_eq(strncmp(s.out.part[0].record.name, "-#", 2), 0);
    ck_assert_uint_eq(strlen(s.out.part[0].record.name), 18);
    ck_assert_uint_eq(strspn(s.out.part[0].record.name + 2,
                             "0123456789abcdef"), 16);
    memcpy(name, s.out.part[0].record.name, sizeof name);
    session_commit(&s);
    session_close(&s);
    stdin_from(p.source); /* the same again: nothing new */
    session_read(&s, &p, "-");
    ck_assert_uint_eq(s.out.docs.count, 0);
    ck_assert_uint_eq(s.in.sources_known, 1);
    ck_assert_uint_eq(s.in.resumed, PLANTED_DOCUMENTS);
    session_close(&s);
    planted_write(p.source, &p.d, 1, PLANTED_DOCUMENTS, false);
    stdin_from(p.source); /* another one */
    session_read(&s, &p, "-");
    ck_assert_uint_eq(s.out.part[0].source, 1);
    ck_assert_str_ne(s.out.part[0].record.name, name);
    session_close(&s);
}

#define MANY (WINDOW_DOCUMENTS + 100)

static void write_many(const char *path, unsigned last_tally)
{
    FILE *f = planted_file(path);

    fprintf(f, "%d\n%d\n%d\n", MANY, PLANTED_WORDS, MANY);
    for (int m = 1; m < MANY; m++)
        fprintf(f, "%d %d 5\n", m, 1 + m % PLANTED_WORDS);
    fprintf(f, "%d 1 %u\n", MANY, last_tally);
    ck_assert_int_eq(fclose(f), 0);
}

TEST(a_pipe_that_goes_on_differently_is_refused)
{
    session s;

    PLANTED(p, 8);
    p.o.format = KEDGE_FORMAT_UCI;
    write_many(p.source, 5);
    stdin_from(p.source);
    session_begin(&s, &p, "-");
    for (session_next(&s); !s.out.last; session_next(&s))
        session_commit(&s);
    ck_assert_uint_eq(s.in.sources, 1);
    session_close(&s);
    write_many(p.source, 6);
    stdin_from(p.source);
    session_begin(&s, &p, "-");
    ck_fails(reading_next(&s.in, &s.out, &p.t.err), KEDGE_EINVAL, p.t.err,
             "continues differently");
    session_close(&s);
}

TEST(new_words_come_after_the_stored_in_the_file_s_order)
{
    session s;

    PLANTED(p, 8);
    planted_fill(&p);
    planted_text(p.vocabulary, "zz\nw001\naa\nw0010\n");
    session_begin(&s, &p, p.source);
    ck_assert_uint_eq(s.w.count, PLANTED_WORDS + 3);
    ck_assert_uint_eq(s.in.map[0], PLANTED_WORDS);
    ck_assert_str_eq(words_get(&s.w, s.in.map[1]), "w001");
    ck_assert_uint_lt(s.in.map[1], PLANTED_WORDS);
    ck_assert_uint_eq(s.in.map[2], PLANTED_WORDS + 1);
    ck_assert_uint_eq(s.in.map[3], PLANTED_WORDS + 2);
    ck_assert_str_eq(words_get(&s.w, PLANTED_WORDS + 2), "w0010");
    session_close(&s);
}

TEST(what_is_not_there_is_told)
{
    session s;

    PLANTED(p, 8);
    session_begin(&s, &p, "/nowhere/at/all");
    ck_assert_int_eq(reading_next(&s.in, &s.out, &p.t.err), KEDGE_EIO);
    ck_assert_ptr_nonnull(strstr(p.t.err.text, "/nowhere/at/all"));
    session_close(&s);
    p.o.vocabulary = "/nowhere/words";
    ck_assert_int_eq(session_open(&s, &p, p.source), KEDGE_EIO);
    ck_assert_ptr_nonnull(strstr(p.t.err.text, "/nowhere/words"));
    session_close(&s);
    p.o.vocabulary = NULL; /* which is known to be needed once it is read */
    session_begin(&s, &p, p.source);
    ck_fails(reading_next(&s.in, &s.out, &p.t.err), KEDGE_EINVAL, p.t.err,
             "--vocab");
    session_close(&s);
}

/* ---- texts --------------------------------------------------------------- */

TEST(words_of_texts_are_numbered_as_they_come)
{
    planted p OWN(planted_end);
    session s;
    char id[32];

    texts_begin(&p);
    session_read(&s, &p, p.source);
    ck_assert_uint_eq(s.out.docs.count, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(s.w.count, 0); /* not yet: it may be in use */
    ck_ok(reading_learn(&s.in, &p.t.err), p.t.err);
    ck_assert_uint_eq(s.w.count, s.in.lexicon.count);
    for (size_t m = 0, next = 0; m < p.d.count; m++) {
        uint32_t tally[PLANTED_WORDS] = {0};
        const docs *b = &s.out.docs;
        snprintf(id, sizeof id, "d%zu", m);
        ck_assert(span_equal(docs_id(b, m), span_text(id)));
        ck_assert_uint_eq(b->length[m], p.d.length[m]);
        for (size_t k = b->start[m]; k < b->start[m + 1]; k++) {
            tally[word_number(&s.w, b->word[k])] = b->tally[k];
            ck_assert(k == b->start[m] || b->word[k] > b->word[k - 1]);
            ck_assert_uint_le(b->word[k], next); /* no number left out */
            next += b->word[k] == next;
        }
        for (size_t k = p.d.start[m]; k < p.d.start[m + 1]; k++)
            ck_assert_uint_eq(tally[p.d.word[k]], p.d.tally[k]);
    }
    session_close(&s);
}

/* Digests are of the words' bytes, so it does not matter how they are
 * numbered: the rest of an interrupted source is found. */
TEST(texts_go_on_where_they_were)
{
    planted p OWN(planted_end);
    session s;
    words known = {0};
    char path[96];

    texts_begin(&p);
    p.o.batch = "first";
    write_texts(planted_path(&p, "head", path), &p.d, 0, 77);
    session_read(&s, &p, path);
    store_source record = s.out.part[0].record;
    record.complete = false;
    ck_ok(reading_learn(&s.in, &p.t.err), p.t.err);
    for (size_t i = s.w.count; i-- > 0;)
        ck_assert(words_add(&known, words_get(&s.w, i),
                            words_size(&s.w, i)));
    session_close(&s);
    ck_assert_str_eq(record.batch, "first");
    ck_assert_uint_eq(record.words, 0);
    scene_write(&p.t);
    scene_put_words(&p.t, &known, 0);
    scene_commit(&p.t);
    put_record(&p, 0, &record);
    p.o.batch = "second"; /* it stays in the batch that it began in */
    session_begin(&s, &p, p.source);
    ck_fails(reading_next(&s.in, &s.out, &p.t.err), KEDGE_EINVAL, p.t.err,
             "in batch \"first\": leave out --batch second, or");
    session_close(&s);
    p.o.batch = NULL;
    session_read(&s, &p, p.source);
    ck_assert_uint_eq(s.out.part[0].source, 0);
    ck_assert_uint_eq(s.out.docs.position[0], 78);
    ck_assert_uint_eq(s.in.resumed, 77);
    ck_assert_uint_eq(s.out.part[0].record.documents, PLANTED_DOCUMENTS);
    ck_assert_str_eq(s.out.part[0].record.batch, "first");
    session_close(&s);
    words_free(&known);
}

/* A record of the first documents, read with their order or as bags; its name
 * is that of the whole. */
static store_source texts_interrupted(planted *p, size_t count, bool bags)
{
    char path[96];
    session s;
    store_source record;

    write_texts(planted_path(p, "head", path), &p->d, 0, count);
    p->o.bags_only = bags;
    session_read(&s, p, path);
    record = s.out.part[0].record;
    ck_assert_int_eq(docs_symbols(&s.out.docs) == 0, bags);
    session_close(&s);
    ck_assert_uint_eq(record.position, count);
    record.complete = false;
    snprintf(record.name, sizeof record.name, "%s", p->source);
    return record;
}

static void check_goes_on(planted *p, size_t count, bool bags)
{
    session s;

    session_read(&s, p, p->source);
    ck_assert_uint_eq(s.out.part[0].source, 0);
    ck_assert_uint_eq(s.out.docs.position[0], count + 1);
    ck_assert_uint_eq(s.in.resumed, count);
    ck_assert_uint_eq(s.out.part[0].record.documents, PLANTED_DOCUMENTS);
    for (size_t m = 0; m < s.out.docs.count; m++)
        ck_assert_int_eq(docs_order_size(&s.out.docs, m) == 0, bags);
    session_commit(&s);
    session_close(&s);
    for (int other = 0; other < 2; other++) { /* now it is complete */
        p->o.bags_only = other != 0;
        session_read(&s, p, p->source);
        ck_assert_uint_eq(s.out.docs.count, 0);
        ck_assert_uint_eq(s.in.sources_known, 1);
        session_close(&s);
    }
}

/* Fewer documents than a head has, as many, and more; asked for in the same
 * way and in the other. */
TEST(texts_go_on_as_they_began)
{
    static const size_t count[] = {3, 16, 77};

    for (unsigned i = 0; i < 12; i++) {
        const bool bags = i % 2 == 1, asked = i / 2 % 2 == 1;
        planted p OWN(planted_end);
        texts_begin(&p);
        const store_source record = texts_interrupted(&p, count[i / 4], bags);
        put_record(&p, 0, &record);
        p.o.bags_only = asked;
        check_goes_on(&p, count[i / 4], bags);
    }
}

/* Of documents that are not stored after all, the ledger counts none; of the
 * source, whether it is still open or not, and of no other. */
TEST(what_is_not_stored_is_discounted)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    store_source record = interrupted(&p, 100);
    record.name[0] = 'x';
    record.head = 1;
    put_record(&p, 0, &record); /* another one */
    session s;
    session_read(&s, &p, p.source); /* which reads it to its end */
    const store_source before = s.out.part[0].record;
    ck_assert_uint_eq(s.in.known, 2);
    static const uint32_t out[] = {0, 2, 3, 4, 5};
    uint64_t tokens = 0, entries = 0;
    for (size_t k = 0; k < 3; k++) {
        tokens += s.out.docs.length[out[k]];
        entries += s.out.docs.start[out[k] + 1] - s.out.docs.start[out[k]];
    }
    reading_discount(&s.in, &s.out, out, 3);
    ck_assert_uint_eq(s.out.part[0].record.documents, before.documents - 3);
    ck_assert_uint_eq(s.out.part[0].record.tokens, before.tokens - tokens);
    ck_assert_uint_eq(s.out.part[0].record.nonzeros,
                      before.nonzeros - entries);
    ck_assert_uint_eq(s.out.part[0].record.digest, before.digest);
    ck_assert_uint_eq(s.out.part[0].record.position, before.position);
    ck_assert_uint_eq(s.in.ledger[1].documents, before.documents - 3);
    ck_assert_uint_eq(s.in.ledger[0].documents, record.documents);
    session_close(&s);
    write_many(p.source, 5); /* which takes two slots */
    session_read(&s, &p, p.source);
    const uint64_t first = s.out.docs.count;
    reading_discount(&s.in, &s.out, out, 5);
    session_next(&s);
    ck_assert_uint_eq(s.out.part[0].record.documents, MANY - 5);
    ck_assert_uint_eq(s.out.part[0].record.tokens, 5 * (MANY - 5));
    ck_assert_uint_eq(s.out.docs.count, MANY - first);
    session_close(&s);
}

static kedge_status open_and_take(session *s)
{
    planted *const p = s->p;

    PASS(reading_open(&s->in, p->t.s, &s->w, &p->o, &p->c, &p->t.err));
    return reading_next(&s->in, &s->out, &p->t.err);
}

TEST(taking_in_without_memory)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    planted_write(p.source, &p.d, 0, 100, true);
    planted_write_words(p.vocabulary, PLANTED_WORDS, true);
    GATE_LOOP {
        session s = {.p = &p, .path = p.source};
        s.in.path.given = &s.path;
        s.in.path.count = 1;
        scene_read(&p.t);
        ck_ok(store_get_words(p.t.txn, &s.w, &p.t.err), p.t.err);
        store_abort(&p.t.txn);
        GATE_TRY(open_and_take(&s));
        session_close(&s);
    }
}
