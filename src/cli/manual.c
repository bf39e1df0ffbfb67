/* SPDX-License-Identifier: MIT */
/* The same texts as guidance.c has, in the parts that manual pages have. */
#include "manual.h"

#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "guidance.h"
#include "values.h"

enum { ROFF_WIDTH = 60 };

/* ---- roff ---------------------------------------------------------------- */

/* One sign, such that it is none of roff's, and can be copied. */
static void roff_sign(char c)
{
    static const struct {
        char sign;
        const char *name;
    } named[] = {{'\\', "\\e"},   {'-', "\\-"},   {'\'', "\\(aq"},
                 {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i].sign == c) {
            fputs(named[i].name, stdout);
            return;
        }
    putchar(c);
}

/* Lines that begin with no request, and are no longer than `width` where they
 * can be broken; 0: they stay as they are. */
static void roff_text(const char *text, size_t size, size_t width)
{
    size_t column = 0;

    for (size_t i = 0; i < size; i++) {
        if (width > 0 && text[i] == ' ' &&
            column + 1 + strcspn(text + i + 1, " ") > width) {
            putchar('\n');
            column = 0;
            continue;
        }
        if (column == 0 && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stdout);
        column = text[i] == '\n' ? 0 : column + 1;
        roff_sign(text[i]);
    }
}

static void roff_word(const char *word)
{
    roff_text(word, strlen(word), 0);
}

static void roff_line(const char *text)
{
    roff_text(text, strlen(text), ROFF_WIDTH);
    putchar('\n');
}

static void roff_verbatim(const char *text, size_t size)
{
    puts(".nf");
    roff_text(text, size, 0);
    if (size > 0 && text[size - 1] != '\n')
        putchar('\n');
    puts(".fi");
}

/* Capitals are for titles. */
static void roff_title(const char *name, const char *part, const char *section)
{
    printf(".TH KEDGE");
    if (part != NULL)
        putchar('-');
    for (const char *c = part != NULL ? part : ""; *c != '\0'; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    printf(" %s \"\" \"kedge %s\" \"kedge\"\n.SH NAME\n%s", section,
           kedge_version(), name);
    if (part != NULL)
        printf("\\-%s", part);
    fputs(" \\- ", stdout);
}

/* ---- what several pages have --------------------------------------------- */

static void manual_codes(void)
{
    puts(".SH EXIT STATUS");
    roff_verbatim(helptopic_codes, strlen(helptopic_codes));
}

static void manual_option(void *data, const option *o, size_t index)
{
    const arguments *const a = data;
    char limits[256];

    if (index == a->count)
        puts(".SS Options of every command");
    puts(".TP");
    if (o->letter != 0)
        printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    roff_word(o->name);
    fputs("\\fR", stdout);
    if (o->kind != OPTION_FLAG) {
        fputs(o->kind == OPTION_WAIT ? "\\fI" : " \\fI", stdout);
        roff_word(o->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    roff_line(o->help);
    value_limits(o, limits, sizeof limits);
    if (limits[0] != '\0')
        roff_line(limits + 1);
}

/* ---- pages --------------------------------------------------------------- */

void manual_command(const arguments *a)
{
    const command *const self = a->self;

    a->common->threads = 0; /* that of the machine which made the page */
    roff_title("kedge", self->name, "1");
    roff_line(self->summary);
    printf(".SH SYNOPSIS\n\\fBkedge %s\\fR ", self->name);
    roff_word(self->operands);
    puts(" [\\fIOPTION\\fR...]\n.SH DESCRIPTION");
    roff_line(self->purpose);
    if (self->details != NULL) {
        puts(".PP");
        roff_line(self->details);
    }
    puts(".SH OPTIONS");
    options_walk(a, manual_option, (void *)(uintptr_t)a);
    puts(".SH OUTPUT");
    roff_line(self->output);
    puts(".SH EXAMPLES");
    roff_verbatim(self->examples, strlen(self->examples));
    manual_codes();
    puts(".SH SEE ALSO\n.BR kedge (1)");
}

void manual_all(const command *const *commands)
{
    roff_title("kedge", NULL, "1");
    roff_line("topic models of corpora too big for memory");
    puts(".SH SYNOPSIS\n\\fBkedge\\fR \\fICOMMAND\\fR \\fISTORE\\fR "
         "[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n.SH DESCRIPTION");
    roff_line(guide_about);
    puts(".SH COMMANDS");
    for (; *commands != NULL; commands++) {
        printf(".TP\n.BR kedge\\-%s (1)\n", (*commands)->name);
        roff_line((*commands)->summary);
    }
    puts(".SH TOPICS");
    for (size_t i = 0; helptopic_get(i) != NULL; i++) {
        fputs(".TP\n.BR kedge\\-", stdout);
        roff_word(helptopic_get(i)->name);
        puts(" (7)");
        roff_line(helptopic_get(i)->summary);
    }
    puts(".SH EXAMPLES\nFrom documents to topics:\n.PP");
    roff_verbatim(guide_first, strlen(guide_first));
    manual_codes();
}

static void manual_measures(void)
{
    const char *group = "";

    for (int m = 0; m < KEDGE_MEASURES; m++) {
        const kedge_measure_info *const info =
            kedge_measure_get((kedge_measure)m);

        if (strcmp(group, info->group) != 0) {
            fputs(".SS ", stdout);
            roff_line(info->group);
        }
        group = info->group;
        printf(".TP\n\\fB%s\\fR%s\n", info->key,
               info->better > 0   ? " (larger is better)"
               : info->better < 0 ? " (smaller is better)"
                                  : "");
        roff_line(info->formula);
        puts(".br");
        roff_line(info->paper);
    }
}

void manual_topic(const helptopic *topic)
{
    const char *at = topic->text;

    roff_title("kedge", topic->name, "7");
    roff_line(topic->summary);
    puts(".SH DESCRIPTION");
    while (*at != '\0') {
        const char *const block = at;
        const size_t size = helptopic_block(at, &at);

        if (block != topic->text)
            puts(".PP");
        if (strncmp(block, "  ", 2) == 0) {
            roff_verbatim(block, size);
        } else {
            roff_text(block, size, ROFF_WIDTH);
            putchar('\n');
        }
    }
    if (topic->measures)
        manual_measures();
    puts(".SH SEE ALSO\n.BR kedge (1)");
}
