/* SPDX-License-Identifier: MIT */
/* What is said of compositions that are kept with a model. */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>

#include "plaintext.h"

/* "3 documents of it are gone, 12 came later"; false where it is current. */
static bool tell_state(const kedge_saved_info *k, char *out, size_t size)
{
    figure f, g;
    char gone[64] = "", later[64] = "";

    if (k->removed > 0)
        snprintf(gone, sizeof gone, "%s %s since",
                 figure_count(&f, k->removed),
                 figure_noun(k->removed, "of their documents was removed",
                             "of their documents were removed"));
    if (k->later > 0)
        snprintf(later, sizeof later, "%s %s",
                 figure_count(&g, k->later),
                 figure_noun(k->later, "later document is not included",
                             "later documents are not included"));
    snprintf(out, size, "%s%s%s", gone,
             k->removed > 0 && k->later > 0 ? ", " : "", later);
    return !k->current;
}

void keptset_warn(const kedge_saved_info *k)
{
    char state[160];
    shell_word model;

    if (tell_state(k, state, sizeof state))
        complain("topic proportions saved with model %.63s: %s; 'kedge infer "
                 "STORE --save --model %s' saves new ones",
                 k->model, state, text_shell(&model, k->model));
}

void keptset_print(const kedge_saved_info *k)
{
    flow f = {.out = stdout, .indent = 4, .width = text_flow(stdout)};
    char state[160];
    figure documents, bytes;
    const bool stale = tell_state(k, state, sizeof state);

    fputs("  ", stdout);
    f.column = 2 + text_put(stdout, k->model, 40);
    fputs(": ", stdout);
    f.column += 2;
    flow_print(&f, "topic proportions of %s %s are saved, in %s, by --method "
               "%s (%s)%s%s", figure_count(&documents, k->documents),
               figure_noun(k->documents, "document", "documents"),
               figure_bytes(&bytes, k->bytes), k->method, k->options,
               stale ? "; stale: " : "", state);
    flow_end(&f);
}
