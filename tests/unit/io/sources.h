/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_IO_SOURCES_H
#define TESTS_UNIT_IO_SOURCES_H
/*
 * What tests of the reader share: sources made from bytes, compressed in the
 * ways there are, or arriving in pieces; and the reading of a whole source.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "unit.h"

#include "base/docs.h"
#include "base/mem.h"
#include "io/reader.h"
#include "io/stream.h"

/* Bytes as a test builds them. */
typedef struct blob {
    char *bytes;
    size_t size, capacity;
} blob;

static inline void blob_add(blob *b, const void *bytes, size_t size)
{
    /* Not an assertion: Check writes to a pipe for each one. */
    if (!MEM_GROW(b->bytes, b->capacity, b->size + size + 1))
        ck_abort();
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    b->bytes[b->size] = '\0';
}

KEDGE_PRINTF(2, 3)
static inline void blob_print(blob *b, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        ck_abort();
    blob_add(b, text, (size_t)n);
}

static inline void blob_free(blob *b)
{
    mem_free(b->bytes);
    *b = (blob){0};
}

static inline void reader_end(reader **r)
{
    reader_close(*r);
}

static inline void stream_end(stream **s)
{
    stream_close(*s);
}

/* One gzip member, or one zstd frame, more. */
static inline void blob_gzip(blob *to, const void *bytes, size_t size)
{
    const size_t most = size + size / 8 + 256;
    OWNED char *out = mem_new(most, 1);
    z_stream z = {0};

    ck_assert(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0) == Z_OK);
    z.next_in = (Bytef *)bytes;
    z.avail_in = (uInt)size;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)most;
    ck_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
    blob_add(to, out, most - z.avail_out);
    deflateEnd(&z);
}

static inline void blob_zstd(blob *to, const void *bytes, size_t size)
{
    const size_t most = ZSTD_compressBound(size);
    OWNED char *out = mem_new(most, 1);
    ZSTD_CCtx *c = ZSTD_createCCtx();

    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    const size_t n = ZSTD_compress2(c, out, most, bytes, size);
    ck_assert(!ZSTD_isError(n));
    blob_add(to, out, n);
    ZSTD_freeCCtx(c);
}

/* A file without a name in any folder. */
typedef struct source {
    int fd;
    char path[64];
} source;

static inline source source_make(const void *bytes, size_t size)
{
    source s = {.fd = memfd_create("source", MFD_CLOEXEC)};

    ck_assert_int_ge(s.fd, 0);
    ck_assert_int_eq(write(s.fd, bytes, size), (ssize_t)size);
    snprintf(s.path, sizeof s.path, "/proc/self/fd/%d", s.fd);
    return s;
}

static inline source source_text(const char *text)
{
    return source_make(text, strlen(text));
}

static inline void source_free(source *s)
{
    close(s->fd);
}

/* Standard input that gives `piece` bytes a read. */
typedef struct dribble {
    const char *bytes;
    size_t size, piece;
    int to;
    pthread_t thread;
} dribble;

static inline void *dribble_run(void *data)
{
    const dribble *d = data;

    for (size_t at = 0; at < d->size; at += d->piece) {
        const size_t left = d->size - at;
        if (send(d->to, d->bytes + at, left < d->piece ? left : d->piece,
                 MSG_NOSIGNAL) < 0)
            break;
    }
    close(d->to);
    return NULL;
}

static inline void dribble_start(dribble *d, const void *bytes, size_t size,
                                 size_t piece)
{
    int ends[2];

    /* Packets keep their boundaries: a read never gives more than one. */
    ck_assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    *d = (dribble){bytes, size, piece, ends[1], 0};
    ck_assert(dup2(ends[0], 0) == 0);
    close(ends[0]);
    ck_assert(pthread_create(&d->thread, NULL, dribble_run, d) == 0);
}

static inline void dribble_stop(dribble *d)
{
    const int nothing = open("/dev/null", O_RDONLY);

    ck_assert_int_ge(nothing, 0);
    dup2(nothing, 0); /* ends the writer where the reader stopped early */
    close(nothing);
    pthread_join(d->thread, NULL);
}

/* Reads a source to its end, a batch at a time, and joins the batches. `all`
 * is {0}, or has been cleared. */
static inline kedge_status read_all(const char *path, const reader_opts *opts,
                                    const reader_limits *limits, docs *all,
                                    reader_counts *counts, kedge_error *err)
{
    reader *r = NULL;
    docs batch = {0};
    bool more = true;
    kedge_status st = reader_open(path, opts, &r, err);

    while (st == KEDGE_OK && more) {
        docs_clear(&batch);
        st = reader_next(r, limits, &batch, &more, err);
        for (size_t d = 0; st == KEDGE_OK && d < batch.count; d++) {
            if (!docs_begin(all, batch.position[d]) ||
                !docs_set_name(all, docs_id(&batch, d), docs_label(&batch, d)))
                ck_abort();
            for (size_t i = batch.start[d]; i < batch.start[d + 1]; i++)
                if (!docs_push(all, batch.word[i], batch.tally[i]))
                    ck_abort();
            if (all->length[all->count - 1] != batch.length[d])
                ck_abort_msg("document %zu: wrong length", d);
        }
    }
    if (r != NULL && counts != NULL)
        reader_get_counts(r, counts);
    docs_free(&batch);
    reader_close(r);
    return st;
}

static inline void ck_same_docs(const docs *a, const docs *b)
{
    ck_assert_uint_eq(a->count, b->count);
    if (a->count == 0)
        return;
    ck_assert_mem_eq(a->position, b->position, a->count * sizeof(uint64_t));
    ck_assert_mem_eq(a->length, b->length, a->count * sizeof(uint64_t));
    ck_assert_mem_eq(a->start, b->start, (a->count + 1) * sizeof(size_t));
    ck_assert_mem_eq(a->word, b->word, docs_entries(a) * sizeof(uint32_t));
    ck_assert_mem_eq(a->tally, b->tally, docs_entries(a) * sizeof(uint32_t));
}

#endif
