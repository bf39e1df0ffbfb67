/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_INTAKE_H
#define PIPELINE_INTAKE_INTAKE_H
/*
 * Sources on their way into slots: opened one after the other, compared with
 * the ledger, their words turned into the store's ids.
 *
 * A source is known, under whatever name it comes, by a digest of its first
 * documents with their ids, labels and orders of words, and then by one that is
 * chained over all of them. One that the ledger holds is read again only as far
 * as it was committed, to see that it is the same; then it goes on from there.
 * A file with other content is a new source. A pipe, which cannot be started
 * over, is refused when it turns out to be another; its name is made of its
 * first documents.
 *
 * A directory is known by its name. It is read whole each time, since a file
 * may have come anywhere in its order: what the store has of it is found by the
 * ids of its documents (identity.h), what is new goes on behind the last.
 *
 * Texts come with the order of their words, or as bags alone. A source goes on
 * as it began, whatever is asked for now: otherwise the same documents would be
 * a second source.
 */
#include <kedge/ingest.h>

#include "base/wordmap.h"
#include "pipeline/cutting.h"
#include "store/digest.h"
#include "pipeline/intake/feed.h"
#include "pipeline/intake/paths.h"
#include "pipeline/plan.h"
#include "pipeline/slot.h"
#include "io/reader.h"

#define INTAKE_LINES 3

/* What is told of sources: each alone where they are few, or how many. */
typedef struct intake_lines {
    uint64_t count;
    char line[INTAKE_LINES][600];
} intake_lines;

/* An entry of the ledger in the list of those with the same name or head. */
typedef struct intake_link {
    uint64_t key;
    uint32_t number, next; /* next: plus 1, or 0 */
} intake_link;

typedef struct intake {
    source_paths path;
    size_t next; /* of the paths, to be opened */
    const kedge_ingest_opts *opts;
    const kedge_control *control;
    words *vocabulary;    /* the store's, with new words appended, but those
                             that are only just being read */
    words lexicon;        /* all, for the thread that reads */
    wordmap ids;          /* of the lexicon */
    cutting cutting;      /* of texts into words */
    tokenizer_opts tokens; /* the same */
    assembler *assemble;  /* for all sources; NULL before the first */
    bool texts;           /* some were read */
    uint64_t widest;      /* bytes of the buffer for a line or file */
    size_t stored_words;  /* of them in the store already */
    size_t file_words;    /* lines of the vocabulary file */
    bool folds;           /* they are folded, as texts are: */
    size_t folded;        /* so many became other words, and */
    size_t merged;        /* so many one with another line's */
    slot_limits limits;   /* of what is read next; zeros: as large as any */
    slot_limits room_left; /* of them, beside what the slot has already */
    size_t words_before;  /* in the lexicon, before the slot that is read */
    reader_room room;     /* of sources that are opened next */
    uint32_t *map;        /* line → id; NULL where they are the same */
    digests digests;      /* of the lexicon */
    store_source *ledger; /* as committed, grown by what is read */
    size_t known, ledger_capacity;
    intake_link *link;
    uint32_t *first_link; /* plus 1, by key */
    size_t links, link_capacity, link_slots; /* slots: a power of two */
    /* the source that is open */
    bool open;
    const feed *from;     /* NULL: paths are files */
    store_source theirs;  /* what the feed's ledger says of it */
    reader *r;            /* of a file */
    const char *name;     /* path it was opened by */
    bool folder, by_id;   /* it is a directory, whose documents have ids */
    uint64_t base;        /* to be added to the positions of its documents */
    size_t candidate;     /* ledger numbers below it are yet to be tried */
    bool named;           /* `current` is settled */
    bool ordered;         /* with the order of words, once that is settled */
    uint64_t head[2];     /* digests of its first documents: as bags, and with
                             the order of their words */
    uint32_t current;
    store_source record;
    uint64_t skip;        /* documents up to this position are committed */
    uint64_t passed;      /* documents passed over in it */
    uint64_t chain;       /* digest up to the last document seen */
    docs *held;           /* batch under inspection */
    kedge_status failed;  /* what the next call says */
    kedge_error why;
    /* what happened */
    uint64_t sources, sources_known, resumed, empty;
    uint64_t taken_back;
    notes bad, unread;
    uint64_t not_text, hidden, others; /* of directories, passed over */
    uint64_t files, tables; /* of these: texts, and sources of their own */
    uint64_t texts_read, unbroken; /* cut; in scripts without blanks */
    uint64_t bytes_read, bytes_text, bytes_total; /* of closed and open ones */
    uint64_t closed_read, closed_text, closed_total;
    uint64_t not_utf8;    /* documents with bytes that are not UTF-8 */
    char first_not_utf8[512];
    uint64_t kept_batch;  /* sources known, of another batch than asked for */
    intake_lines lines_known, lines_none;
    uint64_t changed;     /* sources that are not what their name had */
} intake;

/* Reads the vocabulary file and the ledger; nothing is written. */
kedge_status intake_open(intake *in, store *s, words *vocabulary,
                         const kedge_ingest_opts *opts,
                         const kedge_control *control, kedge_error *err);
void intake_close(intake *in);

/* What is known of all sources before they are read. */
void intake_measure(intake *in, plan_input *out);

/* Nothing more will be read: frees what takes memory, the counts stay. */
void intake_rest(intake *in);

/* Fills batch, digests and parts of the slot with the next documents that the
 * store does not have: of one source, or of several small ones. slot.last: all
 * sources are read. After a failure, what came before it is given first. */
kedge_status intake_next(intake *in, slot *out, kedge_error *err);

/* Says what was found of sources that had nothing new; at the end. */
void intake_tell(intake *in);

/* Instead: which entry of the ledger the next path begins like, if any. Other
 * failures than those of memory, store and caller are of what is read. */
kedge_status intake_find(intake *in, bool *known, uint32_t *number,
                         kedge_error *err);

/* Of the slot, the documents out[0], out[1], ..., rising, are not stored after
 * all: the ledger forgets what it counted of them. Not while the next slot is
 * being read. */
void intake_discount(intake *in, slot *s, const uint32_t *out, size_t count);

/* Takes over the words of the slots read so far into the vocabulary; not while
 * the next one is being read. */
kedge_status intake_learn(intake *in, kedge_error *err);

#endif
