/* SPDX-License-Identifier: MIT */
#include "wordchoice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "figures.h"
#include "table.h"

static const char *const how[] = {
    [KEDGE_VOCABULARY_ALL] = "all",
    [KEDGE_VOCABULARY_RULE] = "rule",
    [KEDGE_VOCABULARY_CHANGED] = "changed",
    [KEDGE_VOCABULARY_FROZEN] = "frozen",
};

size_t wordchoice_options(wordchoice *w, kedge_fit_opts *o, option *out)
{
    const option list[WORDCHOICE_OPTIONS] = {
        {.name = "freeze", .kind = OPTION_FLAG, .value = &o->freeze,
         .help = "Topics are made of the words of an earlier model, as they "
                 "are, whatever documents came since: of the one that --like "
                 "names, else of the one that is replaced, else of the one "
                 "fitted last. Words that came since are left out; the summary "
                 "says how much that is. A fit without this applies its rule "
                 "again."},
        {.name = "view", .kind = OPTION_COUNTS, .value = &w->views,
         .argument = "N", .most = UINT32_MAX,
         .help = "Topics are made of this view's words, as they are, and of "
                 "its sketch; kedge info has the numbers."},
        {.name = "min-df", .kind = OPTION_COUNT, .value = &o->min_df,
         .argument = "D", .least = 1, .most = UINT64_MAX, .unset = "see above",
         .help = "Topics are made of words in D documents or more. 1: any."},
        {.name = "max-df", .kind = OPTION_REAL, .value = &o->max_df,
         .argument = "X", .unset = "see above",
         .help = "Of words in X documents at most; up to 1, X is a share of "
                 "all documents. 1: any."},
        {.name = "vocab-size", .kind = OPTION_COUNT,
         .value = &o->vocabulary_size, .argument = "N", .least = 1,
         .most = UINT64_MAX, .unset = "all",
         .help = "Of the N first words by tf-idf."},
        {.name = "stopwords", .kind = OPTION_TEXT, .value = &o->stopwords,
         .argument = "english|LANGUAGE|none|FILE", .unset = "see above",
         .help = "Words to leave out: those of a language, as german or de, or "
                 "a file with a word a line. Words of files, here and below, "
                 "stand for themselves and for what texts have of them, folded "
                 "and stemmed as the store's texts are."},
        {.name = "keep", .kind = OPTION_TEXT, .value = &o->keep,
         .argument = "FILE", .unset = "all",
         .help = "Only words of this file, one a line: all of them that "
                 "occur, unless other options leave some out."},
        {.name = "drop", .kind = OPTION_TEXT, .value = &o->drop,
         .argument = "FILE", .unset = "none",
         .help = "No words of this file."},
        {.name = "phrases", .kind = OPTION_COUNT, .value = &o->phrases,
         .argument = "N", .least = 1, .most = 8, .unset = "1",
         .help = "Words that often stand side by side, up to N of them, become "
                 "one: 2 finds neural_network. For texts; takes N "
                 "passes over the stored documents. 1: none."},
        {.name = "phrase-df", .kind = OPTION_COUNT,
         .value = &o->phrase_documents, .argument = "D", .least = 1,
         .most = UINT64_MAX, .unset = "10",
         .help = "Phrases are in D documents or more."},
        {.name = "phrase-score", .kind = OPTION_REAL,
         .value = &o->phrase_score, .argument = "X", .from = -1, .to = 1,
         .unset = "0.5", .zero = true,
         .help = "How closely a phrase's words are tied at least: 0 as chance "
                 "has it, 1 never apart (normalized pointwise mutual "
                 "information)."},
    };

    memcpy(out, list, sizeof list);
    return WORDCHOICE_OPTIONS;
}

int wordchoice_take(const wordchoice *w, const char *name,
                    kedge_fit_opts *o)
{
    if (w->views.count > 1)
        return complain_usage(name, "--view: one view at a time, not %zu",
                              w->views.count);
    if (w->views.count == 1)
        o->view = w->views.values[0];
    return GO_ON;
}

/* "400 of 400 and 200 that no document has any more": of a fit's words. */
static void tell_whose(const kedge_fit_result *r, char *out, size_t room)
{
    const uint64_t besides = r->absent_words + r->phrases;
    char absent[64] = "", phrases[48] = "";
    figure f, g;

    if (r->absent_words > 0)
        snprintf(absent, sizeof absent, " and %s that no document has any "
                 "more", figure_count(&f, r->absent_words));
    if (r->phrases > 0)
        snprintf(phrases, sizeof phrases, " and %s phrases",
                 figure_count(&f, r->phrases));
    snprintf(out, room, "%s%sof %s%s%s",
             besides > 0 ? figure_count(&f, r->words - besides) : "",
             besides > 0 ? " " : "", figure_count(&g, r->stored_words),
             absent, phrases);
}

/* "of 48,211, chosen again (3,335 before); 6.2 % of tokens and 4.1 % of
 * documents left out" */
void wordchoice_tell(const kedge_fit_result *r)
{
    char note[320], chosen[64] = "", whose[160];
    figure f, h;

    if (r->vocabulary == KEDGE_VOCABULARY_CHANGED)
        snprintf(chosen, sizeof chosen, ", chosen again (%s before)",
                 figure_count(&f, r->words_before));
    else if (r->vocabulary == KEDGE_VOCABULARY_FROZEN)
        snprintf(chosen, sizeof chosen, ", kept as they were");
    tell_whose(r, whose, sizeof whose);
    if (r->vocabulary == KEDGE_VOCABULARY_ALL && r->too_short == 0)
        snprintf(note, sizeof note, "all of them");
    else
        snprintf(note, sizeof note,
                 "%s%s; %.1f %% of tokens and %.1f %% of documents left "
                 "out", whose, chosen,
                 100 * r->tokens_left_out,
                 r->too_short == 0
                     ? 0
                     : 100 * (double)r->too_short /
                           (double)(r->documents + r->too_short));
    summary_line(stderr, "words", figure_count(&h, r->words), note);
}

void wordchoice_json(jsonout *j, const kedge_fit_result *r)
{
    json_key_text(j, "vocabulary", how[r->vocabulary]);
    json_key_count(j, "view", r->view);
    json_key_count(j, "stored_words", r->stored_words);
    json_key_count(j, "absent_words", r->absent_words);
    json_key_count(j, "phrases", r->phrases);
    json_key_count(j, "words_before", r->words_before);
    json_key_real(j, "tokens_left_out", r->tokens_left_out);
}
