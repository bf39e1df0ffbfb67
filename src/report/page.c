/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <kedge/report.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "report/newfile.h"
#include "report/pagedata.h"

#define SEARCH_ROOM 2400000 /* bytes of the page for words of no topic's top */
#define DOCUMENTS_USUAL 5

void kedge_report_opts_init(kedge_report_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_report_opts){.measures = true,
                                .documents = DOCUMENTS_USUAL};
}

typedef struct page {
    kedge_store *s;
    const kedge_report_opts *opts;
    const kedge_control *control;
    pagedata data;
} page;

/* ---- measures ------------------------------------------------------------ */

/* Somebody may have fitted another model of the name meanwhile. */
static void take_topic(void *data, const kedge_eval_topic *t)
{
    page *const p = data;

    if (strcmp(t->model, p->data.m->name) == 0 &&
        t->topic < p->data.m->topics)
        p->data.each[t->topic] = *t;
}

/* What is of documents one by one is left to kedge eval, for it takes longest.
 */
static kedge_status page_eval(page *p, kedge_error *err)
{
    const pagedata *const d = &p->data;
    const char *names[SIBLINGS_MOST];
    kedge_eval_opts opts;

    kedge_eval_opts_init(&opts);
    opts.held_out = 0;
    opts.topic = take_topic;
    opts.topic_data = p;
    for (size_t i = 0; i < d->sibling_count; i++)
        names[i] = d->siblings[i].name;
    return kedge_eval(p->s, names, d->sibling_count, &opts, p->control,
                      d->eval, err);
}

/* All models that are compared, or where there is no room for them the one that
 * the page is of. */
static kedge_status page_measure(page *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pagedata *const d = &p->data;

    TRY_MEM(d->eval = mem_new(d->sibling_count, sizeof *d->eval));
    TRY_MEM(d->each = mem_new(d->m->topics, sizeof *d->each));
    for (size_t t = 0; t < d->m->topics; t++)
        d->each[t] = (kedge_eval_topic){.coherence = NAN, .npmi = NAN,
                                        .c_v = NAN, .mst_incoherence = NAN};
    st = page_eval(p, err);
    if (st == KEDGE_EBUDGET && d->sibling_count > 1) {
        run_log(p->control, "there is no room to measure %zu models at a time: "
                "one is", d->sibling_count);
        d->siblings[0] = d->siblings[d->own];
        d->own = 0;
        d->sibling_count = 1;
        st = page_eval(p, err);
    }
out:
    return st;
}

/* ---- the data ------------------------------------------------------------ */

static kedge_status page_compare(page *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pagedata *const d = &p->data;

    TRY(siblings_find(p->s, d->m, d->siblings, &d->sibling_count, err));
    while (strcmp(d->siblings[d->own].name, d->m->name) != 0)
        d->own++;
    if (p->opts->measures)
        TRY(page_measure(p, err));
out:
    return st;
}

static kedge_status page_gather(page *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pagedata *const d = &p->data;

    TRY(batchshares_find(p->s, d->m, p->control, &d->batches, err));
    if (d->batches.there && p->opts->documents > 0)
        TRY(kedge_typical_find(p->s, d->m->name, p->opts->documents,
                               p->control, &d->typical, err));
    TRY(page_compare(p, err));
    TRY(topicmap_make(d->m, &d->map, err));
    TRY(pagewords_find(d->m, SEARCH_ROOM, &d->words, err));
out:
    return st;
}

static void page_close(page *p)
{
    pagewords_free(&p->data.words);
    topicmap_free(&p->data.map);
    batchshares_free(&p->data.batches);
    kedge_typical_free(p->data.typical);
    mem_free(p->data.eval);
    mem_free(p->data.each);
}

/* ---- the file ------------------------------------------------------------ */

static kedge_status page_write(const char *path, const textbuf *data,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile f = {0};

    TRY(newfile_open_path(&f, path, err));
    TRY(newfile_write(&f, page_head, page_head_size, err));
    TRY(newfile_write(&f, data->bytes, data->size, err));
    TRY(newfile_write(&f, page_tail, page_tail_size, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    return st;
}

static kedge_status page_check(kedge_store *s, const kedge_model *m,
                               const char *path, const kedge_report_opts *o,
                               kedge_error *err)
{
    const size_t size = path != NULL ? strlen(path) : 0;
    struct stat there;

    if (s == NULL || m == NULL || size == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a report needs a store, a model and a file");
    if (path[size - 1] == '/' ||
        (stat(path, &there) == 0 && S_ISDIR(there.st_mode)))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s is a directory: name a file in it", path);
    if (o->documents > KEDGE_REPORT_DOCUMENTS_MOST)
        return kedge_fail(err, KEDGE_EINVAL, "of a topic at most %d documents "
                          "are shown", KEDGE_REPORT_DOCUMENTS_MOST);
    return KEDGE_OK;
}

kedge_status kedge_report(kedge_store *s, const kedge_model *m,
                          const char *path, const kedge_report_opts *opts,
                          const kedge_control *control,
                          kedge_report_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_report_result){0};
    API_ENTER(err, {"store", s}, {"model", m}, {"path", path});
    API_USUAL(kedge_report_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    textbuf text = {0};
    page p = {.s = s, .opts = opts, .control = control, .data.m = m};

    TRY(page_check(s, m, path, p.opts, err));
    TRY(page_gather(&p, err));
    TRY(pagedata_write(&p.data, &text, err));
    TRY(page_write(path, &text, err));
    if (out != NULL)
        *out = (kedge_report_result){
            .bytes = page_head_size + text.size + page_tail_size,
            .words = p.data.words.count,
            .models = p.data.sibling_count - 1,
            .compositions = p.data.batches.there};
out:
    textbuf_free(&text);
    page_close(&p);
    return api_leave(st, err);
}
