/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_FORMATS_H
#define TESTS_UNIT_OPS_FORMATS_H
/*
 * The planted corpus in each format: as text, or as bags of words; with ids
 * "a/d000", "b/d001" and so on and labels "a" and "b", or without.
 */
#include <errno.h>
#include <string.h>

#include "ops/planted.h"

typedef struct formats_file {
    FILE *f;
    const docs *d;
    bool named;
} formats_file;

static inline const char *formats_label(const docs *d, size_t m)
{
    return 2 * m < d->count ? "a" : "b";
}

static inline char *formats_id(const docs *d, size_t m, char id[16])
{
    snprintf(id, 16, "%s/d%03u", formats_label(d, m), (unsigned)m % 1000);
    return id;
}

/* ---- texts --------------------------------------------------------------- */

static inline void formats_text(FILE *f, const docs *d, size_t m)
{
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        for (uint32_t i = 0; i < d->tally[k]; i++)
            fprintf(f, "%sx%c%c", k + i == d->start[m] ? "" : " ",
                    'a' + (int)d->word[k] / 26, 'a' + (int)d->word[k] % 26);
}

/* A line of four pieces around the id, the label and the text. */
static inline void formats_line(const formats_file *o, size_t m,
                                const char *const piece[4])
{
    char id[16];

    if (o->named)
        fprintf(o->f, "%s%s%s%s", piece[0], formats_id(o->d, m, id), piece[1],
                formats_label(o->d, m));
    fputs(piece[2], o->f);
    formats_text(o->f, o->d, m);
    fputs(piece[3], o->f);
}

static inline void formats_texts(const char *path, const docs *d, bool named,
                                 const char *head, const char *const piece[4])
{
    const formats_file o = {planted_file(path), d, named};

    fputs(head, o.f);
    for (size_t m = 0; m < d->count; m++)
        formats_line(&o, m, piece);
    ck_assert_int_eq(fclose(o.f), 0);
}

static inline void formats_jsonl(const char *path, const docs *d, bool named)
{
    const char *const with[] = {"{\"id\":\"", "\",\"label\":\"",
                                "\",\"text\":\"", "\"}\n"};
    const char *const without[] = {"", "", "{\"text\":\"", "\"}\n"};

    formats_texts(path, d, named, "", named ? with : without);
}

static inline void formats_lines(const char *path, const docs *d, bool named)
{
    const char *const piece[] = {"", "", "", "\n"};

    ck_assert(!named);
    formats_texts(path, d, false, "", piece);
}

static inline void formats_mallet(const char *path, const docs *d, bool named)
{
    const char *const piece[] = {"", "\t", "\t", "\n"};

    ck_assert(named);
    formats_texts(path, d, true, "", piece);
}

static inline void formats_tsv(const char *path, const docs *d, bool named)
{
    const char *const with[] = {"", "\t", "\t", "\n"};
    const char *const without[] = {"", "", "", "\n"};

    formats_texts(path, d, named, named ? "id\tlabel\ttext\n" : "text\n",
                  named ? with : without);
}

static inline void formats_csv(const char *path, const docs *d, bool named)
{
    const char *const with[] = {"\"", "\",", ",\"", "\"\n"};
    const char *const without[] = {"", "", "\"", "\"\n"};

    formats_texts(path, d, named, named ? "id,label,text\n" : "text\n",
                  named ? with : without);
}

static inline void formats_files(const char *path, const docs *d, bool named)
{
    char name[128], id[16];

    ck_assert(named);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    for (size_t m = 0; m < d->count; m++) {
        FILE *f;
        snprintf(name, sizeof name, "%s/%s", path, formats_label(d, m));
        ck_assert(mkdir(name, 0700) == 0 || errno == EEXIST);
        snprintf(name, sizeof name, "%s/%s", path, formats_id(d, m, id));
        f = planted_file(name);
        formats_text(f, d, m);
        ck_assert_int_eq(fclose(f), 0);
    }
}

/* ---- bags, whose words the vocabulary has -------------------------------- */

static inline void formats_uci(const char *path, const docs *d, bool named)
{
    ck_assert(!named);
    planted_write(path, d, 0, d->count, false);
}

/* Each entry as the words' spelling or their number, from `base`. */
static inline void formats_bag(FILE *f, const docs *d, size_t m,
                               const char *form, const char *between,
                               uint32_t base)
{
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        if (k > d->start[m])
            fputs(between, f);
        if (strstr(form, "w%03u") != NULL)
            fprintf(f, "%sw%03u%s%u", form[0] == '"' ? "\"" : "",
                    d->word[k] * 37 % PLANTED_WORDS,
                    form[0] == '"' ? "\":" : ":", d->tally[k]);
        else
            fprintf(f, "%u:%u", d->word[k] + base, d->tally[k]);
    }
}

static inline void formats_json_bags(const char *path, const docs *d,
                                     bool named)
{
    FILE *const f = planted_file(path);
    char id[16];

    for (size_t m = 0; m < d->count; m++) {
        fputc('{', f);
        if (named)
            fprintf(f, "\"label\":\"%s\",\"id\":\"%s\",", formats_label(d, m),
                    formats_id(d, m, id));
        fputs("\"text\":{", f);
        formats_bag(f, d, m, "\"w%03u\"", ",", 0);
        fputs("}}\n", f);
    }
    ck_assert_int_eq(fclose(f), 0);
}

static inline void formats_svmlight(const char *path, const docs *d,
                                    bool named)
{
    FILE *const f = planted_file(path);
    char id[16];

    ck_assert(named);
    for (size_t m = 0; m < d->count; m++) {
        fprintf(f, "%s ", formats_label(d, m));
        formats_bag(f, d, m, "", " ", 1);
        fprintf(f, " # %s\n", formats_id(d, m, id));
    }
    ck_assert_int_eq(fclose(f), 0);
}

static inline void formats_ldac(const char *path, const docs *d, bool named)
{
    FILE *const f = planted_file(path);

    ck_assert(!named);
    for (size_t m = 0; m < d->count; m++) {
        fprintf(f, "%zu ", d->start[m + 1] - d->start[m]);
        formats_bag(f, d, m, "", " ", 0);
        fputc('\n', f);
    }
    ck_assert_int_eq(fclose(f), 0);
}

static inline void formats_mtx_of(const char *path, const docs *d, bool turned)
{
    FILE *const f = planted_file(path);
    const unsigned many = PLANTED_WORDS, documents = (unsigned)d->count;

    fprintf(f, "%%%%MatrixMarket matrix coordinate integer general\n"
               "%u %u %zu\n", turned ? many : documents,
            turned ? documents : many, docs_entries(d));
    for (size_t m = 0; m < d->count; m++)
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            const unsigned row = (unsigned)m + 1, column = d->word[k] + 1;
            fprintf(f, "%u %u %u\n", turned ? column : row,
                    turned ? row : column, d->tally[k]);
        }
    ck_assert_int_eq(fclose(f), 0);
}

static inline void formats_mtx(const char *path, const docs *d, bool named)
{
    ck_assert(!named);
    formats_mtx_of(path, d, false);
}

static inline void formats_mtx_turned(const char *path, const docs *d,
                                      bool named)
{
    ck_assert(!named);
    formats_mtx_of(path, d, true);
}

static inline void formats_vw(const char *path, const docs *d, bool named)
{
    FILE *const f = planted_file(path);
    char id[16];

    for (size_t m = 0; m < d->count; m++) {
        if (named)
            fprintf(f, "%s '%s", formats_label(d, m), formats_id(d, m, id));
        fputs("| ", f);
        formats_bag(f, d, m, "w%03u", " ", 0);
        fputc('\n', f);
    }
    ck_assert_int_eq(fclose(f), 0);
}

#endif
