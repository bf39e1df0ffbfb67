/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_FOLLOW_H
#define PIPELINE_VIEWS_FOLLOW_H
/*
 * A view follows the log of documents: its sketch is loaded as it was last
 * saved, blocks that came since are added from the store, new windows as they
 * are read, and the whole is saved again. Losing it loses nothing but time.
 */
#include <kedge/control.h>

#include "base/pool.h"
#include "pipeline/slot.h"
#include "pipeline/views/lens.h"
#include "sketch/degree.h"
#include "sketch/sketch.h"

typedef struct follow {
    store *s;
    const kedge_control *control;
    pool *p;
    const words *vocabulary; /* the store's */
    uint32_t number; /* of the view */
    store_view view; /* as it will be saved */
    lens lens;       /* what it sees */
    statistic statistic; /* and what it makes of it */
    uint32_t *rank;  /* by id: the word's place in the order of bytes */
    uint64_t saved_blocks, saved_removals; /* that the saved sketch holds */
    bool exists;     /* in the store */
    sketch *z;
    bool idle;       /* documents are stored only: there is no sketch */
    /* Documents weigh by these too, in a sketch that is made from nothing and
     * never saved; NULL: as the view has it. */
    const degrees *degrees;
    /* Seconds between savings, at least; 0: the usual ones. And when the next
     * one is. */
    double save_every, save_at;
    unsigned halvings; /* of what a turn takes (slot_limits_of) */
} follow;

#define FOLLOW_VIEW 0 /* of all words; sketched while reading */

/* Where the blocks of a turn come from, and where they go. */
typedef struct follow_turns {
    void *data;
    /* Before each turn, on the calling thread, while nothing is being read: the
     * slot is about to be committed. NULL: nothing to do. */
    kedge_status (*begin)(void *data, slot *coming, kedge_error *err);
    /* Fills the slot with the next documents; slot.last when there are none. */
    kedge_status (*next)(void *data, slot *out, kedge_error *err);
    /* Commits the slot; NULL: it is in the store already. */
    kedge_status (*commit)(void *data, slot *done, kedge_error *err);
    /* After each turn, on the calling thread: what was read is committed and in
     * the sketch. */
    kedge_status (*after)(void *data, kedge_error *err);
} follow_turns;

/* Loads the sketch of the stored view; where there is none, begins f->view. The
 * caller has filled s, control, p, vocabulary, number, view and halvings.
 * `spill`: the sketch lives in a file-backed mapping. */
kedge_status follow_open(follow *f, bool spill, kedge_error *err);
void follow_close(follow *f);

/* Runs until next says last: each turn reads one slot, commits the one before
 * and adds it to the sketch (none when f->z is NULL), all at once. On failure
 * or a stop, what was read before is committed. */
kedge_status follow_run(follow *f, const follow_turns *turns,
                        kedge_error *err);

/* The words that there are rows for. */
const words *follow_words(const follow *f);

/* Adds the blocks that the sketch lacks and takes out what was removed from
 * those that it has. On the way the sketch is saved at times, so that what is
 * interrupted goes on there. */
kedge_status follow_catch_up(follow *f, kedge_error *err);

/* Whether the sketch holds, or no longer holds, what the saved one does not. */
bool follow_is_ahead(const follow *f);

/* Writes sketch and view; durable when OK. */
kedge_status follow_save(follow *f, kedge_error *err);

/* The same, but only where it is time for it: a long run saves its sketch now
 * and then, so that one that is interrupted does not have to make it again. The
 * saving takes a small share of the time. */
kedge_status follow_save_at_times(follow *f, kedge_error *err);


#endif
