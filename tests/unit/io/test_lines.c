/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "../base/chance.h"
#include "../base/gate.h"
#include "io/lines.h"

#define KB ((size_t)1 << 10)
#define MB ((size_t)1 << 20)

typedef struct opened {
    source s;
    stream *in;
    lines *l;
} opened;

static void open_path(opened *o, const char *path, size_t limit)
{
    kedge_error err = {0};

    ck_ok(stream_open(path, NULL, &o->in, &err), err);
    ck_ok(lines_open(o->in, limit, &o->l, &err), err);
}

static void open_lines(opened *o, const void *bytes, size_t size, size_t limit)
{
    o->s = source_make(bytes, size);
    open_path(o, o->s.path, limit);
}

static void close_lines(opened *o)
{
    lines_close(o->l);
    stream_close(o->in);
    if (o->s.path[0] != '\0')
        source_free(&o->s);
    *o = (opened){0};
}

static void check_next(lines *l, const char *text, size_t size,
                       uint64_t number)
{
    kedge_error err = {0};
    bool more;
    span line;

    ck_ok(lines_next(l, &line, &more, &err), err);
    if (!more || line.size != size || lines_number(l) != number ||
        (size > 0 && memcmp(line.bytes, text, size) != 0))
        ck_abort_msg("line %d: %.*s, not %.*s", (int)number, (int)line.size,
                     line.bytes, (int)size, text);
}

static void check_peek(lines *l, const char *text)
{
    kedge_error err = {0};
    bool more;
    span line;

    ck_ok(lines_peek(l, &line, &more, &err), err);
    ck_assert(more == (text != NULL));
    if (text != NULL)
        ck_assert(span_equal(line, span_text(text)));
}

static void check_end(lines *l)
{
    kedge_error err = {0};
    bool more;
    span line;

    for (int i = 0; i < 3; i++) {
        ck_ok(lines_next(l, &line, &more, &err), err);
        ck_assert(!more);
        ck_assert_uint_eq(line.size, 0);
        ck_assert(lines_ready(l, 0));
    }
}

TEST(lines_are_what_stands_between_line_ends)
{
    static const char bytes[] = "one\ntwo\r\n\n\rthree\r\r\n\r\nf\0ur\nlast";
    static const char *const texts[] = {"one", "two", "", "\rthree\r",
                                        "", "f\0ur", "last"};
    static const size_t sizes[] = {3, 3, 0, 7, 0, 4, 4};
    OWN(close_lines) opened o = {0};

    open_lines(&o, bytes, sizeof bytes - 1, LINES_LIMIT);
    ck_assert_uint_eq(lines_number(o.l), 0);
    ck_assert_str_eq(lines_name(o.l), o.s.path);
    for (size_t i = 0; i < 7; i++)
        check_next(o.l, texts[i], sizes[i], i + 1);
    check_end(o.l);
    ck_assert_uint_eq(lines_number(o.l), 7);
}

/* Whatever the pieces that they come in. One byte order mark is passed over;
 * one of UTF-16 or UTF-32 is obeyed, and what is no character is shown by a
 * byte that is none. */
TEST(lines_begin_with_a_mark_or_not)
{
    static const struct {
        const char *bytes;
        size_t size;
        int count; /* of lines, all but the first empty */
        const char *first;
    } cases[] = {
        {"", 0, 0, ""}, {"\n", 1, 1, ""}, {"\r\n", 2, 1, ""},
        {"\r", 1, 1, ""}, {"\n\n", 2, 2, ""},
        {"\xef\xbb\xbf", 3, 0, ""}, {"\xef\xbb\xbf\n", 4, 1, ""},
        {"\xef\xbb\xbf\r\n\n", 6, 2, ""},
        {"\xef\xbb\xbf" "a\n", 5, 1, "a"},
        {"\xef\xbb\xbf\xef\xbb\xbf" "a\n", 8, 1, "\xef\xbb\xbf" "a"},
        {"a\xef\xbb\xbf\n", 5, 1, "a\xef\xbb\xbf"},
        {"\xef\xbb\n", 3, 1, "\xef\xbb"}, {"\xef\xbb", 2, 1, "\xef\xbb"},
        {"\xef", 1, 1, "\xef"}, {"\xef\xbf\xbb\n", 4, 1, "\xef\xbf\xbb"},
        {"\xff\xfe" "a\0\xe4\0\n\0", 8, 1, "a\xc3\xa4"},
        {"\xfe\xff\0a\0\xe4", 6, 1, "a\xc3\xa4"},
        {"\xff\xfe" "a", 3, 1, "\xff"},
        {"\xff\xfe\0\xdc" "a\0", 6, 1, "\xff" "a"},
        {"\xff\xfe\0\0\xe4\0\0\0", 8, 1, "\xc3\xa4"},
        {"\0\0\xfe\xff\0\0\0b\0\0\0\n", 12, 1, "b"},
        {"\xff", 1, 1, "\xff"}, {"\xfe", 1, 1, "\xfe"},
        {"\xff\xff", 2, 1, "\xff\xff"}, {"a\xff\xfe", 3, 1, "a\xff\xfe"},
        {"\xfe\xef", 2, 1, "\xfe\xef"},
    };
    opened o = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 5; piece++) {
            dribble d;
            dribble_start(&d, cases[i].bytes, cases[i].size, piece);
            open_path(&o, "-", LINES_LIMIT);
            for (int n = 0; n < cases[i].count; n++)
                check_next(o.l, n == 0 ? cases[i].first : "",
                           n == 0 ? strlen(cases[i].first) : 0,
                           (uint64_t)n + 1);
            check_end(o.l);
            close_lines(&o);
            dribble_stop(&d);
        }
}

/* A line of these many bytes, told apart from others by them. */
static void add_line(blob *b, chance *c, size_t size, const char *end)
{
    char piece[64];

    for (size_t at = 0; at < size; at += sizeof piece) {
        const size_t left = size - at;
        for (size_t i = 0; i < sizeof piece; i++)
            piece[i] = (char)('a' + chance_below(c, 26));
        blob_add(b, piece, left < sizeof piece ? left : sizeof piece);
    }
    blob_add(b, end, strlen(end));
}

/* All lines of a blob, found the plain way, and how far is looked ahead. */
static void check_lines(lines *l, const blob *b, chance *c)
{
    const char *at = b->bytes, *const end = b->bytes + b->size;

    for (uint64_t number = 1; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *const next = stop == NULL ? end : stop + 1;
        stop = stop == NULL ? end : stop;
        stop -= stop > at && stop[-1] == '\r';
        if (chance_below(c, 4) == 0) {
            kedge_error err = {0};
            bool more;
            span line;
            ck_ok(lines_peek(l, &line, &more, &err), err);
        }
        if (chance_below(c, 8) == 0)
            while (!lines_ready(l, 10))
                ;
        check_next(l, at, (size_t)(stop - at), number);
        at = next;
    }
    check_end(l);
}

TEST(lines_of_all_lengths)
{
    opened o = {0};

    for (uint64_t seed = 0; seed < 100; seed++) {
        const bool whole = seed < 40;
        chance c = {.key = seed};
        OWN(blob_free) blob b = {0};
        dribble d;
        for (int i = 0; i < 50; i++) {
            const size_t most = whole ? (size_t)1 << chance_below(&c, 20) : 50;
            add_line(&b, &c, chance_below(&c, most),
                     chance_below(&c, 2) == 0 ? "\n" : "\r\n");
        }
        add_line(&b, &c, chance_below(&c, 100), "");
        if (whole) {
            open_lines(&o, b.bytes, b.size, LINES_LIMIT);
        } else {
            dribble_start(&d, b.bytes, b.size, 1 + chance_below(&c, 70));
            open_path(&o, "-", LINES_LIMIT);
        }
        check_lines(o.l, &b, &c);
        close_lines(&o);
        if (!whole)
            dribble_stop(&d);
    }
}

/* What lines_next says of the line `number` for a limit. */
static void check_too_long(opened *o, uint64_t number, size_t limit)
{
    kedge_error err = {0};
    char text[128];
    bool more;
    span line;

    snprintf(text, sizeof text,
             "%s:%d: the line is longer than %zu bytes: expected a shorter one "
             "(more --memory allows more)",
             lines_name(o->l), (int)number, limit);
    ck_assert_int_eq(lines_peek(o->l, &line, &more, &err), KEDGE_EFORMAT);
    ck_assert_str_eq(err.text, text);
    ck_assert_uint_eq(lines_number(o->l), number - 1);
    ck_assert_int_eq(lines_next(o->l, &line, &more, &err), KEDGE_EFORMAT);
    ck_assert_str_eq(err.text, text);
    ck_assert_uint_eq(lines_number(o->l), number);
    ck_assert(!more);
}

/* Lines about as long as the limit, some much longer. */
static void check_limit(size_t limit, uint64_t seed)
{
    chance c = {.key = seed};
    size_t at[30], size[30];
    OWN(close_lines) opened o = {0};
    OWN(blob_free) blob b = {0};

    for (int i = 0; i < 30; i++) {
        const bool last = i == 29; /* which need not be closed */
        size[i] = limit - 1 + chance_below(&c, 4);
        if (chance_below(&c, 3) == 0)
            size[i] = chance_below(&c, 3 * limit);
        if (last)
            size[i] = limit + seed % 2;
        at[i] = b.size;
        add_line(&b, &c, size[i],
                 last ? "" : chance_below(&c, 2) == 0 ? "\n" : "\r\n");
    }
    open_lines(&o, b.bytes, b.size, limit);
    for (int i = 0; i < 30; i++)
        if (size[i] > limit)
            check_too_long(&o, (uint64_t)i + 1, limit);
        else
            check_next(o.l, b.bytes + at[i], size[i], (uint64_t)i + 1);
    check_end(o.l);
}

TEST(lines_above_the_limit_are_passed_over)
{
    for (uint64_t seed = 0; seed < 200; seed++)
        check_limit(1 + seed, seed);
    for (uint64_t seed = 0; seed < 6; seed++) {
        check_limit(4 * KB, seed);
        check_limit(300 * KB, seed);
        check_limit(700 * KB, seed);
    }
}

/* The largest allocation, and the one before it. */
static size_t largest, former;

static bool measure(size_t bytes)
{
    if (bytes > largest) {
        former = largest;
        largest = bytes;
    }
    return true;
}

/* One line of zeros in a few kilobytes, and good ones behind it. The memory
 * asked for is the limit's, while the buffer grows, too; and it is given back,
 * so that the last line has to ask for some again. */
TEST(lines_of_a_bomb_take_no_memory)
{
    static char zeros[MB];
    const size_t limit = 5 * MB;
    OWN(blob_free) blob frame = {0}, b = {0};
    OWN(close_lines) opened o = {0};

    blob_zstd(&frame, zeros, sizeof zeros);
    for (int i = 0; i < 500; i++)
        blob_add(&b, frame.bytes, frame.size);
    blob_zstd(&b, "\ngood\n", 6);
    blob_add(&b, frame.bytes, frame.size);
    open_lines(&o, b.bytes, b.size, limit);
    largest = 0;
    mem_set_gate(measure);
    check_too_long(&o, 1, limit);
    ck_assert_uint_le(largest, limit / 2 * 3);
    ck_assert_uint_le(former, limit / 3 * 2);
    largest = 0;
    check_next(o.l, "good", 4, 2);
    ck_assert_uint_lt(largest, MB);
    check_next(o.l, zeros, MB, 3);
    ck_assert_uint_gt(largest, MB);
    check_end(o.l);
    mem_set_gate(NULL);
}

TEST(lines_are_looked_at_ahead)
{
    OWN(close_lines) opened o = {0};

    open_lines(&o, "\xef\xbb\xbfone\r\n\nthree", 14, LINES_LIMIT);
    check_peek(o.l, "one");
    check_peek(o.l, "one");
    ck_assert_uint_eq(lines_number(o.l), 0);
    check_next(o.l, "one", 3, 1);
    check_peek(o.l, "");
    check_next(o.l, "", 0, 2);
    check_next(o.l, "three", 5, 3);
    check_peek(o.l, NULL);
    check_end(o.l);
}

/* Standard input from a pipe; what is to be written to. */
static int make_pipe(void)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], 0), 0);
    close(ends[0]);
    return ends[1];
}

static void put(int to, const char *text)
{
    const size_t size = strlen(text);

    ck_assert_int_eq(write(to, text, size), (ssize_t)size);
}

TEST(lines_are_ready_when_whole)
{
    const int to = make_pipe();
    OWN(close_lines) opened o = {0};

    put(to, "\xef\xbb\xbfone, two, ");
    open_path(&o, "-", LINES_LIMIT);
    ck_assert(!lines_ready(o.l, 0));
    ck_assert(!lines_ready(o.l, 0.01));
    put(to, "\nthree\nfour");
    ck_assert(lines_ready(o.l, 0));
    check_next(o.l, "one, two, ", 10, 1);
    ck_assert(lines_ready(o.l, 0));
    check_next(o.l, "three", 5, 2);
    ck_assert(!lines_ready(o.l, 0));
    put(to, ", five\nsi");
    ck_assert(lines_ready(o.l, 0));
    check_next(o.l, "four, five", 10, 3);
    ck_assert(!lines_ready(o.l, 0));
    close(to);
    ck_assert(lines_ready(o.l, 0));
    check_next(o.l, "si", 2, 4);
    check_end(o.l);
}

static int stop_once(void *data)
{
    return (*(int *)data)++ == 0;
}

TEST(lines_stopped_once_stay_so)
{
    int asked = 0;
    const kedge_control control = {.data = &asked, .stop = stop_once};
    const int to = make_pipe();
    kedge_error err = {0};
    OWN(close_lines) opened o = {0};
    bool more;
    span line;

    put(to, "one\ntwo, three");
    ck_ok(stream_open("-", &control, &o.in, &err), err);
    ck_ok(lines_open(o.in, LINES_LIMIT, &o.l, &err), err);
    check_next(o.l, "one", 3, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(lines_next(o.l, &line, &more, &err),
                         KEDGE_ECANCELED);
        ck_assert(lines_ready(o.l, 0));
        put(to, ", four\n");
    }
    ck_assert_int_eq(asked, 1);
    close(to);
}

/* What came before the damage is given, then the reason, again and again. */
TEST(lines_end_where_the_source_breaks_off)
{
    for (int waited = 0; waited < 2; waited++) {
        OWN(close_lines) opened o = {0};
        kedge_error err = {0};
        OWN(blob_free) blob b = {0};
        bool more;
        span line;
        blob_gzip(&b, "one\ntwo\nthr", 11);
        open_lines(&o, b.bytes, b.size - 3, LINES_LIMIT);
        if (waited)
            check_peek(o.l, "one");
        check_next(o.l, "one", 3, 1);
        check_next(o.l, "two", 3, 2);
        if (waited)
            ck_assert(lines_ready(o.l, 1));
        for (int i = 0; i < 3; i++) {
            ck_fails(lines_next(o.l, &line, &more, &err), KEDGE_EFORMAT, err,
                     "the file is cut off: the gzip data ends too early");
            ck_assert(!more);
            ck_assert_uint_eq(lines_number(o.l), 2);
            memset(&err, 0, sizeof err);
        }
    }
}

/* A line of 3 MB and a short one, with k allocations. After a refusal the same
 * call goes on when there is memory again. */
TEST(lines_outlive_a_lack_of_memory)
{
    chance c = {.key = 5};
    OWN(blob_free) blob b = {0};
    long k = 0;

    add_line(&b, &c, 3 * MB, "\n");
    add_line(&b, &c, 10, "\n");
    for (bool refused = true; refused; k++) {
        kedge_error err = {0};
        OWN(close_lines) opened o = {.s = source_make(b.bytes, b.size)};
        kedge_status st;
        bool more;
        span line;
        ck_ok(stream_open(o.s.path, NULL, &o.in, &err), err);
        gate_allow(k);
        st = lines_open(o.in, LINES_LIMIT, &o.l, &err);
        if (st == KEDGE_OK)
            st = lines_next(o.l, &line, &more, &err);
        gate_open();
        refused = st != KEDGE_OK;
        ck_assert((o.l == NULL) == (k == 0));
        if (refused)
            ck_fails(st, KEDGE_ENOMEM, err, "out of memory");
        if (o.l != NULL && refused)
            check_next(o.l, b.bytes, 3 * MB, 1);
        if (o.l != NULL)
            check_next(o.l, b.bytes + 3 * MB + 1, 10, 2);
    }
    ck_assert_int_gt(k, 5);
}
