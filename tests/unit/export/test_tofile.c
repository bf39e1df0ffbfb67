/* SPDX-License-Identifier: MIT */
#include <kedge/infer.h>
#include <kedge/parts.h>

#include "files.h"
#include "ops/travelling.h"

#define DOCUMENTS 100

static void session_begin(planted *p)
{
    planted_begin(p, DOCUMENTS);
    planted_fill(p);
    kedge_model_free(planted_fit(p, PLANTED_TOPICS, NULL, NULL));
}

static kedge_infer *open_infer(planted *p)
{
    static kedge_infer_opts o;
    kedge_infer *f;

    kedge_infer_opts_init(&o);
    ck_ok(kedge_infer_open(p->t.s, NULL, 0, &o, &p->c, &f, &p->t.err),
          p->t.err);
    return f;
}

TEST(a_matrix_has_all_that_come)
{
    OWN(planted_end) planted p;
    char path[96];

    session_begin(&p);
    planted_path(&p, "w.npy", path);
    for (int wide = 0; wide < 2; wide++) {
        const kedge_doc_topics *c;
        kedge_infer *f = open_infer(&p);
        ck_ok(kedge_infer_write(f, path, wide, &p.t.err), p.t.err);
        kedge_infer_close(f);
        OWNED uint8_t *bytes = file_array(p.t.root, "w.npy",
                                          wide ? "<f8" : "<f4", DOCUMENTS,
                                          PLANTED_TOPICS);
        f = open_infer(&p);
        for (size_t i = 0; i < DOCUMENTS * PLANTED_TOPICS; i++) {
            const size_t t = i % PLANTED_TOPICS;
            if (t == 0)
                ck_ok(kedge_infer_next(f, &c, &p.t.err), p.t.err);
            const double p_topic = c->proportions[t];
            ck_assert(wide ? array_wide(bytes, i) == p_topic
                           : array_single(bytes, i) == (float)p_topic);
        }
        kedge_infer_close(f);
    }
}

static int stop_later(void *data)
{
    return ++*(int *)data > 1;
}

/* A file that was there stays. */
TEST(what_fails_leaves_nothing)
{
    OWN(planted_end) planted p;
    char path[96];
    size_t size;
    kedge_infer *f;
    FILE *file;
    int asked = 0;

    session_begin(&p);
    file = planted_file(planted_path(&p, "w.npy", path));
    fputs("before", file);
    ck_assert_int_eq(fclose(file), 0);
    f = open_infer(&p);
    p.c.stop = stop_later;
    p.c.data = &asked;
    ck_fails(kedge_infer_write(f, path, false, &p.t.err), KEDGE_ECANCELED,
             p.t.err, "");
    OWNED char *text = file_bytes(p.t.root, "w.npy", &size);
    ck_assert_str_eq(text, "before");
    p.c.stop = NULL;
    ck_fails(kedge_infer_write(f, "/no/where/w.npy", false, &p.t.err),
             KEDGE_EIO, p.t.err, "/no/where/w.npy");
    kedge_infer_close(f);
}

/* Nothing is beside the store but what the test made. */
static size_t count_files(const lively *l)
{
    DIR *const dir = opendir(l->p.t.root);
    size_t count = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

TEST(a_file_is_whole_or_not_there)
{
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    char path[96];
    size_t before;
    struct stat made;
    OWN(lively_end) lively l;

    travelling_fill(&l, DOCUMENTS, 0, LIVELY_SHARDS);
    planted_path(&l.p, "sketch", path);
    before = count_files(&l);
    kedge_sketch_export_opts_init(&o);
    o.index = 9;
    ck_assert_int_eq(travelling_send(&l, path, &o, &r), KEDGE_ENOTFOUND);
    ck_assert_uint_eq(count_files(&l), before);
    ck_ok(travelling_send(&l, path, NULL, &r), l.p.t.err);
    ck_assert_uint_eq(count_files(&l), before + 1);
    ck_assert_int_eq(stat(path, &made), 0);
    ck_assert_uint_eq((uint64_t)made.st_size, r.bytes);
}

TEST(places_that_cannot_be_are_told)
{
    kedge_sketch_export_result r;
    OWN(lively_end) lively l;

    travelling_fill(&l, DOCUMENTS, 0, 2);
    ck_fails(travelling_send(&l, l.p.t.path, NULL, &r), KEDGE_EINVAL,
             l.p.t.err, "is a directory");
    ck_fails(travelling_send(&l, "/nowhere/at/all", NULL, &r), KEDGE_EIO,
             l.p.t.err, "/nowhere/at/all: cannot write");
}
