/* SPDX-License-Identifier: MIT */
#include "io/tree.h"

#include <sys/stat.h>

#include "printed.h"

/* A directory for a test, in the folder where it runs. */
static char *make_root(char *path, size_t room)
{
    snprintf(path, room, "tree-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
    return path;
}

static void drop_root(const char *root)
{
    char command[256];

    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

static void make_folder(const char *root, const char *name)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", root, name);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

static void make_file(const char *root, const char *name, const void *bytes,
                      size_t size)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        ck_abort();
}

static void make_text(const char *root, const char *name, const char *text)
{
    make_file(root, name, text, strlen(text));
}

/* Names and texts, up to NULL; a folder has no text. */
static void make_all(const char *root, const char *const (*all)[2])
{
    for (; (*all)[0] != NULL; all++)
        if ((*all)[1] == NULL)
            make_folder(root, (*all)[0]);
        else
            make_text(root, (*all)[0], (*all)[1]);
}

#define MAKE(root, ...) \
    make_all(root, (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

static void make_link(const char *root, const char *name, const char *to)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", root, name);
    ck_assert_int_eq(symlink(to, path), 0);
}

/* Each file is a document. */
static kedge_status open_files(const char *root, const kedge_control *control,
                               tree **t, kedge_error *err)
{
    const reader_opts opts = {
        .control = control, .format = KEDGE_FORMAT_FILES,
        .room = {.line = TREE_FILE_MAX, .window_log = STREAM_WINDOW_LOG}};

    return tree_open(root, &opts, &(record_opts){0}, t, err);
}

/* All documents printed, with "!path: reason" for those that are malformed. */
static kedge_status read_tree(const char *root, blob *to, reader_counts *counts,
                              kedge_error *err)
{
    tree *t = NULL;
    bool more = true;
    record r;
    kedge_status st = open_files(root, NULL, &t, err);

    while (more && (st == KEDGE_OK || st == KEDGE_EFORMAT)) {
        st = tree_next(t, &r, &more, err);
        if (st == KEDGE_OK && more && to != NULL)
            print_record(&r, to);
        if (st == KEDGE_EFORMAT && to != NULL)
            blob_print(to, "!%s\n", err->text + strlen(root) + 1);
    }
    if (t != NULL && counts != NULL)
        tree_get_counts(t, counts);
    tree_close(t);
    return st;
}

static void check_tree(const char *root, const char *printed,
                       reader_counts *counts)
{
    kedge_error err = {0};
    OWN(blob_free) blob to = {0};

    blob_add(&to, "", 0);
    ck_ok(read_tree(root, &to, counts, &err), err);
    ck_assert_str_eq(to.bytes, printed);
}

TEST(tree_is_read_in_the_order_of_its_paths)
{
    char root[32], slashes[40];
    reader_counts counts;
    OWN(blob_free) blob packed = {0};

    make_root(root, sizeof root);
    check_tree(root, "", &counts);
    ck_assert(counts.files == 0 && counts.bytes_read == 0);
    MAKE(root, {"b", NULL}, {"b/deep", NULL}, {"a", NULL}, {"empty", NULL},
         {"b/deep/one", "in the deep\n"}, {"b/x.txt", "\xef\xbb\xbfx"},
         {"b.txt", "top"}, {"\xc3\xa4", "umlaut"}, {"a/void", ""});
    blob_gzip(&packed, "zipped", 6);
    make_file(root, "a/y.gz", packed.bytes, packed.size);
    packed.size = 0;
    blob_zstd(&packed, "standard", 8);
    make_file(root, "a/z", packed.bytes, packed.size);
    static const char printed[] = "a/void/a: \n"
                                  "a/y.gz/a: zipped\n"
                                  "a/z/a: standard\n"
                                  "b.txt/: top\n"
                                  "b/deep/one/b: in the deep$\n"
                                  "b/x.txt/b: x\n"
                                  "\xc3\xa4/: umlaut\n";
    check_tree(root, printed, &counts);
    ck_assert(counts.files == 7 && counts.hidden == 0 && counts.others == 0);
    ck_assert_uint_eq(counts.bytes_text, 6 + 8 + 3 + 12 + 4 + 6);
    ck_assert_uint_eq(counts.bytes_read, counts.bytes_total);
    snprintf(slashes, sizeof slashes, "%s//", root);
    check_tree(slashes, printed, &counts);
    drop_root(root);
}

TEST(tree_passes_over_what_is_no_text)
{
    char root[32], path[64];
    reader_counts counts;

    make_root(root, sizeof root);
    MAKE(root, {".git", NULL}, {".git/inside", "never seen"},
         {".hidden", "neither"}, {"a", NULL}, {"a/one", "1"});
    make_link(root, "a/loop", "..");
    make_link(root, "self", "self");
    make_link(root, "nothing", "there is none");
    make_link(root, "folder", "a");
    make_link(root, "file", "a/one");
    snprintf(path, sizeof path, "%s/pipe", root);
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    check_tree(root, "a/one/a: 1\nfile/: 1\n", &counts);
    ck_assert_uint_eq(counts.files, 2);
    ck_assert_uint_eq(counts.hidden, 2);
    ck_assert_uint_eq(counts.others, 5);
    drop_root(root);
}

TEST(tree_tells_what_is_wrong_and_goes_on)
{
    char root[32];
    kedge_error err = {0};
    reader_counts counts;
    OWN(blob_free) blob to = {0};

    make_root(root, sizeof root);
    MAKE(root, {"a", "first"}, {"b", "BZh91AY&SY"});
    make_file(root, "c", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00", 10);
    make_text(root, "d", "last");
    ck_ok(read_tree(root, &to, &counts, &err), err);
    ck_assert_uint_eq(counts.files, 2);
    ck_assert_str_eq(
        to.bytes,
        "a/: first\n!b: this is bzip2 data: expected plain, gzip or zstd "
        "('bzip2 -d' unpacks it)\n!c: the file is cut off: the gzip data ends "
        "too early\nd/: last\n");
    drop_root(root);
}

TEST(tree_refuses_files_that_are_no_document)
{
    const size_t piece = (size_t)16 << 20;
    char root[32], *blanks = mem_new(piece, 1);
    kedge_error err = {0};
    OWN(blob_free) blob packed = {0};
    tree *t = NULL;
    record r;
    bool more;

    ck_assert_ptr_nonnull(blanks);
    memset(blanks, ' ', piece);
    make_root(root, sizeof root);
    for (size_t i = 0; i < TREE_FILE_MAX / piece; i++)
        blob_zstd(&packed, blanks, piece);
    make_file(root, "a", packed.bytes, packed.size);
    blob_zstd(&packed, "x", 1);
    make_file(root, "b", packed.bytes, packed.size);
    make_text(root, "c", "last");
    ck_ok(open_files(root, NULL, &t, &err), err);
    ck_ok(tree_next(t, &r, &more, &err), err);
    ck_assert_uint_eq(r.text.size, TREE_FILE_MAX);
    ck_fails(tree_next(t, &r, &more, &err), KEDGE_EFORMAT, err,
             "/b:1: the file is longer than 268435456 bytes: expected a "
             "shorter one");
    ck_ok(tree_next(t, &r, &more, &err), err);
    ck_assert(more && span_equal(r.text, span_text("last")));
    ck_ok(tree_next(t, &r, &more, &err), err);
    ck_assert(!more);
    tree_close(t);
    drop_root(root);
    mem_free(blanks);
}

/* A look at the first bytes, whatever comes behind them and whether they are
 * compressed. */
TEST(files_of_other_bytes_are_no_text)
{
    static char long_text[TREE_LOOK + 100], latin[400], cyrillic[400];
    char root[32];
    reader_counts counts;
    OWN(blob_free) blob packed = {0};
    record r;
    tree *t;
    bool more;
    kedge_error err = {0};

    make_root(root, sizeof root);
    memset(long_text, 'a', sizeof long_text);
    memset(long_text + TREE_LOOK - 1, 0xc3, 1); /* cut within a letter */
    memset(long_text + TREE_LOOK, 0xa4, 1);
    memset(long_text + TREE_LOOK + 1, 0, 50); /* too late to be seen */
    make_file(root, "a long text", long_text, sizeof long_text);
    make_file(root, "b zero", "plain\0", 6);
    long_text[TREE_LOOK - 2] = '\0';
    make_file(root, "c last zero", long_text, sizeof long_text);
    for (size_t i = 0; i < sizeof latin; i++) {
        latin[i] = i % 12 == 0 ? '\xe4' : 'x';
        cyrillic[i] = i % 6 == 0 ? ' ' : '\xd0';
    }
    make_file(root, "d latin", latin, sizeof latin);
    make_file(root, "e cyrillic", cyrillic, sizeof cyrillic);
    blob_gzip(&packed, "\x89PNG\r\n\x1a\n\0\0", 10);
    make_file(root, "f packed", packed.bytes, packed.size);
    make_file(root, "g short", "\xfd\xfc\xfb", 3);
    make_text(root, "h empty", "");
    make_file(root, "i zero", "\0", 1);
    static const char *const kept[] = {"a long text", "d latin", "g short",
                                       "h empty"};
    ck_ok(open_files(root, NULL, &t, &err), err);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        ck_ok(tree_next(t, &r, &more, &err), err);
        ck_assert(more && span_equal(r.id, span_text(kept[i])));
    }
    ck_ok(tree_next(t, &r, &more, &err), err);
    ck_assert(!more && r.id.size == 0);
    tree_get_counts(t, &counts);
    ck_assert_uint_eq(counts.files, 4);
    ck_assert_uint_eq(counts.not_text, 5);
    tree_close(t);
    drop_root(root);
}

TEST(tree_needs_a_directory)
{
    kedge_error err = {0};
    tree *t = NULL;
    char root[32], path[64];

    ck_fails(open_files("", NULL, &t, &err), KEDGE_EINVAL, err,
             "the path is empty: expected a directory");
    ck_fails(open_files("there/is/none", NULL, &t, &err), KEDGE_EIO, err,
             "there/is/none/: cannot open the directory: No such file or "
             "directory");
    make_root(root, sizeof root);
    make_text(root, "file", "text");
    snprintf(path, sizeof path, "%s/file", root);
    ck_fails(open_files(path, NULL, &t, &err), KEDGE_EIO, err,
             "cannot open the directory: Not a directory");
    ck_assert_ptr_null(t);
    /* A file that goes away meanwhile is a failure, not a bad document. */
    ck_ok(open_files(root, NULL, &t, &err), err);
    ck_assert_int_eq(remove(path), 0);
    record r;
    bool more;
    ck_fails(tree_next(t, &r, &more, &err), KEDGE_EIO, err, "cannot open");
    tree_close(t);
    drop_root(root);
}

/* Root may read everything: somebody else tries. */
TEST(tree_says_what_to_do_about_locked_folders)
{
    kedge_error err = {0};
    tree *t = NULL;
    char root[32], path[64];
    const bool is_root = geteuid() == 0;

    make_root(root, sizeof root);
    ck_assert_int_eq(chmod(root, 0755), 0);
    make_folder(root, "locked");
    snprintf(path, sizeof path, "%s/locked", root);
    ck_assert_int_eq(chmod(path, 0), 0);
    ck_assert(!is_root || seteuid(65534) == 0);
    ck_fails(open_files(root, NULL, &t, &err), KEDGE_EIO, err,
             "cannot open the directory: Permission denied; make it readable");
    ck_assert(!is_root || seteuid(0) == 0);
    ck_assert_int_eq(chmod(path, 0755), 0);
    drop_root(root);
}

static int stop_at_once(void *data)
{
    return --*(int *)data < 0;
}

TEST(tree_can_be_stopped)
{
    char root[32];

    make_root(root, sizeof root);
    MAKE(root, {"a", NULL}, {"a/one", "1"});
    for (int asked = 0;; asked++) {
        int left = asked;
        kedge_control control = {.data = &left, .stop = stop_at_once};
        kedge_error err = {0};
        tree *t = NULL;
        bool more = false;
        record r;
        kedge_status st = open_files(root, &control, &t, &err);
        ck_assert((t == NULL) == (st != KEDGE_OK));
        if (st == KEDGE_OK)
            st = tree_next(t, &r, &more, &err);
        tree_close(t);
        if (st == KEDGE_OK) {
            ck_assert_int_gt(asked, 4);
            break;
        }
        ck_assert_int_eq(st, KEDGE_ECANCELED);
    }
    drop_root(root);
}

/* Many files, found again in order, against the order that C has. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

TEST(tree_of_many_files)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        static char names[200][64];
        chance c = {.key = seed};
        const size_t count = chance_below(&c, 200);
        char root[32];
        OWN(blob_free) blob printed = {0};
        make_root(root, sizeof root);
        MAKE(root, {"x", NULL}, {"x/y", NULL}, {"x y", NULL});
        for (size_t i = 0; i < count; i++) {
            static const char *const in[] = {"", "x/", "x/y/", "x y/"};
            snprintf(names[i], sizeof names[i], "%sf%zu-%zu",
                     in[chance_below(&c, 4)], chance_below(&c, 1000), i);
            make_text(root, names[i], names[i]);
        }
        qsort(names, count, sizeof names[0], compare_names);
        blob_add(&printed, "", 0);
        for (size_t i = 0; i < count; i++) {
            const char *slash = strchr(names[i], '/');
            const int n = slash == NULL ? 0 : (int)(slash - names[i]);
            blob_print(&printed, "%s/%.*s: %s\n", names[i], n, names[i],
                       names[i]);
        }
        check_tree(root, printed.bytes, NULL);
        drop_root(root);
    }
}

TEST(tree_tells_of_failing_allocations)
{
    char root[32];
    long refused = 0;

    make_root(root, sizeof root);
    MAKE(root, {"a", NULL}, {"a/one", "1"}, {"two", "2"});
    for (long k = 0;; k++) {
        kedge_error err = {0};
        gate_allow(k);
        const kedge_status st = read_tree(root, NULL, NULL, &err);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        refused++;
    }
    ck_assert_int_gt(refused, 10);
    drop_root(root);
}
