/* SPDX-License-Identifier: MIT */
#include "pipeline/intake.h"

#include <fcntl.h>

#include "base/gate.h"
#include "pipeline/planted.h"

/* An intake over one source, with slots that are committed by hand. */
typedef struct session {
    planted *p;
    words w;
    intake in;
    slot out;
    const char *path;
} session;

static kedge_status session_open(session *s, planted *p, const char *path)
{
    *s = (session){.p = p, .path = path};
    s->in.path = &s->path;
    s->in.paths = 1;
    scene_read(&p->t);
    ck_ok(store_get_words(p->t.s, &s->w, &p->t.err), p->t.err);
    store_abort(p->t.s);
    return intake_open(&s->in, p->t.s, &s->w, &p->o, &p->c, &p->t.err);
}

static void session_close(session *s)
{
    intake_close(&s->in);
    slot_free(&s->out);
    words_free(&s->w);
}

static void session_begin(session *s, planted *p, const char *path)
{
    ck_ok(session_open(s, p, path), p->t.err);
}

static void session_next(session *s)
{
    ck_ok(intake_next(&s->in, &s->out, &s->p->t.err), s->p->t.err);
}

/* What ingestion writes of the slot, as far as the next intake reads it. */
static void session_commit(session *s)
{
    store_totals totals;

    scene_write(&s->p->t);
    ck_ok(store_get_totals(s->p->t.s, &totals, &s->p->t.err), s->p->t.err);
    if (totals.sources <= s->out.source)
        totals.sources = s->out.source + 1;
    ck_ok(store_put_source(s->p->t.s, s->out.source, &s->out.record,
                           &s->p->t.err), s->p->t.err);
    ck_ok(store_put_totals(s->p->t.s, &totals, &s->p->t.err), s->p->t.err);
    scene_commit(&s->p->t);
}

/* A record as of an interruption after `count` documents of the corpus. */
static store_source interrupted(planted *p, size_t count)
{
    char path[96];
    session s;
    store_source record;

    planted_write(planted_path(p, "head", path), &p->d, 0, count, false);
    session_begin(&s, p, path);
    session_next(&s);
    record = s.out.record;
    session_close(&s);
    ck_assert_uint_eq(record.position, count);
    record.complete = false;
    snprintf(record.name, sizeof record.name, "%s", p->source);
    return record;
}

static void put_record(planted *p, uint64_t number,
                       const store_source *record)
{
    session s = {.p = p, .out = {.source = (uint32_t)number,
                                 .record = *record}};

    session_commit(&s);
}

START_TEST(documents_come_as_written)
{
    planted p;
    session s;
    uint64_t tokens = 0;

    planted_begin(&p, PLANTED_DOCUMENTS);
    session_begin(&s, &p, p.source);
    session_next(&s);
    ck_assert(!s.out.last);
    ck_assert(scene_same_docs(&s.out.batch, &p.d));
    for (size_t m = 0; m < p.d.count; m++)
        tokens += p.d.length[m];
    ck_assert_uint_eq(s.out.source, 0);
    ck_assert_str_eq(s.out.record.name, p.source);
    ck_assert_uint_eq(s.out.record.words, PLANTED_WORDS);
    ck_assert_uint_eq(s.out.record.position, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(s.out.record.documents, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(s.out.record.tokens, tokens);
    ck_assert_uint_eq(s.out.record.nonzeros, docs_entries(&p.d));
    ck_assert(s.out.record.complete);
    ck_assert_uint_eq(s.in.sources, 1);
    session_next(&s);
    ck_assert(s.out.last);
    ck_assert_uint_eq(s.out.batch.count, 0);
    ck_assert_uint_eq(s.out.digest[0] | s.out.digest[1], 0);
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(digests_are_sums_over_documents)
{
    planted p;
    session s;
    char path[96];
    uint64_t sum[2] = {0, 0};

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_path(&p, "part", path);
    for (size_t i = 4; i-- > 0;) {
        planted_write(path, &p.d, 60 * i, 60 * i + 60, i % 2 == 1);
        planted_write_words(p.vocabulary, PLANTED_WORDS, i % 2 == 1);
        session_begin(&s, &p, path);
        session_next(&s);
        sum[0] += s.out.digest[0];
        sum[1] += s.out.digest[1];
        session_close(&s);
    }
    planted_write_words(p.vocabulary, PLANTED_WORDS, false);
    session_begin(&s, &p, p.source);
    session_next(&s);
    ck_assert_uint_eq(s.out.digest[0], sum[0]);
    ck_assert_uint_eq(s.out.digest[1], sum[1]);
    session_close(&s);
    planted_end(&p);
}
END_TEST

/* From the formulas of the format's description. */
START_TEST(digests_are_those_of_the_format)
{
    planted p;
    session s;
    uint64_t chain = 0, digest[2] = {0, 0};

    planted_begin(&p, 12);
    session_begin(&s, &p, p.source);
    session_next(&s);
    for (size_t m = 0; m < p.d.count; m++) {
        const uint64_t sum = planted_digest(&p.d, m);
        digest[0] += sum;
        digest[1] += hash_mix(sum);
        chain = hash_mix(chain + hash_mix(sum + (m + 1) * HASH_GOLDEN));
    }
    ck_assert_uint_eq(s.out.digest[0], digest[0]);
    ck_assert_uint_eq(s.out.digest[1], digest[1]);
    ck_assert_uint_eq(s.out.record.digest, chain);
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(an_interrupted_source_goes_on_by_position)
{
    planted p;
    session s;
    uint64_t whole;

    planted_begin(&p, PLANTED_DOCUMENTS);
    session_begin(&s, &p, p.source);
    session_next(&s);
    whole = s.out.record.digest;
    session_close(&s);
    const store_source record = interrupted(&p, 100);
    put_record(&p, 0, &record);
    session_begin(&s, &p, p.source);
    session_next(&s);
    ck_assert_uint_eq(s.out.source, 0);
    ck_assert_uint_eq(s.out.batch.count, PLANTED_DOCUMENTS - 100);
    ck_assert_uint_eq(s.out.batch.position[0], 101);
    ck_assert_uint_eq(s.out.batch.length[0], p.d.length[100]);
    ck_assert_uint_eq(s.out.record.digest, whole);
    ck_assert_uint_eq(s.out.record.documents, PLANTED_DOCUMENTS);
    ck_assert(s.out.record.complete);
    ck_assert_uint_eq(s.in.resumed, 100);
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(another_beginning_is_another_source)
{
    planted p;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    store_source record = interrupted(&p, 100);
    record.digest++;
    put_record(&p, 0, &record);
    session_begin(&s, &p, p.source);
    session_next(&s);
    ck_assert_uint_eq(s.out.source, 1);
    ck_assert_uint_eq(s.out.batch.count, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(s.out.record.documents, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(s.in.resumed, 0);
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(earlier_entries_of_a_name_are_tried_too)
{
    planted p;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    const store_source record = interrupted(&p, 100);
    store_source other = interrupted(&p, 50);
    other.digest++;
    put_record(&p, 0, &record);
    put_record(&p, 1, &other);
    session_begin(&s, &p, p.source);
    session_next(&s);
    ck_assert_uint_eq(s.out.source, 0);
    ck_assert_uint_eq(s.out.batch.position[0], 101);
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(a_shorter_file_is_another_source)
{
    planted p;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    const store_source record = interrupted(&p, 100);
    put_record(&p, 0, &record);
    planted_write(p.source, &p.d, 0, 60, false);
    session_begin(&s, &p, p.source);
    session_next(&s);
    ck_assert_uint_eq(s.out.source, 1);
    ck_assert_uint_eq(s.out.batch.count, 60);
    session_close(&s);
    planted_end(&p);
}
END_TEST

/* A file that grew after it was read to its end goes on as well. */
START_TEST(a_longer_file_goes_on)
{
    planted p;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    store_source record = interrupted(&p, 100);
    record.complete = true;
    put_record(&p, 0, &record);
    session_begin(&s, &p, p.source);
    session_next(&s);
    ck_assert_uint_eq(s.out.source, 0);
    ck_assert_uint_eq(s.out.batch.count, PLANTED_DOCUMENTS - 100);
    ck_assert_uint_eq(s.in.sources, 1);
    ck_assert_uint_eq(s.in.sources_known, 0);
    session_close(&s);
    planted_end(&p);
}
END_TEST

static void stdin_from(const char *path)
{
    const int fd = open(path, O_RDONLY);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(dup2(fd, 0), 0);
    close(fd);
}

START_TEST(a_pipe_is_named_by_its_beginning)
{
    planted p;
    session s;
    char name[256];

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.o.format = KEDGE_FORMAT_UCI;
    stdin_from(p.source);
    session_begin(&s, &p, "-");
    session_next(&s);
    ck_assert_uint_eq(s.out.batch.count, PLANTED_DOCUMENTS);
    ck_assert_int_eq(strncmp(s.out.record.name, "-#", 2), 0);
    ck_assert_uint_eq(strlen(s.out.record.name), 18);
    ck_assert_uint_eq(strspn(s.out.record.name + 2, "0123456789abcdef"), 16);
    memcpy(name, s.out.record.name, sizeof name);
    session_commit(&s);
    session_close(&s);
    stdin_from(p.source); /* the same again: nothing new */
    session_begin(&s, &p, "-");
    session_next(&s);
    ck_assert_uint_eq(s.out.batch.count, 0);
    ck_assert_uint_eq(s.in.sources_known, 1);
    ck_assert_uint_eq(s.in.resumed, PLANTED_DOCUMENTS);
    session_close(&s);
    planted_write(p.source, &p.d, 1, PLANTED_DOCUMENTS, false);
    stdin_from(p.source); /* another one */
    session_begin(&s, &p, "-");
    session_next(&s);
    ck_assert_uint_eq(s.out.source, 1);
    ck_assert_str_ne(s.out.record.name, name);
    session_close(&s);
    planted_end(&p);
}
END_TEST

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

START_TEST(a_pipe_that_goes_on_differently_is_refused)
{
    planted p;
    session s;

    planted_begin(&p, 8);
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
    ck_fails(intake_next(&s.in, &s.out, &p.t.err), KEDGE_EINVAL, p.t.err,
             "goes on differently");
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(words_of_another_file_get_the_store_s_ids)
{
    planted p;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    planted_write(p.source, &p.d, 0, 100, true);
    planted_write_words(p.vocabulary, PLANTED_WORDS, true);
    session_begin(&s, &p, p.source);
    ck_assert_ptr_nonnull(s.in.map);
    ck_assert_uint_eq(s.w.count, PLANTED_WORDS);
    session_next(&s); /* fewer documents under the name: a new source */
    ck_assert_uint_eq(s.out.source, 1);
    ck_assert_uint_eq(s.out.batch.count, 100);
    for (size_t k = 0; k < docs_entries(&s.out.batch); k++) {
        ck_assert_uint_eq(s.out.batch.word[k], p.d.word[k]);
        ck_assert_uint_eq(s.out.batch.tally[k], p.d.tally[k]);
    }
    session_close(&s);
    planted_write_words(p.vocabulary, 10, false); /* a part, in order */
    session_begin(&s, &p, p.source);
    ck_assert_ptr_null(s.in.map);
    ck_assert_uint_eq(s.in.file_words, 10);
    session_close(&s);
    planted_end(&p);
}
END_TEST

static void add_words(const char *path, const char *text)
{
    FILE *f = planted_file(path);

    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(new_words_come_after_the_stored_in_the_file_s_order)
{
    planted p;
    session s;

    planted_begin(&p, 8);
    planted_fill(&p);
    add_words(p.vocabulary, "zz\nw001\naa\nw0010\n");
    session_begin(&s, &p, p.source);
    ck_assert_uint_eq(s.in.stored_words, PLANTED_WORDS);
    ck_assert_uint_eq(s.w.count, PLANTED_WORDS + 3);
    ck_assert_uint_eq(s.in.map[0], PLANTED_WORDS);
    ck_assert_str_eq(words_get(&s.w, s.in.map[1]), "w001");
    ck_assert_uint_lt(s.in.map[1], PLANTED_WORDS);
    ck_assert_uint_eq(s.in.map[2], PLANTED_WORDS + 1);
    ck_assert_uint_eq(s.in.map[3], PLANTED_WORDS + 2);
    ck_assert_str_eq(words_get(&s.w, PLANTED_WORDS + 2), "w0010");
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(what_is_not_there_is_told)
{
    planted p;
    session s;

    planted_begin(&p, 8);
    session_begin(&s, &p, "/nowhere/at/all");
    ck_assert_int_eq(intake_next(&s.in, &s.out, &p.t.err), KEDGE_EIO);
    ck_assert_ptr_nonnull(strstr(p.t.err.text, "/nowhere/at/all"));
    session_close(&s);
    p.o.vocabulary = "/nowhere/words";
    ck_assert_int_eq(session_open(&s, &p, p.source), KEDGE_EIO);
    ck_assert_ptr_nonnull(strstr(p.t.err.text, "/nowhere/words"));
    session_close(&s);
    p.o.vocabulary = NULL;
    ck_fails(session_open(&s, &p, p.source), KEDGE_EINVAL, p.t.err,
             "--vocab");
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(taking_in_without_memory)
{
    planted p;
    kedge_status st = KEDGE_ENOMEM;

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    planted_write(p.source, &p.d, 0, 100, true);
    planted_write_words(p.vocabulary, PLANTED_WORDS, true);
    for (long k = 0; st != KEDGE_OK; k++) {
        session s = {.p = &p, .path = p.source};
        s.in.path = &s.path;
        s.in.paths = 1;
        scene_read(&p.t);
        ck_ok(store_get_words(p.t.s, &s.w, &p.t.err), p.t.err);
        store_abort(p.t.s);
        gate_allow(k);
        st = intake_open(&s.in, p.t.s, &s.w, &p.o, &p.c, &p.t.err);
        if (st == KEDGE_OK)
            st = intake_next(&s.in, &s.out, &p.t.err);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %s", k,
                      p.t.err.text);
        session_close(&s);
        ck_assert_int_lt(k, 500);
    }
    planted_end(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        documents_come_as_written,
        digests_are_sums_over_documents,
        digests_are_those_of_the_format,
        an_interrupted_source_goes_on_by_position,
        another_beginning_is_another_source,
        earlier_entries_of_a_name_are_tried_too,
        a_shorter_file_is_another_source,
        a_longer_file_goes_on,
        a_pipe_is_named_by_its_beginning,
        a_pipe_that_goes_on_differently_is_refused,
        words_of_another_file_get_the_store_s_ids,
        new_words_come_after_the_stored_in_the_file_s_order,
        what_is_not_there_is_told,
        taking_in_without_memory,
        NULL,
    };

    return unit_run("intake", tests);
}
