/* SPDX-License-Identifier: MIT */
#include "stores.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "command.h"
#include "store/codec.h"

made stores[STORES_MOST];
size_t stores_count;
kind *kinds;
size_t kinds_count;
char stores_folder[256];
static const char *command_here;
const char **command_now = &command_here;

static _Noreturn void give_up(const char *what)
{
    perror(what);
    abort();
}

/* ---- files --------------------------------------------------------------- */

const char *stores_path(const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", stores_folder, name);
    return path;
}

void stores_write(const char *path, const void *from, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || write(fd, from, size) != (ssize_t)size || close(fd) != 0)
        give_up(path);
}

uint8_t *stores_read(const char *path, size_t *size)
{
    struct stat about;
    const int fd = open(path, O_RDONLY);
    uint8_t *all;

    if (fd < 0 || fstat(fd, &about) != 0)
        give_up(path);
    *size = (size_t)about.st_size;
    all = malloc(*size + 1);
    if (all == NULL || read(fd, all, *size) != (ssize_t)*size)
        give_up(path);
    close(fd);
    return all;
}

void stores_remove(const char *path)
{
    DIR *const folder = opendir(path);

    if (folder == NULL)
        return;
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        char name[768];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            unlink(name) != 0)
            stores_remove(name);
    }
    closedir(folder);
    rmdir(path);
}

/* Of the process that made it. */
static pid_t owner;

static void clean_up(void)
{
    if (owner == getpid())
        stores_remove(stores_folder);
}

/* ---- commands ------------------------------------------------------------ */

/* `from` with the folder in the place of each $; words end with a zero. */
static int split(const char *from, char *to, char *const end, char **argv,
                 int most)
{
    int n = 0;

    while (*from != '\0' && n < most - 1) {
        argv[n++] = to;
        for (; *from != '\0' && *from != ' '; from++)
            if (*from == '$')
                to += snprintf(to, (size_t)(end - to), "%s", stores_folder);
            else if (to < end - 1)
                *to++ = *from;
        *to++ = '\0';
        from += *from == ' ';
    }
    argv[n] = NULL;
    return n;
}

int command_run(const char *line)
{
    char text[4096], full[2048], *argv[64];
    const int n = snprintf(full, sizeof full,
                           "%s --threads 1 --memory 512M --quiet", line) > 0
                      ? split(full, text, text + sizeof text, argv, 64)
                      : 0;

    *command_now = line;
    for (size_t i = 0; n > 0 && commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, argv[0]) == 0)
            return command_call(commands[i], n - 1, argv + 1);
    give_up(line);
}

static void must(const char *line)
{
    const int code = command_run(line);

    if (code != 0) {
        fprintf(stderr, "kedge %s: %d\n", line, code);
        exit(1);
    }
}

/* ---- documents ----------------------------------------------------------- */

static const char *const subjects[3][8] = {
    {"river", "water", "boat", "fish", "bank", "stream", "bridge", "rain"},
    {"court", "judge", "law", "trial", "jury", "crime", "prison", "lawyer"},
    {"neural", "network", "train", "layer", "weight", "loss", "data", "deep"},
};

static void write_words(void)
{
    char path[512];
    FILE *const out = fopen(stores_path("words", path), "w");

    for (int i = 0; i < 24; i++)
        fprintf(out, "%s\n", subjects[i / 8][i % 8]);
    fprintf(out, "the\nand\n");
    fclose(out);
}

static void write_texts(const char *name, int from, int to)
{
    chance c = chance_of((const uint8_t *)name, strlen(name));
    char path[512];
    FILE *const out = fopen(stores_path(name, path), "w");

    for (int d = from; d < to; d++) {
        fprintf(out, "{\"id\":\"d%d\",\"label\":\"%c\",\"text\":\"", d,
                'a' + d % 3);
        for (int i = 0; i < 12; i++) {
            const int topic = chance_below(&c, 6) == 0
                                  ? (int)chance_below(&c, 3) : d % 3;
            const int w = (int)chance_below(&c, 8);
            fprintf(out, "%s%s ", subjects[topic][w],
                    topic == 2 && w == 0 ? " network" : "");
            if (i % 4 == 3)
                fprintf(out, "the ");
        }
        fprintf(out, "\"}\n");
    }
    fclose(out);
}

static void write_bags(const char *name, int documents)
{
    chance c = chance_of((const uint8_t *)name, strlen(name));
    char path[512];
    FILE *const out = fopen(stores_path(name, path), "w");

    for (int d = 0; d < documents; d++) {
        fprintf(out, "6");
        for (int i = 0; i < 6; i++)
            fprintf(out, " %d:%d", 8 * (d % 3) + i + (int)chance_below(&c, 2) *
                    2 * (i == 5), 1 + (int)chance_below(&c, 3));
        fprintf(out, "\n");
    }
    fclose(out);
}

/* Files with an item a line, as options take them. */
static void write_lists(void)
{
    char path[512];
    FILE *out = fopen(stores_path("ids", path), "w");

    for (int d = 0; d < 40; d += 3)
        fprintf(out, "d%d\n", d);
    fclose(out);
    out = fopen(stores_path("labels", path), "w");
    for (int d = 0; d < 40; d++)
        fprintf(out, "d%d\t%s\n", d, subjects[d % 3][0]);
    fclose(out);
    out = fopen(stores_path("classes", path), "w");
    for (int d = 0; d < 38; d++)
        fprintf(out, "%s\n", subjects[d % 3][0]);
    fclose(out);
    out = fopen(stores_path("anchors", path), "w");
    fprintf(out, "river water\ncourt\nneural network\tlayer\n");
    fclose(out);
    out = fopen(stores_path("few", path), "w");
    fprintf(out, "river\ncourt\nneural\nwater\njudge\ndata\n");
    fclose(out);
}

/* ---- stores -------------------------------------------------------------- */

static void *copy_of(const void *from, size_t size)
{
    void *const to = malloc(size + 1);

    if (to == NULL)
        give_up("copy");
    memcpy(to, from, size);
    return to;
}

enum { KINDS_MOST = 64 };

static size_t stored_kinds; /* those of stores come first */

size_t kind_of(const char *tag)
{
    if (kinds == NULL)
        kinds = mmap(NULL, KINDS_MOST * sizeof *kinds, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (kinds == MAP_FAILED || kinds_count == KINDS_MOST)
        give_up("kinds");
    for (size_t i = 0; i < kinds_count; i++)
        if (strcmp(kinds[i].tag, tag) == 0)
            return i;
    snprintf(kinds[kinds_count].tag, sizeof kinds->tag, "%.7s", tag);
    return kinds_count++;
}

typedef struct collecting {
    made *to;
    kv_db db;
} collecting;

static kedge_status collect(void *data, const kv_value *v, kedge_error *err)
{
    const collecting *const c = data;
    char tag[5] = "";
    stored *r;

    (void)err;
    if ((c->to->count & (c->to->count + 1)) == 0)
        c->to->record = realloc(c->to->record, 2 * (c->to->count + 1) *
                                                   sizeof *r);
    r = &c->to->record[c->to->count++];
    memcpy(tag, v->bytes, 4);
    *r = (stored){c->db, copy_of(v->key.bytes, v->key.size),
                  copy_of(v->bytes, v->size), v->key.size, v->size,
                  kind_of(c->db == DB_IDS ? "ids" : tag)};
    return KEDGE_OK;
}

/* What is at this path becomes one more. */
static void note(const char *name)
{
    made *const m = &stores[stores_count++];
    char path[512], file[600];
    store_txn *txn = NULL;
    kedge_error err;
    store *s;

    snprintf(file, sizeof file, "%s/data.mdb", stores_path(name, path));
    m->file = stores_read(file, &m->size);
    if (kedge_store_open(path, KEDGE_OPEN_READ, &s, &err) != KEDGE_OK ||
        store_begin_read(s, &txn, &err) != KEDGE_OK)
        give_up(err.text);
    for (kv_db db = 0; db < DB_COUNT; db++)
        if (kv_walk(txn, (kv_key){.db = db}, collect, &(collecting){m, db},
                    &err) != KEDGE_OK)
            give_up(err.text);
    store_abort(&txn);
    kedge_store_close(s);
}

static void make_texts(void)
{
    must("ingest $/texts $/one $/two --vocab $/words --sketch-size 16 "
         "--batch b --tf raw,log,sqrt --stopwords english");
    must("remove $/texts d3 d30");
    must("fit $/texts -k 2 --index 0 --model plain --term-weight none");
    must("fit $/texts -k 3,2 --phrases 3 --phrase-df 2 --phrase-score 0 "
         "--min-df 2 --max-df 1 --stopwords none --sketch-size 16 "
         "--save-spectrum --model m");
    must("label $/texts 1 streams --model m-k3");
    must("infer $/texts --model m-k3 --save");
    must("infer $/texts --model plain --save");
    note("texts");
}

/* Indexes that are behind: documents came and left. */
static void make_behind(void)
{
    must("ingest $/behind $/one");
    must("fit $/behind -k 2 --min-df 1 --max-df 1 --sketch-size 16 "
         "--term-weight sqrt");
    must("fit $/behind -k 2 --phrases 2 --phrase-df 2 --sketch-size 16 "
         "--model p");
    must("infer $/behind --save");
    must("remove $/behind --no-sketch d1 d4 d7");
    must("ingest $/behind $/two --no-sketch");
    note("behind");
}

static void make_bags(void)
{
    must("ingest $/bags $/some --from ldac --vocab $/words --sketch-size 16 "
         "--tf raw");
    must("fit $/bags -k 3");
    note("bags");
}

/* A store with parts, and the files that they came as. */
static void make_parts(void)
{
    must("sketch export $/bags -o $/part --name other");
    must("ingest $/more $/others --from ldac --vocab $/words --sketch-size 16 "
         "--tf raw");
    must("sketch export $/more -o $/another --name another");
    must("sketch import $/parts $/part");
    must("fit $/parts -k 2");
    note("parts");
    must("ingest $/both $/others --from ldac --vocab $/words --sketch-size 16 "
         "--tf raw");
    must("sketch import $/both $/part");
    must("fit $/both -k 2");
    must("infer $/both --save");
    note("both");
}

enum { PART_FRONT = 16 };

static const char *const part_names[] = {"part", "another", "textpart",
                                         "parted", "listed"};

/* The kind of a record of a sketch file. */
static size_t part_kind(const uint8_t *record)
{
    char tag[8] = "";

    memcpy(tag, record, 4);
    tag[4] = '.'; /* what a store has is another kind */
    return kind_of(tag);
}

static void make_files(void)
{
    char path[512];
    size_t size;

    must("sketch export $/texts -o $/textpart");
    must("sketch export $/parts -o $/parted");
    must("sketch export $/bags -o $/listed --keep-words $/few");
    for (size_t i = 0; i < sizeof part_names / sizeof *part_names; i++) {
        uint8_t *const file = stores_read(stores_path(part_names[i], path),
                                          &size);
        for (const uint8_t *p = file + PART_FRONT; get_u32(p) != 0;
             p += 4 + get_u32(p))
            part_kind(p + 4);
        free(file);
    }
}

void stores_make(void)
{
    const char *const tmp = getenv("TMPDIR");

    snprintf(stores_folder, sizeof stores_folder, "%s/kedge-records-XXXXXX",
             tmp != NULL                    ? tmp
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    if (mkdtemp(stores_folder) == NULL)
        give_up(stores_folder);
    owner = getpid();
    atexit(clean_up);
    write_words();
    write_lists();
    write_texts("one", 0, 24);
    write_texts("two", 24, 40);
    write_texts("three", 36, 44);
    write_bags("some", 24);
    write_bags("others", 12);
    make_texts();
    make_behind();
    make_bags();
    make_parts();
    stored_kinds = kinds_count;
    make_files();
}

/* ---- stores, mutated ----------------------------------------------------- */

enum { ROOM = 4 << 20 };

static bytes scratch_of(const stored *r)
{
    static uint8_t *room;

    if (room == NULL)
        room = malloc(ROOM);
    if (room == NULL)
        give_up("scratch");
    memcpy(room, r->bytes, r->size);
    return (bytes){room, r->size, ROOM};
}

static const stored *some_record(chance *c, const made *m)
{
    for (;;) { /* kinds first, as there are many of some */
        const size_t k = (size_t)chance_below(c, stored_kinds);
        const size_t first = (size_t)chance_below(c, m->count);
        for (size_t i = 0; i < m->count; i++)
            if (m->record[(first + i) % m->count].kind == k)
                return &m->record[(first + i) % m->count];
    }
}

/* Another key for it: one that there is, or one number further. */
static kv_key some_key(chance *c, const made *m, const stored *r, uint8_t *room)
{
    kv_key key = {r->db, r->key, r->key_size};

    if (chance_below(c, 2) == 0) {
        const size_t first = (size_t)chance_below(c, m->count);
        for (size_t i = 0; i < m->count; i++) {
            const stored *const other = &m->record[(first + i) % m->count];
            if (other->db == r->db)
                return (kv_key){r->db, other->key, other->key_size};
        }
    }
    memcpy(room, r->key, r->key_size);
    room[chance_below(c, r->key_size)] = (uint8_t)chance_number(c, 1);
    key.bytes = room;
    return key;
}

static bool is_frame(const stored *r)
{
    static const char tags[] = "KBLK KWRD KCNT KROW KARR KLST KORD KJOI KCOM "
                               "KSPC KPCT";

    return r->db != DB_IDS && strstr(tags, kinds[r->kind].tag) != NULL;
}

/* Sealed for its key. */
static bool put(store_txn *txn, const stored *r, kv_key key, bytes *b)
{
    store_frame f = {.bytes = b->at, .size = b->size};

    if (is_frame(r))
        return kv_put_frame(txn, key, &f, NULL, NULL) == KEDGE_OK;
    if (r->db != DB_IDS) {
        put_u64(b->at + 8, kv_place(key));
        put_u64(b->at + b->size - 8,
                hash_bytes(0x6b65646765, b->at, b->size - 8));
    } else {
        put_u64(b->at + 16, hash_bytes(kv_place(key), b->at, 16));
    }
    return kv_put(txn, key, b->at, b->size, NULL) == KEDGE_OK;
}

/* Chunks of a spectrum belong to a record of these bytes from now on. */
static void adopt_chunks(store_txn *txn, const made *m, const stored *r,
                         const bytes *b)
{
    const uint64_t extra = hash_bytes(0, b->at + 16, b->size - 24);

    for (size_t i = 0; i < m->count; i++) {
        const stored *const other = &m->record[i];
        store_frame f = {.bytes = other->bytes, .size = other->size};
        if (strcmp(kinds[other->kind].tag, "KSPC") == 0 &&
            memcmp(other->key, r->key, 8) == 0)
            (void)!kv_put_frame(
                txn, (kv_key){other->db, other->key, other->key_size}, &f,
                &extra, NULL);
    }
}

static bool mutate(chance *c, store_txn *txn, const made *m)
{
    const stored *const r = some_record(c, m);
    const uint64_t way = chance_below(c, 24);
    kv_key key = {r->db, r->key, r->key_size};
    bytes b = scratch_of(r);
    uint8_t room[KV_KEY_MAX];
    bool done = true;

    if (way == 0) {
        kinds[r->kind].mutated++;
        return kv_drop(txn, key, NULL) == KEDGE_OK;
    }
    if (way <= 2)
        key = some_key(c, m, r, room);
    else if (r->db == DB_IDS)
        mutate_id(c, &b, kv_place(key));
    else if (strcmp(kinds[r->kind].tag, "KBLK") == 0 && way < 16)
        done = mutate_block(c, &b);
    else if (is_frame(r))
        done = mutate_frame(c, &b);
    else
        mutate_small(c, &b);
    kinds[r->kind].mutated += done;
    if (done && strcmp(kinds[r->kind].tag, "KSPE") == 0)
        adopt_chunks(txn, m, r, &b);
    return done && put(txn, r, key, &b);
}

void stores_copy(size_t which, const char *name)
{
    char path[512], file[600];

    stores_remove(stores_path(name, path));
    if (mkdir(path, 0777) != 0)
        give_up(path);
    snprintf(file, sizeof file, "%s/data.mdb", path);
    stores_write(file, stores[which].file, stores[which].size);
}

size_t stores_lay_out(chance *c)
{
    const size_t which = (size_t)chance_below(c, stores_count);
    const made *const m = &stores[which];
    const uint64_t wanted = chance_below(c, 4) == 0 ? 1 + chance_below(c, 24)
                                                    : 1 + chance_below(c, 3);
    char path[512];
    kedge_error err;
    size_t done = 0;
    store_txn *txn = NULL;
    store *s;

    stores_copy(which, "store");
    stores_path("store", path);
    if (kedge_store_open(path, KEDGE_OPEN_WRITE, &s, &err) != KEDGE_OK ||
        store_begin_write(s, &txn, &err) != KEDGE_OK)
        give_up(err.text);
    for (uint64_t i = 0; i < wanted; i++)
        done += mutate(c, txn, m);
    if (store_commit(&txn, &err) != KEDGE_OK)
        done = 0;
    kedge_store_close(s);
    return done;
}

/* ---- files that are taken in, mutated ------------------------------------ */

/* Bytes that are written, one after the other. */
static void append(bytes *to, const void *from, size_t size)
{
    if (to->size + size > to->room)
        give_up("a file");
    memcpy(to->at + to->size, from, size);
    to->size += size;
}

static bytes file_room(void)
{
    static uint8_t *room;
    const size_t size = 8 * (size_t)ROOM;

    if (room == NULL)
        room = malloc(size);
    if (room == NULL)
        give_up("a file");
    return (bytes){room, 0, size};
}

/* A record of a sketch file as it will stand there, with its place and in the
 * sum of all. */
static void append_record(bytes *file, bytes *record, uint64_t place,
                          uint64_t *sum)
{
    uint8_t size[4];

    frame_stamp(record->at, place, NULL);
    *sum = hash_bytes(*sum, record->at, record->size);
    put_u32(size, (uint32_t)record->size);
    append(file, size, sizeof size);
    append(file, record->at, record->size);
}

/* A file of records as another: some of them are mutated, come twice or not at
 * all. How many. */
static size_t mutate_part(chance *c, const uint8_t *from, bytes *file)
{
    const uint64_t one_of = 1 + chance_below(c, 12);
    const bool agreed = chance_below(c, 3) == 0;
    size_t done = agreed;
    told t = {0};
    uint64_t place = 0, sum = 0;
    uint8_t end[12] = {0};

    append(file, from, PART_FRONT);
    for (from += PART_FRONT; get_u32(from) != 0; from += 4 + get_u32(from)) {
        const stored r = {.bytes = (uint8_t *)from + 4, .size = get_u32(from)};
        bytes b = scratch_of(&r);
        const uint64_t way = !agreed && chance_below(c, one_of) == 0
                                 ? chance_below(c, 16) : 16;
        if (agreed && memcmp(b.at, "KPAR", 4) == 0)
            t = told_of(c, &b);
        if (agreed && !mutate_told(&t, &b))
            b = scratch_of(&r);
        if (way < 16) {
            done++;
            kinds[part_kind(b.at)].mutated++;
        }
        if (way == 0)
            continue;
        if (way == 1)
            append_record(file, &b, place++, &sum);
        if (way > 1 && way < 16 && !mutate_frame(c, &b))
            b = scratch_of(&r);
        append_record(file, &b, place++, &sum);
    }
    put_u64(end + 4, sum);
    append(file, end, sizeof end);
    return done;
}

size_t stores_lay_out_part(chance *c)
{
    const char *const name =
        part_names[chance_below(c, sizeof part_names / sizeof *part_names)];
    const uint64_t into = chance_below(c, 2 * stores_count);
    bytes file = file_room();
    char path[512];
    size_t size, done = 1;
    uint8_t *const from = stores_read(stores_path(name, path), &size);

    if (chance_below(c, 8) == 0) {
        append(&file, from, size);
        mutate_bytes(c, &file, 1 + chance_below(c, 3));
    } else {
        done = mutate_part(c, from, &file);
    }
    free(from);
    stores_write(stores_path("foreign", path), file.at, file.size);
    if (into < stores_count)
        stores_copy((size_t)into, "store");
    else
        stores_remove(stores_path("store", path));
    return done;
}

void stores_lay_out_list(chance *c)
{
    static const char *const names[] = {"words", "ids", "labels", "classes",
                                        "anchors"};
    bytes file = file_room();
    char path[512];
    size_t size;
    uint8_t *const from =
        stores_read(stores_path(names[chance_below(c, 5)], path), &size);

    append(&file, from, size);
    free(from);
    mutate_bytes(c, &file, chance_below(c, 6));
    stores_write(stores_path("list", path), file.at, file.size);
    stores_copy((size_t)chance_below(c, stores_count), "store");
}
