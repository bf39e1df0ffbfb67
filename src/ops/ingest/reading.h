/* SPDX-License-Identifier: MIT */
#ifndef OPS_INGEST_READING_H
#define OPS_INGEST_READING_H
/*
 * Sources on their way into batches: opened one after the other, compared with
 * the ledger, their words turned into the store's ids.
 *
 * A source is known, under whatever name it comes, by a digest of its first
 * documents with their ids, labels and orders of words, and then by one that is
 * chained over all of them. One that the ledger holds is read again only as far
 * as it was committed, to see that it is the same; then it goes on from there. A
 * file or directory that was read to its end is not even read so far while its
 * name, its size and its modification time are what they were (is_unchanged).
 * A file with other content is a new source. A pipe, which cannot be started
 * over, is refused when it turns out to be another; its name is made of its
 * first documents.
 *
 * A directory is known by its name. When it changed, it is read whole, since a
 * file may have come anywhere in its order: what the store has of it is found by
 * the ids of its documents (dedupe.h), what is new goes on behind the last.
 *
 * Texts come with the order of their words, or as bags alone. A source goes on
 * as it began, whatever is asked for now: otherwise the same documents would be
 * a second source.
 */
#include <kedge/ingest.h>

#include "base/wordmap.h"
#include "ops/batch.h"
#include "ops/ingest/ingest.h"
#include "ops/plan.h"
#include "ops/textsettings.h"
#include "io/reader.h"
#include "store/digest.h"

/* The sources that are asked for, and behind them the tables and JSON that were
 * found in directories among them, each a source like any other. */
typedef struct source_paths {
    const char *const *given;
    size_t count; /* of those given */
    words found;
} source_paths;

static inline size_t paths_count(const source_paths *p)
{
    return p->count + p->found.count;
}

/* Valid until more are found. */
static inline const char *paths_get(const source_paths *p, size_t i)
{
    return i < p->count ? p->given[i] : words_get(&p->found, i - p->count);
}

/* Adds the tables and JSON that a directory's reader has found. */
kedge_status paths_take(source_paths *p, const reader *r, kedge_error *err);

/* Whether it is a file or a directory, "-" being standard input: not a pipe,
 * and not a path of nothing. */
bool path_is_file(const char *path);

/* Adds up the counts of readers. */
void reading_add_counts(reader_counts *sum, const reader_counts *more);

/* An entry of the ledger in the list of those with the same name or head. */
typedef struct reading_link {
    size_t number, before; /* before: plus 1, or 0 */
} reading_link;

typedef struct reading {
    source_paths path;
    size_t next; /* path to be opened */
    const kedge_ingest_opts *opts;
    const kedge_control *control;
    words *vocabulary;    /* of the store and of the batches before the one
                             that is being read (reading_learn) */
    words lexicon;        /* all words, for the thread that reads */
    wordmap ids;          /* of the lexicon */
    text_settings tokenizing;
    tokenizer_opts tokens; /* the same */
    assembler *assemble;  /* for all sources; NULL before the first */
    size_t file_words;    /* lines of the vocabulary file, */
    uint64_t file_digest; /* of these */
    uint64_t removed;     /* documents, from the store */
    bool folds;           /* its words are folded, as those of texts are: */
    size_t folded;        /* so many became other words, */
    size_t merged;        /* so many the word of another line */
    batch_limits limits;  /* of the next batch; zeros: the largest */
    batch_limits room_left; /* in the batch that is being read */
    size_t new_words;     /* that a batch may bring */
    size_t words_before;  /* in the lexicon, when the batch began */
    reader_room room;     /* of sources that are opened next */
    uint32_t *map;        /* line → id; NULL where they are the same */
    digests digests;      /* of the lexicon */
    store_source *ledger; /* the store's, and the sources read since */
    size_t known, ledger_capacity;
    words key_list;       /* digests of its names and heads, */
    wordmap keys;         /* found by their bytes */
    size_t *latest_link;  /* by key: plus 1 */
    reading_link *link;
    size_t links, link_capacity, latest_capacity;
    /* the source that is open */
    bool open;
    size_t ended;         /* sources that were read to their end */
    const feed *from;     /* NULL: paths are files */
    store_source theirs;  /* what the feed's ledger says of it */
    reader *r;            /* of a file */
    const char *name;     /* path it was opened by */
    bool folder, by_id;   /* it is a directory, whose documents have ids */
    uint64_t base;        /* to be added to the positions of its documents */
    size_t candidate;     /* entries of the ledger below it are yet to be
                             tried */
    bool named;           /* `current` is known: */
    bool unchanged;       /* it is what it was when it was read to its end */
    bool ordered;         /* it is read with the order of words */
    uint64_t head[2];     /* digests of its first documents: as bags, and with
                             the order of their words */
    uint32_t current;
    store_source record;
    uint64_t skip;        /* documents up to this position are committed */
    uint64_t passed;      /* documents passed over in it */
    uint64_t chain;       /* digest up to the last document seen */
    docs held;            /* documents under inspection */
    kedge_status failed;  /* the next call returns this, */
    kedge_error why;      /* for this reason */
    /* what happened */
    uint64_t sources, sources_known, resumed, tables;
    reader_counts closed; /* of sources that have ended */
    reader_counts counts; /* of all sources, when the last batch ended */
    uint64_t saved_batch;  /* known sources that stay in another batch than is
                             asked for */
    uint64_t sources_unchanged;    /* of those known */
    notes lines_unchanged, lines_known, lines_none; /* sources that were not
                                      read again, with nothing new, and
                                      without documents */
    uint64_t changed;     /* sources whose name had another content */
} reading;

/* Reads the vocabulary file and the ledger; nothing is written. */
kedge_status reading_open(reading *in, store *s, words *vocabulary,
                          const kedge_ingest_opts *opts,
                          const kedge_control *control, kedge_error *err);
void reading_close(reading *in);

/* What is known of all sources before they are read. */
void reading_measure(reading *in, plan_input *out);

/* Frees what reading needs, once all is read; the counts stay. */
void reading_rest(reading *in);

/* Fills documents, digests and parts of the batch with what comes next and the
 * store does not have: of one source, or of several small ones. out->last: all
 * sources are read. After a failure, what came before it is given first. */
kedge_status reading_next(reading *in, doc_batch *out, kedge_error *err);

/* Logs which sources had nothing new, and what became of the vocabulary's
 * words; at the end. */
void reading_report(reading *in);

/* Finds the entry of the ledger that the next path begins like, if any, without
 * reading it on. EIO, EFORMAT, EINVAL and EBUDGET tell of what is read. */
kedge_status reading_find(reading *in, bool *known, uint32_t *number,
                          kedge_error *err);

/* The batch's documents out[0], out[1], ..., rising, will not be stored: the
 * ledger drops what it counted of them. Not while the next batch is being
 * read. */
void reading_discount(reading *in, doc_batch *b, const uint32_t *out,
                      size_t count);

/* Takes over the words of the batches read so far into the vocabulary; not
 * while the next one is being read. */
kedge_status reading_learn(reading *in, kedge_error *err);

#endif
