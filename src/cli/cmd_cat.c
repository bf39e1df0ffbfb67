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
    OPTION_FORMAT("jsonl|text"),
    OPTION(COUNT, "limit", AT(limit), "N", "Documents at most; 0: all.",
           .letter = 'n', .most = UINT64_MAX, .unset = "all"),
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

static void print_word(const kedge_tally *w)
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
        complain("nor %" PRIu64 " %s of the ids", c->unknown - 1,
                 figure_noun(c->unknown - 1, "other", "others"));
    return code;
}

const command command_cat = {
    .name = "cat",
    .summary = "print documents as they are stored",
    .operands = "STORE [ID...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Prints the documents with these ids, in this order, or all of them "
        "in the order of the store. A document that came without an id is "
        "known as SOURCE:POSITION, as kedge info names the source and from 1; "
        "of several sources of one name the second is called SOURCE#2. Where "
        "another document has just that as its own id, it is that one. "
        "Documents that were removed are not shown. The store is read as it "
        "was at the beginning, one block at a time.",
    .output =
        "On standard output a line per document. jsonl: an object with id, "
        "label (where there is one), source, batch, position, tokens and "
        "words, which holds each word's count; 'kedge ingest --from jsonl "
        "--text-field words' reads the same documents again, except that "
        "bytes which are not UTF-8 have become U+FFFD. text: id, label and "
        "words between tabs, each word as often as it occurs, in the order of "
        "the text where that was stored, with | between those that did not "
        "stand side by side; 'kedge ingest --from tsv' reads these with 1, 2 "
        "and 3 as fields of id, label and text (--from mallet where all have "
        "a label, and no id or label a blank). An unknown id is told at the "
        "end, with exit code 1.",
    .examples =
        "  kedge cat news --limit 3\n"
        "  kedge cat news business/001.txt --format text\n"
        "  kedge cat news | zstd > news.jsonl.zst\n"
        "  kedge cat news --format text > n.tsv\n"
        "  kedge ingest two n.tsv --from tsv --id-field 1 "
        "--label-field 2 --text-field 3\n",
    .options = options,
    .size = sizeof(cat),
    .run = run,
    .mode = KEDGE_OPEN_READ,
    .work = work,
};
