/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "../base/gate.h"
#include "base/hash.h"
#include "io/stream.h"

/* The whole stream, asked for `room` bytes at a time. */
static kedge_status read_bytes(const char *path, size_t room, blob *to,
                               kedge_error *err)
{
    char *piece = mem_new(room, 1);
    stream *in = NULL;
    size_t got = 1;
    kedge_status st = stream_open(path, NULL, &in, err);

    while (st == KEDGE_OK && got > 0) {
        st = stream_read(in, piece, room, &got, err);
        if (st == KEDGE_OK)
            blob_add(to, piece, got);
    }
    stream_close(in);
    mem_free(piece);
    return st;
}

/* Text that compresses, but not to nothing. */
static void some_text(blob *to, size_t size)
{
    for (uint64_t i = 0; to->size < size; i++)
        blob_print(to, "%u ", (unsigned)(hash_stream(1, i) % 5000));
}

typedef void packer(blob *to, const void *bytes, size_t size);

/* A blob that holds the text in `pieces` frames or members. */
static void pack(packer *packing, const blob *text, size_t pieces, blob *to)
{
    const size_t each = text->size / pieces;

    for (size_t i = 0; i < pieces; i++)
        packing(to, text->bytes + i * each,
                i + 1 < pieces ? each : text->size - i * each);
}

static void check_same(const char *path, size_t room, const blob *text)
{
    kedge_error err = {0};
    OWN(blob_free) blob b = {0};

    ck_ok(read_bytes(path, room, &b, &err), err);
    ck_assert_uint_eq(b.size, text->size);
    if (b.size > 0)
        ck_assert_mem_eq(b.bytes, text->bytes, text->size);
}

static packer *const packers[] = {blob_add, blob_gzip, blob_zstd};
static const char *const names[] = {"plain", "gzip", "zstd"};

TEST(stream_gives_the_same_bytes_however_packed)
{
    static const size_t rooms[] = {1, 7, 4096, 1 << 20};
    static const size_t pieces[] = {1, 2, 50};

    for (size_t size = 1; size < 1500000; size *= 11)
        for (int p = 0; p < 3; p++)
            for (int n = 0; n < 3; n++) {
                OWN(blob_free) blob text = {0}, packed = {0};
                some_text(&text, size);
                pack(packers[p], &text, pieces[n], &packed);
                OWN(source_free) source s =
                    source_make(packed.bytes, packed.size);
                for (int r = size > 200000 ? 2 : 0; r < 4; r++)
                    check_same(s.path, rooms[r], &text);
            }
}

TEST(stream_takes_what_comes_in_any_pieces)
{
    static const size_t pieces[] = {1, 2, 3, 11, 1000};
    OWN(blob_free) blob text = {0};

    some_text(&text, 5000);
    for (int p = 0; p < 3; p++)
        for (int n = 0; n < 5; n++) {
            OWN(blob_free) blob packed = {0};
            dribble d;
            pack(packers[p], &text, 3, &packed);
            dribble_start(&d, packed.bytes, packed.size, pieces[n]);
            check_same("-", 1777, &text); /* holds a packet */
            dribble_stop(&d);
        }
}

TEST(stream_takes_skippable_frames_and_nothing)
{
    static const char skippable[] = "\x50\x2a\x4d\x18\x04\0\0\0abcd";
    blob b = {0}, text = {0};
    const blob nothing = {0};

    blob_print(&text, "hallo");
    blob_add(&b, skippable, 12);
    blob_zstd(&b, "hal", 3);
    blob_add(&b, skippable, 12);
    blob_zstd(&b, "lo", 2);
    blob_add(&b, skippable, 12);
    source s = source_make(b.bytes, b.size);
    check_same(s.path, 100, &text);
    source_free(&s);
    blob_free(&b);
    s = source_make("", 0);
    check_same(s.path, 100, &nothing);
    source_free(&s);
    blob_free(&text);
    for (int p = 1; p < 3; p++) {
        packers[p](&b, "", 0);
        s = source_make(b.bytes, b.size);
        check_same(s.path, 100, &nothing);
        source_free(&s);
        blob_free(&b);
    }
}

static void check_fails(const blob *packed, const char *reason)
{
    OWN(source_free) source s = source_make(packed->bytes, packed->size);
    kedge_error err = {0};
    char text[300];
    OWN(blob_free) blob b = {0};

    snprintf(text, sizeof text, "%s: %s", s.path, reason);
    ck_assert_int_eq(read_bytes(s.path, 4096, &b, &err), KEDGE_EFORMAT);
    if (strchr(reason, '*') == NULL)
        ck_assert_str_eq(err.text, text);
    else /* the reason is the library's from there on */
        ck_assert_int_eq(strncmp(err.text, text, strcspn(text, "*")), 0);
}

TEST(stream_finds_its_end)
{
    OWN(blob_free) blob text = {0};

    some_text(&text, 3000);
    for (int p = 1; p < 3; p++) {
        OWN(blob_free) blob packed = {0};
        char reason[128];
        pack(packers[p], &text, 2, &packed);
        snprintf(reason, sizeof reason,
                 "the file is cut off: the %s data ends too early",
                 names[p]);
        OWN(blob_free) blob first = {0};
        pack(packers[p], &(blob){text.bytes, text.size / 2, 0}, 1, &first);
        for (size_t size = 4; size < packed.size; size++) {
            blob cut = {packed.bytes, size, 0};
            if (size != first.size) /* where it is whole */
                check_fails(&cut, reason);
        }
        blob_print(&packed, "and more");
        snprintf(reason, sizeof reason,
                 "data of another kind follows the %s data",
                 names[p]);
        check_fails(&packed, reason);
    }
}

/* Any bit that flips is found, by a checksum if by nothing else, or it was one
 * that means nothing, such as those between the last block and a checksum. */
TEST(stream_finds_flipped_bits)
{
    blob text = {0}, packed = {0};

    some_text(&text, 500);
    for (int p = 1; p < 3; p++) {
        packers[p](&packed, text.bytes, text.size);
        for (size_t i = 8 * 10; i < 8 * packed.size; i++) {
            kedge_error err = {0};
            OWN(blob_free) blob b = {0};
            packed.bytes[i / 8] ^= (char)(1 << i % 8);
            source s = source_make(packed.bytes, packed.size);
            if (read_bytes(s.path, 4096, &b, &err) == KEDGE_OK)
                ck_assert_mem_eq(b.bytes, text.bytes, text.size);
            else
                ck_assert_int_eq(err.status, KEDGE_EFORMAT);
            source_free(&s);
            packed.bytes[i / 8] ^= (char)(1 << i % 8);
        }
        packed.bytes[packed.size - 1] ^= 1;
        check_fails(&packed, p == 1 ? "the gzip data is damaged (*"
                                    : "the zstd data is damaged (*");
        blob_free(&packed);
    }
    blob_free(&text);
}

/* A frame of a window of 2^24 bytes, or 2^28, and a limit. */
TEST(stream_keeps_to_a_window)
{
    static const struct {
        const char *frame; /* magic, no sizes, the window, a raw block */
        unsigned log;
        const char *reason;
    } cases[] = {
        {"\x28\xb5\x2f\xfd\x00\x70\x29\x00\x00hallo", 24, NULL},
        {"\x28\xb5\x2f\xfd\x00\x70\x29\x00\x00hallo", 23,
         "the zstd data needs a window above 8 MB, the most that --memory"},
        {"\x28\xb5\x2f\xfd\x00\x90\x29\x00\x00hallo", STREAM_WINDOW_LOG,
         "the zstd data needs a window above 128 MB: compress it with "
         "--long=27 or less"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(source_free) source s = source_make(cases[i].frame, 14);
        kedge_error err = {0};
        OWN(stream_end) stream *in = NULL;
        char bytes[8];
        size_t got;
        ck_ok(stream_open(s.path, NULL, &in, &err), err);
        ck_assert_str_eq(stream_name(in), s.path);
        stream_set_window(in, cases[i].log);
        const kedge_status st =
            stream_read(in, bytes, sizeof bytes, &got, &err);
        if (cases[i].reason == NULL)
            ck_ok(st, err);
        else
            ck_fails(st, KEDGE_EFORMAT, err, cases[i].reason);
        ck_assert_uint_eq(got, cases[i].reason == NULL ? 5 : 0);
    }
}

TEST(stream_names_other_compressions)
{
    static char xz[] = "\xfd" "7zXZ\0 and so on", bzip2[] = "BZh91AY&SY...",
                word[] = "BZhang\nand\nothers\n";
    const blob plain = {word, sizeof word - 1, 0};

    check_fails(&(blob){xz, sizeof xz, 0},
                "this is xz data: expected plain, gzip or zstd "
                "('xz -d' unpacks it)");
    check_fails(&(blob){bzip2, sizeof bzip2, 0},
                "this is bzip2 data: expected plain, gzip or zstd "
                "('bzip2 -d' unpacks it)");
    OWN(source_free) source s = source_make(plain.bytes, plain.size);
    check_same(s.path, 100, &plain);
}

TEST(stream_needs_a_file)
{
    kedge_error err = {0};
    stream *in = NULL;

    ck_fails(stream_open("/nowhere/at/all", NULL, &in, &err), KEDGE_EIO, err,
             "/nowhere/at/all: cannot open: No such file or directory");
    ck_assert_ptr_null(in);
    ck_fails(stream_open("/tmp", NULL, &in, &err), KEDGE_EFORMAT, err,
             "/tmp: this is a directory: expected a file");
    ck_fails(stream_open("/proc/self/mem", NULL, &in, &err), KEDGE_EIO, err,
             "/proc/self/mem: cannot read: Input/output error");
}

TEST(stream_leaves_nothing_where_there_is_no_memory)
{
    for (int p = 0; p < 3; p++) {
        kedge_status st = KEDGE_ENOMEM;
        OWN(blob_free) blob packed = {0};
        packers[p](&packed, "hallo\n", 6);
        OWN(source_free) source s = source_make(packed.bytes, packed.size);
        for (int k = 0; st != KEDGE_OK; k++) {
            kedge_error err = {0};
            stream *in = NULL;
            size_t got = 0;
            char to[10];
            gate_allow(k);
            st = stream_open(s.path, NULL, &in, &err);
            if (st == KEDGE_OK)
                st = stream_read(in, to, sizeof to, &got, &err);
            gate_open();
            stream_close(in);
            if (st != KEDGE_OK)
                ck_assert_int_eq(st, KEDGE_ENOMEM);
            else
                ck_assert_uint_eq(got, 6);
        }
    }
}
