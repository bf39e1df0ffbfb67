/* SPDX-License-Identifier: MIT */
#include <kedge/ingest.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/gate.h"
#include "ops/papers.h"

static uint64_t find(planted *p, const char *path)
{
    uint64_t found = 7;

    ck_ok(kedge_ingest_find(p->t.s, &path, 1, &p->o, &p->c, &found,
                            &p->t.err), p->t.err);
    return found;
}

static void read_in(planted *p, const char *path)
{
    ck_ok(planted_ingest(p, path), p->t.err);
}

/* By its documents, wherever it lies and however much of it there is. */
TEST(sources_are_found_under_any_name)
{
    char half[96], other[96], link[96];

    PLANTED(p, PLANTED_DOCUMENTS);
    planted_write(planted_path(&p, "half", half), &p.d, 0,
                  PLANTED_DOCUMENTS / 2, false);
    planted_write(planted_path(&p, "other", other), &p.d,
                  PLANTED_DOCUMENTS / 2, PLANTED_DOCUMENTS, false);
    planted_path(&p, "link", link);
    ck_assert_int_eq(symlink(p.source, link), 0);
    ck_assert(find(&p, p.source) == KEDGE_NO_SOURCE);
    read_in(&p, other);
    read_in(&p, p.source);
    const kedge_store_info before = planted_info(&p);
    const char *const all[] = {half, link, other, p.source};
    uint64_t found[4];
    ck_ok(kedge_ingest_find(p.t.s, all, 4, &p.o, &p.c, found, &p.t.err),
          p.t.err);
    ck_assert_uint_eq(found[0], 1);
    ck_assert_uint_eq(found[1], 1);
    ck_assert_uint_eq(found[2], 0);
    ck_assert_uint_eq(found[3], 1);
    const kedge_store_info after = planted_info(&p);
    ck_assert_mem_eq(&before, &after, sizeof before);
    read_in(&p, link); /* it is what was foretold */
    ck_assert_uint_eq(p.r.sources_known, 1);
}

TEST(texts_are_found_by_their_words)
{
    char again[96];
    planted p OWN(planted_end);

    texts_begin(&p);
    read_in(&p, p.source);
    write_texts(planted_path(&p, "again", again), &p.d, 0, 20);
    ck_assert_uint_eq(find(&p, again), 0);
    write_texts(again, &p.d, 1, 21);
    ck_assert(find(&p, again) == KEDGE_NO_SOURCE);
    p.o.bags_only = true; /* it went on so, whatever is asked for */
    ck_assert_uint_eq(find(&p, p.source), 0);
}

static int stop_at_once(void *data)
{
    (void)data;
    return 1;
}

TEST(what_cannot_be_read_is_none)
{
    char path[96];

    PLANTED(p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    ck_assert(find(&p, "-") == KEDGE_NO_SOURCE);
    planted_path(&p, "it", path);
    ck_assert(find(&p, path) == KEDGE_NO_SOURCE);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(find(&p, path) == KEDGE_NO_SOURCE); /* without waiting for it */
    ck_assert_int_eq(unlink(path), 0);
    planted_text(path, "2\n3\nnonsense\n");
    ck_assert(find(&p, path) == KEDGE_NO_SOURCE);
    p.o.batch = "";
    const char *const source = p.source;
    uint64_t found;
    ck_fails(kedge_ingest_find(p.t.s, &source, 1, &p.o, &p.c, &found,
                               &p.t.err), KEDGE_EINVAL, p.t.err, "batch");
    p.o.batch = NULL;
    p.c.stop = stop_at_once;
    ck_assert_int_eq(kedge_ingest_find(p.t.s, &source, 1, &p.o, &p.c, &found,
                                       &p.t.err), KEDGE_ECANCELED);
    p.c.stop = NULL;
    p.c.memory = 1 << 20;
    ck_fails(kedge_ingest_find(p.t.s, &source, 1, &p.o, &p.c, &found,
                               &p.t.err), KEDGE_EBUDGET, p.t.err, "give more");
}

TEST(every_allocation_may_fail)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    const char *const source = p.source;
    uint64_t found;

    planted_fill(&p);
    gate_starve(kedge_ingest_find(p.t.s, &source, 1, &p.o, &p.c, &found,
                                  &p.t.err));
    ck_assert_uint_eq(found, 0);
}
