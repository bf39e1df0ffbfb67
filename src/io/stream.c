/* SPDX-License-Identifier: MIT */
/*
 * One input buffer is filled by read(2) and emptied by the decoder that the
 * first bytes chose. A decoder writes straight to the caller's memory; plain
 * bytes are read there directly once the first bytes are handed over.
 */
#include "io/stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/again.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/text/letters.h"

#define INPUT_BYTES ((size_t)256 << 10)
#define NAME_BYTES 400 /* leaves the reason its room in an error's text */
#define WAIT_MS 100    /* between looks at whether to stop */
#define MAGIC_BYTES 10 /* of the longest magic of what is read */
#define RAW_BYTES ((size_t)16 << 10) /* converted at a time, */
#define TEXT_BYTES ((size_t)64 << 10) /* to UTF-8 */
#define NOT_TEXT ((char)0xff) /* in place of what cannot be converted */

/* Decodes some of the input that there is. */
typedef kedge_status decoder(stream *s, char *to, size_t room, size_t *got,
                             kedge_error *err);

/* What bytes are, before they are converted. */
typedef enum kind { UNDECIDED, UTF8, CONVERTED } kind;

struct stream {
    char name[NAME_BYTES];
    int fd;
    const kedge_control *control; /* NULL: nobody stops us */
    bool owned; /* standard input is not */
    bool ended; /* read(2) has said so */
    char *input;
    size_t at, end; /* of what is left in the input */
    decoder *decode; /* NULL: the bytes are plain */
    const char *packed; /* "zstd" */
    ZSTD_DStream *zstd;
    unsigned window_log; /* of zstd data at most */
    z_stream gzip;
    bool gzip_open;
    bool between; /* frames or members: the only place where data may end */
    bool pending; /* the decoder holds output that had no room */
    uint64_t pieces; /* frames or members decoded to their end */
    stream_counts counts;
    bool begun;   /* a byte order mark was looked for */
    iconv_t convert; /* NO_CONVERTER: the bytes are UTF-8 already */
    bool by_lines; /* it leaves ASCII's line ends as they are */
    kind kind;       /* of the line, or of all */
    unsigned unit;   /* bytes of its shortest character */
    bool finished;   /* nothing more comes that is to be converted */
    bool full;       /* and what is there had no room */
    char *raw, *text; /* raw: what was read for the mark as well */
    size_t raw_at, raw_end, text_at, text_end;
};

#define NO_CONVERTER ((iconv_t)-1)

/* ---- the file ------------------------------------------------------------ */

/* Until there is something to read, or the caller wants to stop. A regular file
 * is always ready; of what poll cannot watch, read(2) gives the error. */
static kedge_status wait_for_input(const stream *s, kedge_error *err)
{
    struct pollfd fd = {.fd = s->fd, .events = POLLIN};
    kedge_status st = KEDGE_OK;
    int ready = 0;

    while (st == KEDGE_OK && s->control != NULL && ready == 0) {
        ready = poll(&fd, 1, WAIT_MS);
        if (ready < 0 && errno == EINTR)
            ready = 0;
        if (ready == 0)
            st = run_check(s->control, err);
    }
    return st;
}

bool stream_ready(const stream *s, double seconds)
{
    struct pollfd fd = {.fd = s->fd, .events = POLLIN};

    return s->text_at < s->text_end || s->full ||
           (s->convert == NO_CONVERTER && s->raw_at < s->raw_end) ||
           s->at < s->end || s->pending || s->ended ||
           poll(&fd, 1, seconds > 0 ? (int)(1000 * seconds) + 1 : 0) != 0;
}

static kedge_status read_some(stream *s, char *to, size_t room, size_t *got,
                              kedge_error *err)
{
    const kedge_status st = wait_for_input(s, err);
    ssize_t n;

    if (st != KEDGE_OK)
        return st;
    do
        n = read(s->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return kedge_fail(err, KEDGE_EIO, "%s: cannot read: %s", s->name,
                          strerror(errno));
    *got = (size_t)n;
    s->ended = n == 0;
    s->counts.read += (uint64_t)n;
    return KEDGE_OK;
}

/* More input after what there is, which moves to the front. */
static kedge_status fill(stream *s, kedge_error *err)
{
    size_t got = 0;
    kedge_status st = KEDGE_OK;

    if (s->at == s->end)
        s->at = s->end = 0;
    assert(s->end < INPUT_BYTES);
    if (!s->ended)
        st = read_some(s, s->input + s->end, INPUT_BYTES - s->end, &got, err);
    s->end += got;
    return st;
}

/* ---- decoding ------------------------------------------------------------ */

static kedge_status damaged(const stream *s, const char *why, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EFORMAT,
                      "%s: the %s data is damaged (%s)",
                      s->name, s->packed, why);
}

static kedge_status trailing(const stream *s, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EFORMAT,
                      "%s: data of another kind follows the %s data",
                      s->name, s->packed);
}

/* At least one byte before conversion, unless the source has ended. */
static kedge_status take(stream *s, char *to, size_t room, size_t *got,
                         kedge_error *err)
{
    const size_t left = s->end - s->at;

    *got = 0;
    if (s->decode == NULL && left > 0) {
        *got = left < room ? left : room;
        memcpy(to, s->input + s->at, *got);
        s->at += *got;
    } else if (s->decode == NULL && !s->ended) {
        PASS(read_some(s, to, room, got, err));
    }
    while (s->decode != NULL && *got == 0) {
        if (s->at == s->end && !s->pending)
            PASS(fill(s, err));
        if (s->at < s->end || s->pending || !s->ended) {
            PASS(s->decode(s, to, room, got, err));
            continue;
        }
        if (!s->between)
            return kedge_fail(err, KEDGE_EFORMAT,
                              "%s: the file is cut off: the %s data ends too "
                              "early",
                              s->name, s->packed);
        break;
    }
    s->counts.text += *got;
    return KEDGE_OK;
}

/* ---- zstd ---------------------------------------------------------------- */

static kedge_status zstd_fail(const stream *s, size_t code, kedge_error *err)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return kedge_fail(err, KEDGE_ENOMEM, "%s: out of memory (zstd)",
                          s->name);
    case ZSTD_error_frameParameter_windowTooLarge:
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s: the zstd data needs a window above %d MB%s: "
                          "compress it with --long=%u or less",
                          s->name, 1 << (s->window_log - 20),
                          s->window_log < STREAM_WINDOW_LOG
                              ? ", the most that --memory allows"
                              : "",
                          s->window_log);
    case ZSTD_error_prefix_unknown:
        if (s->pieces > 0)
            return trailing(s, err);
        break;
    default:
        break;
    }
    return damaged(s, ZSTD_getErrorName(code), err);
}

void stream_set_window(stream *s, unsigned log)
{
    assert(log >= 20 && log <= STREAM_WINDOW_LOG);
    s->window_log = log;
    if (s->zstd != NULL) /* cannot fail within what zstd knows */
        (void)ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, (int)log);
}

static kedge_status zstd_step(stream *s, char *to, size_t room, size_t *got,
                              kedge_error *err)
{
    ZSTD_outBuffer put = {to, room, 0};
    ZSTD_inBuffer from = {s->input, s->end, s->at};
    const size_t code = ZSTD_decompressStream(s->zstd, &put, &from);

    if (ZSTD_isError(code))
        return zstd_fail(s, code, err);
    s->at = from.pos;
    s->between = code == 0;
    s->pieces += s->between;
    s->pending = put.pos == put.size && !s->between;
    *got = put.pos;
    return KEDGE_OK;
}

/* ---- gzip ---------------------------------------------------------------- */

static voidpf gzip_alloc(voidpf data, uInt items, uInt size)
{
    (void)data;
    return mem_new(items, size);
}

static void gzip_free(voidpf data, voidpf memory)
{
    (void)data;
    mem_free(memory);
}

static kedge_status gzip_fail(const stream *s, int code, kedge_error *err)
{
    if (code == Z_MEM_ERROR)
        return kedge_fail(err, KEDGE_ENOMEM, "%s: out of memory (zlib)",
                          s->name);
    if (s->pieces > 0 && s->gzip.total_in <= 2)
        return trailing(s, err);
    return damaged(s, s->gzip.msg != NULL ? s->gzip.msg : zError(code), err);
}

static kedge_status gzip_step(stream *s, char *to, size_t room, size_t *got,
                              kedge_error *err)
{
    const size_t most = (size_t)1 << 30; /* zlib counts in 32 bits */
    z_stream *z = &s->gzip;
    int code;

    room = room < most ? room : most;
    if (s->between && inflateReset(z) != Z_OK)
        return damaged(s, "cannot go on", err);
    z->next_in = (Bytef *)s->input + s->at;
    z->avail_in = (uInt)(s->end - s->at);
    z->next_out = (Bytef *)to;
    z->avail_out = (uInt)room;
    code = inflate(z, Z_NO_FLUSH);
    s->at = s->end - z->avail_in;
    *got = room - z->avail_out;
    s->between = code == Z_STREAM_END;
    s->pieces += s->between;
    s->pending = z->avail_out == 0 && !s->between;
    /* Z_BUF_ERROR only says that there was nothing to do. */
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return gzip_fail(s, code, err);
    return KEDGE_OK;
}

/* ---- encodings ----------------------------------------------------------- */

/* Whether what is ASCII stays so: then lines can be found before they are
 * converted. */
static bool keeps_lines(iconv_t convert)
{
    char in[] = "a\n", out[8], *from = in, *to = out;
    size_t left = 2, room = sizeof out;
    const bool kept = iconv(convert, &from, &left, &to, &room) == 0 &&
                      to == out + 2 && memcmp(in, out, 2) == 0;

    (void)iconv(convert, NULL, NULL, NULL, NULL);
    return kept;
}

static kedge_status converter_open(stream *s, const char *name,
                                   kedge_error *err)
{
    if (s->convert != NO_CONVERTER)
        iconv_close(s->convert);
    /* What follows a slash would leave out what cannot be converted. */
    s->convert = strchr(name, '/') != NULL ? NO_CONVERTER
                                           : iconv_open("UTF-8", name);
    if (s->convert == NO_CONVERTER)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: the encoding \"%.40s\" is not known: 'iconv "
                          "-l' lists those that are", s->name, name);
    s->unit = strncasecmp(name, "utf-16", 6) == 0 ||
                      strncasecmp(name, "ucs-2", 5) == 0   ? 2
              : strncasecmp(name, "utf-32", 6) == 0 ||
                      strncasecmp(name, "ucs-4", 5) == 0 ? 4
                                                             : 1;
    s->by_lines = keeps_lines(s->convert);
    if (s->text == NULL)
        PASS_MEM(s->text = mem_new(TEXT_BYTES, 1));
    return KEDGE_OK;
}

typedef struct mark {
    const char *bytes;
    size_t size;
    const char *encoding; /* NULL: UTF-8 */
} mark;

/* Longer ones before those that they begin with. */
static const mark marks[] = {
    {"\xff\xfe\0\0", 4, "UTF-32LE"}, {"\0\0\xfe\xff", 4, "UTF-32BE"},
    {"\xff\xfe", 2, "UTF-16LE"},     {"\xfe\xff", 2, "UTF-16BE"},
    {"\xef\xbb\xbf", 3, NULL},
};
#define MARKS (sizeof marks / sizeof *marks)

/* Whether what there is may be the beginning of one. */
static bool like_mark(const stream *s)
{
    for (size_t i = 0; i < MARKS; i++)
        if (s->raw_end < marks[i].size &&
            (s->raw_end == 0 ||
             memcmp(s->raw, marks[i].bytes, s->raw_end) == 0))
            return true;
    return false;
}

/* A byte order mark is passed over and obeyed; no more bytes are waited for
 * than it takes to see whether there is one. */
static kedge_status begin_text(stream *s, kedge_error *err)
{
    size_t got;

    s->begun = true;
    while (like_mark(s)) {
        PASS(take(s, s->raw + s->raw_end, RAW_BYTES - s->raw_end, &got, err));
        if (got == 0)
            break;
        s->raw_end += got;
    }
    for (size_t i = 0; i < MARKS; i++) {
        const mark *const m = &marks[i];
        if (s->raw_end < m->size || memcmp(s->raw, m->bytes, m->size) != 0)
            continue;
        s->raw_at = m->size;
        if (m->encoding != NULL) {
            PASS(converter_open(s, m->encoding, err));
            s->kind = CONVERTED;
        } else if (s->convert != NO_CONVERTER) {
            iconv_close(s->convert);
            s->convert = NO_CONVERTER;
        }
        break;
    }
    return KEDGE_OK;
}

/* What the bytes are, which may end within a character: UNDECIDED where they
 * are the same in either way. */
static kind kind_of(const stream *s, const char *bytes, size_t size)
{
    const char *at = bytes, *const end = bytes + size;
    bool ascii = true;
    uint32_t point;

    while (at < end) {
        const unsigned n = utf8_take(at, end, &point);
        if (n == 0 && end - at > 3)
            return CONVERTED;
        if (n == 0)
            break;
        if (point == 0 && !s->by_lines)
            return CONVERTED;
        ascii = ascii && n == 1;
        at += n;
    }
    if (at < end && (bytes[size - 1] == '\n' || s->finished))
        return CONVERTED;
    return ascii && s->by_lines ? UNDECIDED : UTF8;
}

/* How many of the raw bytes from `from` on are one line, or what there is of a
 * long one, or all of a source that has no such lines; 0: more have to come.
 * Decides what they are. */
static size_t take_piece(stream *s, const char *from, size_t left)
{
    const char *const newline = memchr(from, '\n', left);
    const bool whole = s->by_lines && newline != NULL;
    const size_t size = whole ? (size_t)(newline - from) + 1 : left;

    if (s->kind == UNDECIDED) {
        if (!whole && !s->finished && left < RAW_BYTES)
            return 0;
        s->kind = kind_of(s, from, size);
    }
    return size;
}

/* Appends the bytes to the text as they are, as far as there is room. */
static size_t keep_some(stream *s, const char *from, size_t size)
{
    const size_t room = TEXT_BYTES - s->text_end;

    s->full = size > room;
    size = s->full ? room : size;
    memcpy(s->text + s->text_end, from, size);
    s->text_end += size;
    return size;
}

/* Appends them converted, as far as there is room, and they make characters. */
static size_t convert_piece(stream *s, char *from, size_t size)
{
    char *at = from, *to = s->text + s->text_end;
    size_t left = size, room = TEXT_BYTES - s->text_end;

    while (left > 0) {
        if (iconv(s->convert, &at, &left, &to, &room) != (size_t)-1 ||
            (errno == EINVAL && !s->finished))
            break;
        s->full = errno == E2BIG || room == 0;
        if (s->full)
            break;
        const size_t bad = left < s->unit ? left : s->unit;
        at += bad;
        left -= bad;
        *to++ = NOT_TEXT;
        room--;
    }
    if (s->finished && left == 0)
        (void)iconv(s->convert, NULL, NULL, &to, &room);
    s->text_end = (size_t)(to - s->text);
    return size - left;
}

/* What there is of raw bytes, as far as it goes. A line that is UTF-8 is that,
 * whatever encoding was named. */
static void convert_some(stream *s)
{
    s->full = false;
    s->text_at = s->text_end = 0;
    while (s->raw_at < s->raw_end && !s->full) {
        char *const from = s->raw + s->raw_at;
        const size_t size = take_piece(s, from, s->raw_end - s->raw_at);
        const size_t done = size == 0         ? 0
                            : s->kind == UTF8 ? keep_some(s, from, size)
                                              : convert_piece(s, from, size);
        s->raw_at += done;
        if (done < size || size == 0)
            break;
        if (s->by_lines && from[size - 1] == '\n')
            s->kind = UNDECIDED; /* the next line is another */
    }
    s->raw_end -= s->raw_at;
    memmove(s->raw, s->raw + s->raw_at, s->raw_end);
    s->raw_at = 0;
}

static kedge_status converted_read(stream *s, char *to, size_t room,
                                   size_t *got, kedge_error *err)
{
    size_t more;

    while (s->text_at == s->text_end) {
        if (s->raw_at < s->raw_end || s->finished)
            convert_some(s);
        if (s->text_at < s->text_end || s->finished)
            break;
        PASS(take(s, s->raw + s->raw_end, RAW_BYTES - s->raw_end, &more, err));
        s->raw_end += more;
        s->finished = more == 0;
    }
    *got = s->text_end - s->text_at < room ? s->text_end - s->text_at : room;
    if (*got > 0)
        memcpy(to, s->text + s->text_at, *got);
    s->text_at += *got;
    return KEDGE_OK;
}

kedge_status stream_set_encoding(stream *s, const char *name,
                                 kedge_error *err)
{
    return name == NULL || strcasecmp(name, "utf-8") == 0 ||
                   strcasecmp(name, "utf8") == 0
               ? KEDGE_OK
               : converter_open(s, name, err);
}

void stream_set_binary(stream *s)
{
    s->begun = true;
}

/* ---- opening ------------------------------------------------------------- */

static bool starts(const stream *s, const char *magic, size_t size)
{
    return s->end >= size && memcmp(s->input, magic, size) == 0;
}

/* What is known, but not read: what it is called, and what to do about it. */
static kedge_status check_foreign(const stream *s, kedge_error *err)
{
    static const struct {
        const char *magic;
        uint8_t size;
        bool packed;
        const char *name, *advice;
    } known[] = {
        {"\xfd" "7zXZ\0", 6, true, "xz data", "'xz -d' unpacks it"},
        {"\x04\x22\x4d\x18", 4, true, "lz4 data", "'lz4 -d' unpacks it"},
        {"PK\x03\x04", 4, true, "zip data",
         "'unzip' unpacks it; of an Office document, its text is needed"},
        {"7z\xbc\xaf\x27\x1c", 6, true, "7z data", "'7z x' unpacks it"},
        {"%PDF-", 5, false, "a PDF", "'pdftotext' makes text of it"},
        {"%!PS", 4, false, "PostScript", "'ps2ascii' makes text of it"},
        {"{\\rtf", 5, false, "RTF", "'unrtf --text' makes text of it"},
        {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, false,
         "an Office document", "save it as text first"},
        {"PAR1", 4, false, "Parquet data", "save it as CSV or JSON lines"},
        {"SQLite format 3", 15, false, "an SQLite database",
         "save its tables as CSV first"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (starts(s, known[i].magic, known[i].size))
            return kedge_fail(err, KEDGE_EFORMAT,
                              "%s: this is %s: expected %s (%s)", s->name,
                              known[i].name,
                              known[i].packed ? "plain, gzip or zstd"
                                              : "text",
                              known[i].advice);
    if (starts(s, "BZh", 3) && s->end >= 10 &&
        memcmp(s->input + 4, "1AY&SY", 6) == 0)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s: this is bzip2 data: expected plain, gzip or "
                          "zstd ('bzip2 -d' unpacks it)", s->name);
    return KEDGE_OK;
}

static kedge_status choose_decoder(stream *s, kedge_error *err)
{
    /* A skippable frame comes first in what pzstd writes. */
    const bool skippable = s->end >= 4 && (s->input[0] & 0xf0) == 0x50 &&
                           memcmp(s->input + 1, "\x2a\x4d\x18", 3) == 0;

    PASS(check_foreign(s, err));
    if (skippable || starts(s, "\x28\xb5\x2f\xfd", 4)) {
        s->decode = zstd_step;
        s->packed = "zstd";
        PASS_MEM(s->zstd = ZSTD_createDStream());
        stream_set_window(s, STREAM_WINDOW_LOG);
    } else if (starts(s, "\x1f\x8b", 2)) {
        s->decode = gzip_step;
        s->packed = "gzip";
        s->gzip.zalloc = gzip_alloc;
        s->gzip.zfree = gzip_free;
        const int code = inflateInit2(&s->gzip, 15 + 16); /* gzip's header */
        if (code != Z_OK)
            return gzip_fail(s, code, err);
        s->gzip_open = true;
    }
    return KEDGE_OK;
}

uint64_t stream_time(const struct stat *about)
{
    return (uint64_t)about->st_mtim.tv_sec * 1000000000 +
           (uint64_t)about->st_mtim.tv_nsec;
}

static kedge_status open_file(stream *s, const char *path, kedge_error *err)
{
    struct stat about;

    s->owned = strcmp(path, "-") != 0;
    s->fd = STDIN_FILENO;
    if (s->owned)
        s->fd = again_open(path, O_RDONLY);
    if (s->fd < 0 || fstat(s->fd, &about) != 0)
        return kedge_fail(err, KEDGE_EIO, "%s: cannot open: %s%s", s->name,
                          strerror(errno),
                          errno == EACCES ? "; make it readable (chmod a+r), "
                                            "or leave it out"
                                          : "");
    if (S_ISDIR(about.st_mode))
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s: this is a directory: expected a file",
                          s->name);
    if (S_ISREG(about.st_mode)) {
        s->counts.total = (uint64_t)about.st_size;
        s->counts.modified = s->owned ? stream_time(&about) : 0;
        /* Advice: reading works as well where it is not taken. */
        (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return KEDGE_OK;
}

kedge_status stream_open(const char *path, const kedge_control *control,
                         stream **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stream *s = NULL;

    *out = NULL;
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->fd = -1;
    s->convert = NO_CONVERTER;
    s->control = control;
    if (strcmp(path, "-") == 0)
        snprintf(s->name, sizeof s->name, "standard input");
    else if (strlen(path) < sizeof s->name)
        snprintf(s->name, sizeof s->name, "%s", path);
    else /* the end says more */
        snprintf(s->name, sizeof s->name, "...%s",
                 path + strlen(path) - sizeof s->name + 4);
    TRY_MEM(s->input = mem_new(INPUT_BYTES, 1));
    TRY_MEM(s->raw = mem_new(RAW_BYTES, 1));
    TRY(open_file(s, path, err));
    /* Enough to say what it is: no magic has the end of a line, and a short
     * first line of a pipe is not to wait for the second. */
    while (!s->ended && s->end < MAGIC_BYTES &&
           memchr(s->input, '\n', s->end) == NULL)
        TRY(fill(s, err));
    TRY(choose_decoder(s, err));
    *out = s;
    s = NULL;
out:
    stream_close(s);
    return st;
}

kedge_status stream_read(stream *s, char *to, size_t room, size_t *got,
                         kedge_error *err)
{
    assert(room > 0);
    *got = 0;
    if (!s->begun)
        PASS(begin_text(s, err));
    if (s->convert != NO_CONVERTER)
        return converted_read(s, to, room, got, err);
    if (s->raw_at == s->raw_end)
        return take(s, to, room, got, err);
    *got = s->raw_end - s->raw_at; /* what was read for the mark comes first */
    *got = *got < room ? *got : room;
    memcpy(to, s->raw + s->raw_at, *got);
    s->raw_at += *got;
    return KEDGE_OK;
}

const char *stream_name(const stream *s)
{
    return s->name;
}

void stream_get_counts(const stream *s, stream_counts *out)
{
    *out = s->counts;
}

void stream_close(stream *s)
{
    if (s == NULL)
        return;
    if (s->gzip_open)
        inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    if (s->owned && s->fd >= 0)
        close(s->fd);
    if (s->convert != NO_CONVERTER)
        iconv_close(s->convert);
    mem_free(s->raw);
    mem_free(s->text);
    mem_free(s->input);
    mem_free(s);
}

/* ---- sizes --------------------------------------------------------------- */

#define FRAME_HEADER 18 /* bytes at most, with the magic number */
#define BLOCKS_MOST 1000000 /* that are looked at: a second or so */
#define RATE 5 /* bytes of text for one that is compressed, about */

static uint64_t little_endian(const uint8_t *from, size_t size)
{
    uint64_t value = 0;

    while (size-- > 0)
        value = value << 8 | from[size];
    return value;
}

/* A frame's header (RFC 8878, 3.1.1.1): its size, and the window. */
static size_t measure_header(const uint8_t *head, uint64_t *window)
{
    const size_t sizes[2][4] = {{0, 2, 4, 8}, {1, 2, 4, 8}};
    const size_t single = head[4] >> 5 & 1;
    const size_t content = sizes[single][head[4] >> 6];
    const size_t dictionary = (size_t[]){0, 1, 2, 4}[head[4] & 3];
    const unsigned log = 10 + (head[5] >> 3);

    if (single == 1)
        *window = little_endian(head + 5 + dictionary, content) +
                  (content == 2 ? 256 : 0);
    else
        *window = (UINT64_C(1) << log) / 8 * (8 + (head[5] & 7));
    return 6 - single + dictionary + content;
}

/* Frames one after another, each a chain of blocks (3.1.1.2), with a checksum
 * or not; some hold no data (3.1.2). */
static bool measure_zstd(int fd, uint64_t end, uint64_t *most)
{
    uint8_t head[FRAME_HEADER];
    uint64_t at = 0, window, seen = 0;

    while (at < end) {
        memset(head, 0, sizeof head);
        if (pread(fd, head, sizeof head, (off_t)at) < 8)
            return false;
        const uint64_t magic = little_endian(head, 4);
        if (magic >> 4 == ZSTD_MAGIC_SKIPPABLE_START >> 4) {
            at += 8 + little_endian(head + 4, 4);
            continue;
        }
        if (magic != ZSTD_MAGICNUMBER)
            return false;
        const bool checksum = head[4] >> 2 & 1;
        at += measure_header(head, &window);
        *most = *most > window ? *most : window;
        for (bool last = false; !last;) {
            if (seen++ == BLOCKS_MOST || pread(fd, head, 3, (off_t)at) < 3)
                return false;
            const uint64_t block = little_endian(head, 3);
            last = block & 1;
            at += 3 + ((block >> 1 & 3) == 1 ? 1 : block >> 3);
        }
        at += checksum ? 4 : 0;
    }
    return at == end;
}

void stream_measure(const char *path, stream_size *out)
{
    const uint8_t gzip[2] = {0x1f, 0x8b};
    uint8_t magic[4] = {0};
    struct stat about;
    bool known = false;
    int fd = -1;

    *out = (stream_size){0};
    if (strcmp(path, "-") != 0 && stat(path, &about) == 0 &&
        S_ISREG(about.st_mode))
        fd = again_open(path, O_RDONLY);
    if (fd >= 0 && pread(fd, magic, sizeof magic, 0) >= 0) {
        const uint64_t size = (uint64_t)about.st_size;
        const bool zstd =
            little_endian(magic, 4) == ZSTD_MAGICNUMBER ||
            little_endian(magic, 4) >> 4 == ZSTD_MAGIC_SKIPPABLE_START >> 4;
        known = !zstd || measure_zstd(fd, size, &out->window);
        out->text = zstd || memcmp(magic, gzip, sizeof gzip) == 0
                        ? RATE * size : size;
    }
    if (fd >= 0)
        close(fd);
    if (!known)
        *out = (stream_size){0};
}

const char *stream_library_version(void)
{
    return zlibVersion();
}
