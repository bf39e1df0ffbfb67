/* SPDX-License-Identifier: MIT */
#ifndef IO_TEXT_MARKUP_H
#define IO_TEXT_MARKUP_H
/*
 * What is in a text and no word: tags and entities of HTML, addresses of pages
 * and of people. Nothing is swallowed that does not look like one from its
 * beginning to its end.
 */
#include <stdint.h>

#include "base/span.h"
#include "io/text/letters.h"

#define MARKUP_TAG 4096 /* bytes of a tag, at most */

/* What is to come in a text, as far as the search for it had to look. */
typedef struct markup {
    /* From here on there is no end; NULL: not known. */
    const char *no_comment_end, *no_script_end, *no_style_end;
} markup;

/*
 * The end of the tag or comment at `at`, which is at a '<'; NULL when it is
 * none: <name>, </name>, <name/>, attributes with values, <!doctype ...>,
 * <?xml ...>, <!-- ... -->. That of <script> and <style> is behind what they
 * hold, which is no text, and the tag that closes them, if there is one.
 */
const char *markup_tag(markup *m, const char *at, const char *end);

/*
 * Bytes of the entity at `at`, which is at an '&'; 1, that byte alone, when it
 * is none. *point is the letter, mark or apostrophe that it stands for, and 0
 * for what stands between words, names that are not known among it. "&" may
 * itself be written as "&amp;".
 */
size_t markup_entity(const char *at, const char *end, uint32_t *point);

/* The end of a page's address whose "://" or "www." ends at `at`: before a
 * blank, a quote, an angle bracket, or what is neither ASCII nor a letter. */
const char *markup_page(letters *l, const char *at, const char *end);

/*
 * The end of a mail address that `at` is within or at the '@' of, else NULL:
 * letters and digits before and after, on the left also any of "._%+-'", on
 * the right hyphens and at least one dot. *plain is how far there is none.
 */
const char *markup_mail(letters *l, const char *at, const char *end,
                        const char **plain);

#endif
