/* SPDX-License-Identifier: MIT */
#include "batches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "complain.h"
#include "figures.h"
#include "plaintext.h"
#include "table.h"

/* More sources than MOST_NAMED are summed by batch, and only the newest are
 * named. */
enum { MOST_NAMED = 10, NEWEST_NAMED = 5, BATCH_COLUMNS = 10 };

/* A batch: its sources added up. */
typedef struct batch {
    char name[64];
    uint64_t sources, documents, tokens, empty, bad, removed, when;
    uint64_t gone; /* sources that were taken out */
    bool interrupted;
} batch;

typedef struct batches {
    kedge_source_info *sources;
    size_t *of; /* by source: its batch */
    batch *all;
    uint64_t source_count, count;
} batches;

static const char *state_text(bool removed, bool interrupted)
{
    return removed ? "removed" : interrupted ? "interrupted" : "complete";
}

static const char *source_state(const kedge_source_info *s)
{
    return state_text(s->removed, !s->complete);
}

/* ---- gathering ----------------------------------------------------------- */

static int compare_names(const void *left, const void *right)
{
    const kedge_source_info *const a = *(const kedge_source_info *const *)left;
    const kedge_source_info *const b =
        *(const kedge_source_info *const *)right;
    const int c = strcmp(a->batch, b->batch);

    return c != 0 ? c : (a > b) - (a < b); /* by number */
}

static void add_source(batch *b, const kedge_source_info *s)
{
    b->sources++;
    b->documents += s->documents;
    b->tokens += s->tokens;
    b->empty += s->empty;
    b->bad += s->bad;
    b->interrupted |= !s->removed && !s->complete;
    b->removed += s->removed_documents;
    b->gone += s->removed;
    if (s->when > b->when)
        b->when = s->when;
}

/* Batches are numbered by their first sources. */
static void gather(batches *b)
{
    const uint64_t n = b->source_count;
    const kedge_source_info **const sorted = claim(n, sizeof *sorted);
    size_t *const first = claim(n, sizeof *first); /* source of its batch */
    size_t head = 0;

    for (uint64_t i = 0; i < n; i++)
        sorted[i] = &b->sources[i];
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (uint64_t i = 0; i < n; i++) {
        const size_t at = (size_t)(sorted[i] - b->sources);

        if (i == 0 || strcmp(sorted[i]->batch, sorted[i - 1]->batch) != 0)
            head = at;
        first[at] = head;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (first[i] == i) {
            b->of[i] = b->count;
            memcpy(b->all[b->count++].name, b->sources[i].batch,
                   sizeof b->all->name);
        } else {
            b->of[i] = b->of[first[i]];
        }
        add_source(&b->all[b->of[i]], &b->sources[i]);
    }
    free(sorted);
    free(first);
}

static kedge_status load(kedge_store *store, batches *b, kedge_error *err)
{
    kedge_store_info totals;
    kedge_status st = kedge_store_get_info(store, &totals, err);

    b->source_count = st == KEDGE_OK ? totals.sources : 0;
    b->sources = claim(b->source_count, sizeof *b->sources);
    b->of = claim(b->source_count, sizeof *b->of);
    b->all = claim(b->source_count, sizeof *b->all);
    for (uint64_t i = 0; i < b->source_count && st == KEDGE_OK; i++)
        st = kedge_store_get_source(store, i, &b->sources[i], err);
    if (st == KEDGE_OK)
        gather(b);
    return st;
}

/* ---- printing ------------------------------------------------------------ */

/* "2024-05-31 12:00 UTC" */
static const char *time_text(figure *out, uint64_t when)
{
    const time_t seconds = (time_t)when;
    struct tm parts;

    if (when == 0 || gmtime_r(&seconds, &parts) == NULL ||
        strftime(out->text, sizeof out->text, "%Y-%m-%d %H:%M UTC", &parts) ==
            0)
        snprintf(out->text, sizeof out->text, "-");
    return out->text;
}

static void table_sources(const batches *b, uint64_t number)
{
    table t = {.columns = 6, .paths = true};

    table_add(&t, (const char *const[]){"sources", "documents", "tokens",
                                        "removed", "written", "state"});
    for (uint64_t i = 0; i < b->source_count; i++) {
        const kedge_source_info *const s = &b->sources[i];
        figure f[4];

        if (b->of[i] == number)
            table_add(&t, (const char *const[]){
                              s->name, figure_count(&f[0], s->documents),
                              figure_count(&f[1], s->tokens),
                              figure_count(&f[2], s->removed_documents),
                              time_text(&f[3], s->when), source_state(s)});
    }
    table_print(&t, stdout);
    table_free(&t);
}

/* "  and 2,488 more before these: --sources lists all" */
static void table_earlier(uint64_t more, const char *option)
{
    figure f;

    if (more > 0)
        printf("  and %s more before %s: %s lists all\n",
               figure_count(&f, more), more == 1 ? "it" : "these", option);
}

static void table_newest_sources(const batches *b, uint64_t named)
{
    table t = {.columns = 7, .most[1] = BATCH_COLUMNS, .paths = true};

    table_add(&t, (const char *const[]){"sources", "batch", "documents",
                                        "tokens", "empty", "bad", "state"});
    for (uint64_t i = b->source_count - named; i < b->source_count; i++) {
        const kedge_source_info *const s = &b->sources[i];
        figure f[4];

        table_add(&t, (const char *const[]){
                          s->name, s->batch[0] != '\0' ? s->batch : "-",
                          figure_count(&f[0], s->documents),
                          figure_count(&f[1], s->tokens),
                          figure_count(&f[2], s->empty),
                          figure_count(&f[3], s->bad), source_state(s)});
    }
    table_print(&t, stdout);
    table_free(&t);
    table_earlier(b->source_count - named, "--sources");
}

static void table_newest_batches(const batches *b)
{
    const uint64_t named = b->count < MOST_NAMED ? b->count : MOST_NAMED;
    table t = {.columns = 7};

    table_add(&t, (const char *const[]){"batches", "sources", "documents",
                                        "tokens", "empty", "bad", "state"});
    for (uint64_t i = b->count - named; i < b->count; i++) {
        const batch *const one = &b->all[i];
        figure f[5];

        table_add(&t, (const char *const[]){
                          one->name[0] != '\0' ? one->name : "no batch",
                          figure_count(&f[0], one->sources),
                          figure_count(&f[1], one->documents),
                          figure_count(&f[2], one->tokens),
                          figure_count(&f[3], one->empty),
                          figure_count(&f[4], one->bad),
                          state_text(one->gone == one->sources,
                                     one->interrupted)});
    }
    table_print(&t, stdout);
    table_free(&t);
    table_earlier(b->count - named, "--batches");
}

static void print_table(const batches *b)
{
    for (uint64_t i = 0; i < b->count; i++) {
        const batch *const one = &b->all[i];
        figure f[4];

        if (i > 0)
            putchar('\n');
        fputs(one->name[0] != '\0' ? "batch " : "no batch", stdout);
        text_put(stdout, one->name, TEXT_WHOLE);
        putchar('\n');
        summary_line(stdout, "documents", figure_count(&f[0], one->documents),
                     one->gone == one->sources ? "removed" : NULL);
        summary_line(stdout, "tokens", figure_count(&f[1], one->tokens), NULL);
        if (one->removed > 0)
            summary_line(stdout, "removed", figure_count(&f[2], one->removed),
                         figure_noun(one->removed, "document", "documents"));
        table_sources(b, i);
    }
}

void json_source(jsonout *j, const kedge_source_info *s)
{
    figure f;

    json_begin(j, '{');
    json_key_text(j, "name", s->name);
    json_key_text(j, "batch", s->batch);
    json_key_count(j, "documents", s->documents);
    json_key_count(j, "tokens", s->tokens);
    json_key_count(j, "nonzeros", s->nonzeros);
    json_key_count(j, "bad", s->bad);
    json_key_count(j, "empty", s->empty);
    snprintf(f.text, sizeof f.text, "%016" PRIx64, s->digest);
    json_key_text(j, "digest", f.text);
    snprintf(f.text, sizeof f.text, "%016" PRIx64, s->head);
    json_key_text(j, "head", f.text);
    json_key_bool(j, "complete", s->complete);
    json_key_bool(j, "removed", s->removed);
    json_key_count(j, "removed_documents", s->removed_documents);
    json_key_count(j, "when", s->when);
    json_close(j, '}');
}

static void json_batch(jsonout *j, const batches *b, uint64_t number)
{
    const batch *const one = &b->all[number];

    json_begin(j, '{');
    json_key_text(j, "name", one->name);
    json_key_count(j, "documents", one->documents);
    json_key_count(j, "tokens", one->tokens);
    json_key_count(j, "when", one->when);
    json_key_bool(j, "removed", one->gone == one->sources);
    json_key_count(j, "removed_documents", one->removed);
    json_key(j, "sources");
    json_begin(j, '[');
    for (uint64_t i = 0; i < b->source_count; i++)
        if (b->of[i] == number)
            json_source(j, &b->sources[i]);
    json_close(j, ']');
    json_close(j, '}');
}

static void print_json(const batches *b)
{
    jsonout j = {.out = stdout, .lines = 4};

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key(&j, "batches");
    json_begin(&j, '[');
    for (uint64_t i = 0; i < b->count; i++)
        json_batch(&j, b, i);
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}

static void batches_free(batches *b)
{
    free(b->sources);
    free(b->of);
    free(b->all);
}

kedge_status batches_print(kedge_store *store, bool json, kedge_error *err)
{
    batches b = {0};
    const kedge_status st = load(store, &b, err);

    if (st == KEDGE_OK && json)
        print_json(&b);
    else if (st == KEDGE_OK)
        print_table(&b);
    batches_free(&b);
    return st;
}

kedge_status sources_print(kedge_store *store, bool all, kedge_error *err)
{
    batches b = {0};
    const kedge_status st = load(store, &b, err);
    const bool each = all || b.source_count <= MOST_NAMED;

    if (st == KEDGE_OK && !each) {
        table_newest_batches(&b);
        putchar('\n');
    }
    if (st == KEDGE_OK)
        table_newest_sources(&b, each ? b.source_count : NEWEST_NAMED);
    batches_free(&b);
    return st;
}
