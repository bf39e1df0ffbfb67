/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a document format, FUZZ_FORMAT, a program for each: the first
 * byte chooses the options, the second one is the number of words, the text
 * follows. Beside not crashing, the formats keep their promises: records
 * are what io/format.h says, every call comes nearer to the end, looking
 * whether there is more changes nothing, and between fields two blanks are as
 * good as one.
 */
#include "fuzz.h"

#include "base/hash.h"
#include "io/format.h"

static const struct {
    const char *text, *id, *label;
} fields[8] = {
    {NULL, NULL, NULL},  {"2", NULL, NULL},   {"text,id", NULL, NULL},
    {"1,2", "1", NULL},  {"1", "id", "2"},    {NULL, "1", "label"},
    {"a,b,a", "b", "a"}, {"3,1", "2", "3"},
};

/* What is compared of two readings. */
typedef struct outcome {
    kedge_status status; /* of opening */
    uint64_t digest, records, malformed;
} outcome;

static uint64_t digest_span(uint64_t digest, span s)
{
    PROMISE(s.size == 0 || s.bytes != NULL);
    digest = hash_mix(digest ^ s.size);
    return s.size == 0 ? digest : hash_bytes(digest, s.bytes, s.size);
}

static uint64_t digest_record(uint64_t digest, const record *r, uint64_t words)
{
    PROMISE(r->kind == RECORD_TEXT || r->text.size == 0);
    PROMISE(r->kind != RECORD_TEXT || r->count == 0);
    digest = digest_span(digest, r->id);
    digest = digest_span(digest, r->label);
    digest = digest_span(digest, r->text);
    for (size_t i = 0; i < r->count; i++) {
        PROMISE(r->tally[i] > 0 && r->tally[i] <= 0x7fffffff);
        digest = hash_mix(digest ^ r->tally[i]);
        if (r->kind == RECORD_NUMBERS) {
            PROMISE(r->number[i] < words);
            digest = hash_mix(digest ^ r->number[i]);
        } else {
            PROMISE(r->word[i].size > 0);
            digest = digest_span(digest, r->word[i]);
        }
    }
    return digest;
}

static void check_failure(const lines *in, const kedge_error *err)
{
    const char *const name = lines_name(in);

    PROMISE(strncmp(err->text, name, strlen(name)) == 0);
    PROMISE(strlen(err->text) > strlen(name) + 4);
}

static outcome read_records(const record_format *f, lines *in,
                            const record_opts *opts, bool look,
                            uint64_t *calls)
{
    outcome o = {.digest = 1};
    kedge_error err = {0};
    records from;
    bool more = true;

    o.status = records_open(f, in, opts, &from, &err);
    if (o.status != KEDGE_OK) {
        PROMISE(o.status == KEDGE_EFORMAT || o.status == KEDGE_EINVAL);
        check_failure(in, &err);
        return o;
    }
    while (more) {
        record r;
        const kedge_status st = records_next(&from, &r, &more, &err);
        PROMISE(st == KEDGE_OK || st == KEDGE_EFORMAT);
        if (st == KEDGE_OK && more) {
            o.records++;
            o.digest = digest_record(o.digest, &r, opts->words);
        } else if (st == KEDGE_EFORMAT) {
            o.malformed++;
            check_failure(in, &err);
            more = !lines_broken(in);
        }
        (*calls)++;
        if (look)
            (void)lines_ready(in, 0);
    }
    records_close(&from);
    return o;
}

static outcome read_bytes(const record_format *f, const void *data,
                          size_t size, const record_opts *opts, bool look)
{
    char path[FUZZ_PATH];
    const int fd = fuzz_file(data, size, path);
    kedge_error err = {0};
    stream *in = NULL;
    lines *l = NULL;
    outcome o = {0};
    uint64_t calls = 0;
    stream_counts counts;
    bool yes;

    o.status = stream_open(path, NULL, &in, &err);
    if (o.status == KEDGE_OK) {
        PROMISE(lines_open(in, LINES_LIMIT, &l, &err) == KEDGE_OK);
        if (look && f->recognise != NULL)
            (void)f->recognise(l, opts, &yes, &err);
        o = read_records(f, l, opts, look, &calls);
        stream_get_counts(in, &counts);
        PROMISE(calls <= counts.text + 3);
    }
    lines_close(l);
    stream_close(in);
    close(fd);
    return o;
}

static void check_same(const outcome *a, const outcome *b)
{
    PROMISE(a->status == b->status);
    PROMISE(a->digest == b->digest);
    PROMISE(a->records == b->records);
    PROMISE(a->malformed == b->malformed);
}

/* Whether it is sure not to be taken for compressed data. */
static bool is_text(const uint8_t *data, size_t size)
{
    /* The first bytes of bzip2 are letters, those of SQLite have blanks. */
    if (size < 4 || data[0] == 'B' || data[0] == 'S')
        return false;
    for (size_t i = 0; i < 4; i++)
        if (data[i] < ' ' || data[i] > '~')
            return false;
    return true;
}

/* The same text with two blanks for each. */
static void check_blanks(const record_format *f, const uint8_t *data,
                         size_t size, const record_opts *opts,
                         const outcome *expected)
{
    char doubled[8192];

    if (size > sizeof doubled / 2 || !is_text(data, size))
        return;
    const size_t n = fuzz_double_blanks(doubled, data, size);
    const outcome o = read_bytes(f, doubled, n, opts, false);
    check_same(expected, &o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const record_format *const f = &FUZZ_FORMAT;

    if (size < 2)
        return 0;
    const record_opts opts = {.text_field = fields[data[0] % 8].text,
                              .id_field = fields[data[0] % 8].id,
                              .label_field = fields[data[0] % 8].label,
                              .words = data[1]};
    const outcome plain = read_bytes(f, data + 2, size - 2, &opts, false);
    const outcome looked = read_bytes(f, data + 2, size - 2, &opts, true);
    check_same(&plain, &looked);
    if (strstr("svmlight ldac mtx vw", f->name) != NULL)
        check_blanks(f, data + 2, size - 2, &opts, &plain);
    return 0;
}
