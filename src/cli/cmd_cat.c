/* SPDX-License-Identifier: MIT */
/* kedge cat: documents, as the store has them. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"

enum { FORMAT_JSONL, FORMAT_TEXT };

typedef struct cat {
    job job;
    uint64_t limit;
    uint64_t unknown; /* ids that the store does not have */
    kedge_error first; /* of them */
} cat;

#define AT(member) offsetof(cat, member)

static const option options[] = {
    OPTION(COUNT, "limit", AT(limit), "N", "number of documents; 0: all",
           .letter = 'n', .most = UINT64_MAX, .unset = "all", .main = true),
    OPTION_FORMAT("jsonl|text"),
    {.name = NULL},
};

static void print_json(const kedge_document *d)
{
    jsonout j = {.out = stdout};

    json_begin(&j, '{');
    json_key_bytes(&j, "id", d->id, d->id_size);
    if (d->label_size > 0)
        json_key_bytes(&j, "label", d->label, d->label_size);
    json_fields(&j, "kedge_document", d, ALL_PARTS);
    json_key_begin(&j, "words", '{');
    for (uint64_t k = 0; k < d->count; k++)
        json_tally(&j, d->words[k].word, d->words[k].size,
                   d->words[k].count);
    json_close(&j, '}');
    json_finish(&j);
}

static void print_word(const kedge_word_count *w)
{
    text_put_bytes(stdout, w->word, w->size);
}

static void print_bag(const kedge_document *d)
{
    for (uint64_t k = 0; k < d->count; k++)
        for (uint64_t i = 0; i < d->words[k].count; i++) {
            putchar(k == 0 && i == 0 ? '\t' : ' ');
            print_word(&d->words[k]);
        }
}

static void print_order(const kedge_document *d)
{
    for (uint64_t i = 0; i < d->order_size; i++) {
        putchar(i == 0 ? '\t' : ' ');
        if (d->order[i] == KEDGE_APART)
            putchar('|');
        else
            print_word(&d->words[d->order[i] - 1]);
    }
}

/* Id, label and words between tabs, words as often as they occur. */
static void print_text(const kedge_document *d)
{
    text_put_bytes(stdout, d->id, d->id_size);
    putchar('\t');
    text_put_bytes(stdout, d->label, d->label_size);
    if (d->order_size > 0)
        print_order(d);
    else
        print_bag(d);
    putchar('\n');
}

/* A reader that left early is noticed by the stream's error. */
static kedge_status print_all(cat *c, kedge_documents *documents,
                              kedge_error *err)
{
    uint64_t printed = 0;
    const kedge_document *d;

    while ((c->limit == 0 || printed < c->limit) && !ferror(stdout)) {
        const kedge_status st = kedge_documents_next(documents, &d, err);

        if (st == KEDGE_ENOTFOUND) {
            if (c->unknown++ == 0)
                c->first = *err;
            continue;
        }
        if (st != KEDGE_OK || d == NULL)
            return st;
        if (c->job.format == FORMAT_JSONL)
            print_json(d);
        else
            print_text(d);
        printed++;
    }
    return KEDGE_OK;
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    kedge_documents *documents;
    kedge_status st;
    cat *const c = data;

    st = kedge_documents_open(store, c->job.rest, c->job.rest_count, control,
                              &documents, err);
    if (st == KEDGE_OK)
        st = print_all(c, documents, err);
    kedge_documents_close(documents);
    return st;
}

static int run(void *data)
{
    cat *const c = data;
    int code = job_work(&c->job);

    if (code != EXIT_OK || c->unknown == 0)
        return code;
    code = complain_status(c->first.status, &c->first);
    if (c->unknown > 1)
        complain("nor with %" PRIu64 " %s of the ids", c->unknown - 1,
                 figure_noun(c->unknown - 1, "other", "others"));
    return code;
}

const command command_cat = {
    .name = "cat",
    .group = GROUP_LOOK,
    .summary = "print documents",
    .operands = "STORE [ID...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Prints the documents with these ids, or all of them. A document "
        "without an id is SOURCE:POSITION, with positions from 1 and sources "
        "as in 'kedge info'; the second source of a name is SOURCE#2. jsonl "
        "has words with counts, which 'kedge ingest --from jsonl --text-field "
        "words' reads again. text has id, label and words between tabs, in "
        "the order of the text where it is stored; 'kedge ingest --from tsv "
        "--id-field 1 --label-field 2 --text-field 3' reads it again. An "
        "unknown id gives exit code 1.",
    .examples = "  kedge cat news --limit 3\n"
                "  kedge cat news business/001.txt --format text\n",
    .options = options,
    .size = sizeof(cat),
    .run = run,
    .mode = KEDGE_OPEN_READ,
    .work = work,
};
