/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as JSON Lines, compressed or not; the first byte chooses fields.
 * Beside not crashing, records are what io/format.h says, there are no more
 * reasons than bytes, and a record that is printed with every character escaped
 * that can be is read as the same record.
 */
#include "fuzz.h"

#include "base/mem.h"
#include "io/format.h"

#define LIMIT ((size_t)1 << 16)

static const record_opts choices[] = {
    {0},
    {.text_field = "title,text", .label_field = "a.b"},
    {.text_field = "a.b.c, a", .id_field = "b"},
    {.text_field = "bag", .label_field = "a.b.c.d.e.f"},
};

/* Bytes in a file without a name, as lines. */
typedef struct opened {
    int fd;
    stream *in;
    lines *l;
} opened;

static kedge_status open_bytes(opened *o, const void *data, size_t size,
                               kedge_error *err)
{
    char path[FUZZ_PATH];
    kedge_status st;

    *o = (opened){.fd = fuzz_file(data, size, path)};
    st = stream_open(path, NULL, &o->in, err);
    if (st == KEDGE_OK)
        st = lines_open(o->in, LIMIT, &o->l, err);
    return st;
}

static void close_bytes(opened *o)
{
    lines_close(o->l);
    stream_close(o->in);
    close(o->fd);
}

/* ---- printing ------------------------------------------------------------ */

typedef struct printed {
    char *bytes;
    size_t size, capacity;
} printed;

static void print(printed *p, const char *bytes, size_t size)
{
    PROMISE(mem_grow((void **)&p->bytes, &p->capacity, p->size + size, 1));
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

static void print_string(printed *p, span s)
{
    char escape[8];

    print(p, "\"", 1);
    for (size_t i = 0; i < s.size; i++) {
        const unsigned c = (unsigned char)s.bytes[i];
        if (c < 0x80)
            print(p, escape, (size_t)snprintf(escape, 8, "\\u%04x", c));
        else
            print(p, s.bytes + i, 1);
    }
    print(p, "\"", 1);
}

static void print_record(printed *p, const record *r)
{
    char count[24];

    print(p, "{\"\\u0069d\":", 11);
    print_string(p, r->id);
    print(p, ",\"label\":", 9);
    print_string(p, r->label);
    print(p, ",\"text\":", 8);
    if (r->kind == RECORD_TEXT)
        print_string(p, r->text);
    else
        print(p, "{", 1);
    for (size_t i = 0; i < r->count; i++) {
        print(p, ",", i > 0);
        print_string(p, r->word[i]);
        print(p, count,
              (size_t)snprintf(count, sizeof count, ":%u", r->tally[i]));
    }
    print(p, "}}", r->kind == RECORD_TEXT ? 1 : 2);
}

static void check_same(const record *a, const record *b)
{
    PROMISE(a->kind == b->kind);
    PROMISE(span_equal(a->id, b->id) && span_equal(a->label, b->label));
    PROMISE(span_equal(a->text, b->text) && a->count == b->count);
    for (size_t i = 0; i < a->count; i++)
        PROMISE(span_equal(a->word[i], b->word[i]) &&
                a->tally[i] == b->tally[i]);
}

static void check_printed(const record *r)
{
    const record_opts opts = {0};
    kedge_error err = {0};
    records from = {0};
    printed p = {0};
    record again;
    opened o;
    bool more;

    print_record(&p, r);
    if (p.size <= LIMIT) {
        PROMISE(open_bytes(&o, p.bytes, p.size, &err) == KEDGE_OK);
        PROMISE(records_open(&format_jsonl, o.l, &opts, &from, &err) ==
                KEDGE_OK);
        PROMISE(records_next(&from, &again, &more, &err) == KEDGE_OK);
        PROMISE(more);
        check_same(r, &again);
        records_close(&from);
        close_bytes(&o);
    }
    mem_free(p.bytes);
}

/* ---- reading ------------------------------------------------------------- */

static void check_record(const record *r)
{
    PROMISE(r->kind == RECORD_TEXT || r->kind == RECORD_WORDS);
    PROMISE(r->kind == RECORD_WORDS || r->count == 0);
    PROMISE(r->kind == RECORD_TEXT || r->text.size == 0);
    for (size_t i = 0; i < r->count; i++)
        PROMISE(r->tally[i] > 0 && r->tally[i] <= 0x7fffffff);
    check_printed(r);
}

/* Records and reasons until the source ends. */
static void read_all(opened *o, const record_opts *opts)
{
    kedge_error err = {0};
    records from = {0};
    bool more = true, yes;
    uint64_t wrong = 0;
    stream_counts counts;
    record r;

    (void)!format_jsonl.recognise(o->l, opts, &yes, &err);
    PROMISE(lines_number(o->l) == 0);
    PROMISE(records_open(&format_jsonl, o->l, opts, &from, &err) == KEDGE_OK);
    while (more) {
        memset(&err, 0, sizeof err);
        const kedge_status st = records_next(&from, &r, &more, &err);
        stream_get_counts(o->in, &counts);
        if (st == KEDGE_OK && more)
            check_record(&r);
        if (st == KEDGE_OK)
            continue;
        PROMISE(st == KEDGE_EFORMAT && strlen(err.text) > 0);
        more = !lines_broken(o->l);
        PROMISE(++wrong <= counts.text + 2);
    }
    records_close(&from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kedge_error err = {0};
    opened o;

    if (size == 0)
        return 0;
    if (open_bytes(&o, data + 1, size - 1, &err) == KEDGE_OK)
        read_all(&o, &choices[data[0] % 4]);
    close_bytes(&o);
    return 0;
}
