/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include <kedge/report.h>

#include "files.h"
#include "ops/keeper.h"

typedef struct made {
    char *bytes;
    size_t size;
    kedge_report_result r;
} made;

static kedge_status try_report(keeper *k, const char *path,
                               const kedge_report_opts *o, made *out)
{
    scene *const t = &k->l.p.t;
    kedge_model *m = NULL;
    kedge_status st;

    ck_ok(kedge_model_load(t->s, KEEPER_MODEL, NULL, &m, &t->err), t->err);
    st = kedge_report(t->s, m, path, o, &k->l.p.c, &out->r, &t->err);
    kedge_model_free(m);
    return st;
}

static made report(keeper *k, const kedge_report_opts *o)
{
    char path[96];
    made out;

    ck_ok(try_report(k, planted_path(&k->l.p, "page.html", path), o, &out),
          k->l.p.t.err);
    out.bytes = file_bytes(k->l.p.t.root, "page.html", &out.size);
    ck_assert_uint_eq(out.size, out.r.bytes);
    return out;
}

static void made_free(made *m)
{
    free(m->bytes);
}

static size_t times(const char *text, const char *what)
{
    size_t count = 0;

    for (; (text = strstr(text, what)) != NULL; text++)
        count++;
    return count;
}

TEST(the_page_is_whole)
{
    static keeper k;
    made page;

    keeper_begin(&k, 200, LIVELY_SHARDS, false);
    page = report(&k, NULL);
    ck_assert_ptr_eq(strstr(page.bytes, "<!DOCTYPE html>"), page.bytes);
    ck_assert_str_eq(page.bytes + page.size - 8, "</html>\n");
    ck_assert_uint_eq(times(page.bytes, "</script>"), 2);
    ck_assert_uint_eq(times(page.bytes, "<!-- "), 0);
    ck_assert_uint_eq(times(page.bytes, "\"kept\":"), 0);
    ck_assert_uint_eq(times(page.bytes, "\"mst_incoherence\":"),
                      KEEPER_TOPICS);
    ck_assert(!page.r.doc_topics);
    ck_assert_uint_eq(page.r.words, PLANTED_WORDS);
    made_free(&page);
    keeper_keep(&k);
    page = report(&k, NULL);
    ck_assert(page.r.doc_topics);
    ck_assert_uint_eq(times(page.bytes, "\"kept\":"), 1);
    ck_assert_uint_eq(times(page.bytes, "\"tokens\":"), 5 * KEEPER_TOPICS + 1);
    made_free(&page);
    keeper_end(&k);
}

TEST(threads_change_nothing)
{
    static keeper k;
    OWN(made_free) made one, four;

    keeper_begin(&k, 200, LIVELY_SHARDS, false);
    keeper_keep(&k);
    k.l.p.c.threads = 1;
    one = report(&k, NULL);
    k.l.p.c.threads = 4;
    four = report(&k, NULL);
    ck_assert_uint_eq(one.size, four.size);
    ck_assert_mem_eq(one.bytes, four.bytes, one.size);
    keeper_end(&k);
}

TEST(options_leave_parts_out)
{
    static keeper k;
    kedge_report_opts o;
    made page;

    keeper_begin(&k, 200, LIVELY_SHARDS, false);
    keeper_keep(&k);
    kedge_report_opts_init(&o);
    ck_assert(o.measures);
    o.measures = false;
    o.documents = 0;
    page = report(&k, &o);
    ck_assert_uint_eq(times(page.bytes, "\"mst_incoherence\":"), 0);
    ck_assert_uint_eq(times(page.bytes, "\"documents\":[]"), KEEPER_TOPICS);
    made_free(&page);
    keeper_end(&k);
}

TEST(what_cannot_be_is_refused)
{
    static keeper k;
    const kedge_report_opts many = {.documents =
                                        KEDGE_REPORT_DOCUMENTS_MOST + 1};
    const char *const root = k.l.p.t.root;
    made page;
    char path[96];

    keeper_begin(&k, 100, 2, false);
    ck_assert_int_eq(try_report(&k, "", NULL, &page), KEDGE_EINVAL);
    ck_assert_int_eq(try_report(&k, "page/", NULL, &page), KEDGE_EINVAL);
    ck_assert_int_eq(try_report(&k, root, NULL, &page), KEDGE_EINVAL);
    planted_path(&k.l.p, "page.html", path);
    ck_assert_int_eq(try_report(&k, path, &many, &page), KEDGE_EINVAL);
    planted_path(&k.l.p, "none/page.html", path);
    ck_assert_int_eq(try_report(&k, path, NULL, &page), KEDGE_EIO);
    ck_assert_int_ne(access(path, F_OK), 0);
    keeper_end(&k);
}

/* Where several do not fit. */
TEST(one_model_is_measured_where_there_is_no_room_for_more)
{
    static keeper k;
    char path[96];
    kedge_fit_opts o;
    made page;

    keeper_begin(&k, 100, 2, false);
    kedge_fit_opts_init(&o);
    for (uint64_t topics = 5; topics < 8; topics++)
        kedge_model_free(planted_fit(&k.l.p, topics, &o, NULL));
    planted_path(&k.l.p, "page.html", path);
    ck_ok(try_report(&k, path, NULL, &page), k.l.p.t.err);
    ck_assert_uint_eq(page.r.models, 3);
    for (k.l.p.c.memory = 16 << 20;
         try_report(&k, path, NULL, &page) == KEDGE_EBUDGET;
         k.l.p.c.memory += 1 << 18)
        ;
    ck_assert_uint_eq(page.r.models, 0);
    keeper_end(&k);
}

TEST(memory_is_kept_to)
{
    static keeper k;
    char path[96];
    made page;

    keeper_begin(&k, 100, 2, false);
    k.l.p.c.memory = 1 << 20;
    planted_path(&k.l.p, "page.html", path);
    ck_assert_int_eq(try_report(&k, path, NULL, &page), KEDGE_EBUDGET);
    ck_assert_int_ne(access(path, F_OK), 0);
    keeper_end(&k);
}
