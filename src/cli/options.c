/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"
#include "help.h"

/* ---- names that are near ------------------------------------------------- */

/*
 * Edit distance with exchanged neighbours (optimal string alignment), by
 * dynamic programming over three rows.
 */
enum { LONGEST = 32 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t a_size, const char *b)
{
    size_t rows[3][LONGEST + 1];
    const size_t b_size = strlen(b);

    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i - 1) % 3];
        const size_t *before = rows[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least_of(now[j], least_of(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least_of(now[j], before[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

void nearest_begin(nearest *n, const char *typed, size_t size)
{
    *n = (nearest){.typed = typed, .size = size, .distance = SIZE_MAX};
}

/* What other programs call it: no spelling is near. */
static const struct {
    const char *typed, *meant;
} others[] = {
    {"num-topics", "topics"},      {"n-topics", "topics"},
    {"n-components", "topics"},    {"num-top-words", "words"},
    {"topn", "words"},             {"top", "words"},
    {"random-state", "seed"},      {"random-seed", "seed"},
    {"num-threads", "threads"},    {"n-jobs", "threads"},
    {"workers", "threads"},        {"num-iterations", "em-iter"},
    {"iterations", "em-iter"},     {"max-iter", "em-iter"},
    {"passes", "em-iter"},         {"stoplist-file", "stopwords"},
    {"remove-stopwords", "stopwords"}, {"no-below", "min-df"},
    {"no-above", "max-df"},        {"keep-n", "vocab-size"},
    {"max-features", "vocab-size"}, {"ngrams", "phrases"},
    {"input", "from"},             {"name", "model"},
    {"out", "output"},             {"json", "format"},
    {"train", "fit"},              {"lda", "fit"},
    {"train-topics", "fit"},       {"add", "ingest"},
    {"import", "ingest"},          {"load", "ingest"},
    {"transform", "infer"},        {"infer-topics", "infer"},
    {"predict", "infer"},          {"list", "info"},
    {"ls", "info"},                {"show", "topics"},
    {"delete", "drop"},            {"forget", "drop"},
    {"rebuild", "repair"},         {"rename", "label"},
    {"evaluate", "eval"},          {"coherence", "eval"},
    {"compare", "diff"},           {"dump", "cat"},
};

/* As it was typed, but for '_' and capitals. */
static bool is_same(const char *typed, size_t size, const char *name)
{
    for (size_t i = 0; i < size; i++) {
        const char c = typed[i] == '_' ? '-'
                       : typed[i] >= 'A' && typed[i] <= 'Z'
                           ? (char)(typed[i] - 'A' + 'a')
                           : typed[i];
        if (c != name[i])
            return false;
    }
    return name[size] == '\0';
}

static bool is_other(const nearest *n, const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].meant, name) == 0 &&
            is_same(n->typed, n->size, others[i].typed))
            return true;
    return false;
}

void nearest_offer(nearest *n, const char *name)
{
    const size_t size = strlen(name);
    size_t d;

    if (is_same(n->typed, n->size, name) || is_other(n, name)) {
        n->distance = 0;
        n->name = name;
        return;
    }
    if (n->size > LONGEST || size > LONGEST || n->size == 0)
        return;
    d = distance(n->typed, n->size, name);
    if (n->size >= 2 && strncmp(n->typed, name, n->size) == 0)
        d = 1; /* the beginning of a name */
    if (d < n->distance && d <= (size + 2) / 3) {
        n->distance = d;
        n->name = name;
    }
}

/* ---- values -------------------------------------------------------------- */

/* Decimal digits and nothing else: strtoull would take "-1" and " 1". */
static bool read_digits(const char *text, size_t size, uint64_t *out)
{
    uint64_t n = 0;

    for (size_t i = 0; i < size; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');

        if (digit > 9 || n > (UINT64_MAX - digit) / 10)
            return false;
        n = 10 * n + digit;
    }
    *out = n;
    return size > 0;
}

static bool in_range(const option *o, uint64_t n)
{
    return o->most == 0 || (n >= o->least && n <= o->most);
}

static bool read_count(const option *o, const char *text, size_t size,
                       uint64_t *out, char *why, size_t room)
{
    const bool below = o->most > 0 && text[0] == '-' &&
                       read_digits(text + 1, size - 1, out);

    if (!below && !read_digits(text, size, out)) {
        snprintf(why, room, "'%.*s' is not a whole number", (int)size, text);
        return false;
    }
    if ((below || !in_range(o, *out)) && o->most == UINT64_MAX) {
        snprintf(why, room, "%.*s is less than %" PRIu64, (int)size, text,
                 o->least);
        return false;
    }
    if (below || !in_range(o, *out)) {
        snprintf(why, room, "%.*s is not within %" PRIu64 " to %" PRIu64,
                 (int)size, text, o->least, o->most);
        return false;
    }
    if (o->multiple > 0 && *out % o->multiple != 0) {
        snprintf(why, room, "%.*s is not a multiple of %" PRIu64, (int)size,
                 text, o->multiple);
        return false;
    }
    return true;
}

static bool read_size(const char *text, uint64_t *out, char *why, size_t room)
{
    static const char suffixes[] = "KMGTkmgt";
    size_t size = strlen(text);
    unsigned shift = 0;
    uint64_t n;

    if (size > 0) {
        const char *suffix = strchr(suffixes, text[size - 1]);

        if (suffix != NULL) {
            shift = 10 * (unsigned)((suffix - suffixes) % 4 + 1);
            size--;
        }
    }
    if (!read_digits(text, size, &n) || n > UINT64_MAX >> shift || n == 0) {
        snprintf(why, room, "'%s' is not a size; write 500M or 2G", text);
        return false;
    }
    *out = n << shift;
    return true;
}

/* 0 stands for what is usual, where an option says what that is and NAN does
 * not. */
static bool read_real(const option *o, const char *text, double *out,
                      char *why, size_t room)
{
    char *end;

    errno = 0;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*out) ||
        strpbrk(text, "xX \t\n\v\f\r") != NULL) {
        snprintf(why, room, "'%s' is not a number; write %s", text,
                 o->from < o->to && o->to <= 1 ? "0.05" : "1e-7 or 0.001");
        return false;
    }
    if (o->unset != NULL && !o->zero && *out <= 0) {
        snprintf(why, room, "%s is not above 0", text);
        return false;
    }
    if (o->from == o->to || (*out >= o->from && *out <= o->to))
        return true;
    if (isinf(o->to))
        snprintf(why, room, "%s is less than %g", text, o->from);
    else
        snprintf(why, room, "%s is not within %g to %g", text, o->from, o->to);
    return false;
}

/* Sets `place` to that of the name among those between bars. */
static bool find_choice(const char *choices, const char *name, unsigned *place)
{
    const size_t size = strlen(name);
    unsigned at = 0;

    for (const char *from = choices; from != NULL && *from != '\0'; at++) {
        const size_t length = strcspn(from, "|");

        if (length == size && memcmp(from, name, size) == 0) {
            *place = at;
            return true;
        }
        from += length + (from[length] == '|');
    }
    return false;
}

/* "'ab' is not one of abc|x; abc perhaps?" */
static void say_choices(const char *text, size_t size, const char *choices,
                        char *why, size_t room)
{
    const size_t end = strcspn(choices, "[");
    char names[512], *at = names, *rest;
    nearest guess;

    snprintf(names, sizeof names, "%.*s", (int)end, choices);
    nearest_begin(&guess, text, size);
    while ((rest = strsep(&at, "|")) != NULL)
        nearest_offer(&guess, rest);
    snprintf(why, room, "'%.*s' is not one of %.*s%s%s%s", (int)size, text,
             (int)end, choices, guess.name != NULL ? "; " : "",
             guess.name != NULL ? guess.name : "",
             guess.name != NULL ? " perhaps?" : "");
}

static bool read_choice(const option *o, const char *text, char *why,
                        size_t room)
{
    unsigned place;

    if (!find_choice(o->choices, text, &place) &&
        !find_choice(o->aliases, text, &place)) {
        say_choices(text, strlen(text), o->choices, why, room);
        return false;
    }
    memcpy(o->value, &place, sizeof place);
    return true;
}

/* Where the name is among those between bars, up to a bracket; or NULL. */
static const char *find_name(const char *names, const char *name, size_t size)
{
    for (;;) {
        const size_t length = strcspn(names, "|[");

        if (length == size && memcmp(names, name, size) == 0)
            return names;
        if (names[length] != '|')
            return NULL;
        names += length + 1;
    }
}

/* Of "a|b|c" one, of "a|b|c[,...]" several, each once. */
static bool read_names(const option *o, const char *text, char *why,
                       size_t room)
{
    const bool several = strchr(o->choices, '[') != NULL;

    for (const char *at = text; at != NULL;) {
        const size_t size = several ? strcspn(at, ",") : strlen(at);
        const int shown = size < 80 ? (int)size : 80;

        if (find_name(o->choices, at, size) == NULL) {
            say_choices(at, (size_t)shown, o->choices, why, room);
            return false;
        }
        for (const char *earlier = text; earlier < at;
             earlier += strcspn(earlier, ",") + 1)
            if (strcspn(earlier, ",") == size &&
                memcmp(earlier, at, size) == 0) {
                snprintf(why, room, "'%.*s' is named twice", shown, at);
                return false;
            }
        at = at[size] == ',' ? at + size + 1 : NULL;
    }
    return true;
}

/* Appends, so that -k 5 -k 10 is -k 5,10. */
static bool read_counts(const option *o, const char *text, counts *out,
                        char *why, size_t room)
{
    for (;;) {
        const size_t size = strcspn(text, ",");

        if (out->count == COUNTS_MOST) {
            snprintf(why, room, "more than %d values", COUNTS_MOST);
            return false;
        }
        if (size == 0) {
            snprintf(why, room, "a number is missing before or after a comma");
            return false;
        }
        if (memchr(text, ':', size) != NULL) {
            snprintf(why, room, "'%.*s' is a range, which kedge sweep takes: "
                                "write a list, as 10,20,50", (int)size, text);
            return false;
        }
        if (!read_count(o, text, size, &out->values[out->count], why, room))
            return false;
        for (size_t i = 0; i < out->count; i++)
            if (out->values[i] == out->values[out->count]) {
                snprintf(why, room, "%" PRIu64 " is given twice",
                         out->values[i]);
                return false;
            }
        out->count++;
        if (text[size] == '\0')
            return true;
        text += size + 1;
    }
}

static bool read_index(const option *o, const char *text, uint64_t *out,
                       char *why, size_t room)
{
    const bool another = *out != KEDGE_NO_INDEX;
    size_t count = 1 + another;

    for (const char *at = text; (at = strchr(at, ',')) != NULL; at++)
        count++;
    if (count == 1)
        return read_count(o, text, strlen(text), out, why, room);
    snprintf(why, room, "one index at a time, not %zu", count);
    return false;
}

bool value_read(const option *o, const char *text, char *why, size_t size)
{
    switch (o->kind) {
    case OPTION_COUNT:
        return read_count(o, text, strlen(text), o->value, why, size);
    case OPTION_SIZE:
        return read_size(text, o->value, why, size);
    case OPTION_WAIT:
    case OPTION_REAL:
        return read_real(o, text, o->value, why, size);
    case OPTION_CHOICE:
        return read_choice(o, text, why, size);
    case OPTION_COUNTS:
        return read_counts(o, text, o->value, why, size);
    case OPTION_TEXT:
        if (*text == '\0') {
            snprintf(why, size, "must not be empty");
            return false;
        }
        if (o->choices != NULL && !read_names(o, text, why, size))
            return false;
        *(const char **)o->value = text;
        return true;
    case OPTION_INDEX:
        return read_index(o, text, o->value, why, size);
    case OPTION_FLAG:
    case OPTION_GROUP:
    case OPTION_SECTION:
        break;
    }
    snprintf(why, size, "takes no value");
    return false;
}

static void write_choice(const option *o, char *out, size_t size)
{
    const char *from = o->choices;
    unsigned place;

    memcpy(&place, o->value, sizeof place);
    for (; place > 0; place--) {
        from += strcspn(from, "|");
        if (*from == '\0') {
            snprintf(out, size, "%s", o->unset);
            return;
        }
        from++;
    }
    snprintf(out, size, "%.*s", (int)strcspn(from, "|"), from);
}

static void write_number(const option *o, char *out, size_t size)
{
    const uint64_t n = *(const uint64_t *)o->value;
    figure f;

    if (n == 0 && o->unset != NULL)
        snprintf(out, size, "%s", o->unset);
    else if (o->kind == OPTION_SIZE)
        snprintf(out, size, "%s", figure_size(&f, n));
    else
        snprintf(out, size, "%" PRIu64, n);
}

void value_default(const option *o, char *out, size_t size)
{
    const char *text;

    *out = '\0';
    switch (o->kind) {
    case OPTION_COUNT:
    case OPTION_SIZE:
        write_number(o, out, size);
        break;
    case OPTION_REAL:
        if (o->unset != NULL && (isnan(*(const double *)o->value) ||
                                 *(const double *)o->value == 0))
            snprintf(out, size, "%s", o->unset);
        else
            snprintf(out, size, "%g", *(const double *)o->value);
        break;
    case OPTION_CHOICE:
        write_choice(o, out, size);
        break;
    case OPTION_TEXT:
        text = *(const char *const *)o->value;
        text = text != NULL ? text : o->unset;
        snprintf(out, size, "%s", text != NULL ? text : "");
        break;
    case OPTION_FLAG:
    case OPTION_WAIT:
    case OPTION_COUNTS:
    case OPTION_INDEX:
    case OPTION_GROUP:
    case OPTION_SECTION:
        break;
    }
}

void value_range(const option *o, char *out, size_t size)
{
    *out = '\0';
    if (o->most != 0 && o->most < UINT64_MAX)
        snprintf(out, size, "%" PRIu64 " to %" PRIu64, o->least, o->most);
    if (o->from != o->to && isfinite(o->to))
        snprintf(out, size, "%g to %g", o->from, o->to);
}

/* ---- which there are ----------------------------------------------------- */

#define AT(member) offsetof(job, common.member)

static const option common_options[] = {
    SECTION(OPTIONS_COMMON),
    OPTION(SIZE, "memory", AT(memory), "SIZE",
           "maximum resident memory: 500M, 4G"),
    OPTION(COUNT, "threads", AT(threads), "N",
           "threads; results are the same for any number", .least = 1,
           .most = 256, .unset = "all cores"),
    OPTION(WAIT, "wait", AT(wait), "[=SECONDS]",
           "wait while another process writes to STORE", .to = HUGE_VAL,
           .writes = true),
    OPTION(CHOICE, "progress", AT(progress), "KIND", "progress on stderr",
           .choices = "auto|none|bar|json"),
    OPTION(FLAG, "quiet", AT(quiet), NULL, "no messages but errors",
           .letter = 'q'),
    OPTION(FLAG, "help", 0, NULL, "show the main options", .letter = 'h'),
    OPTION(FLAG, "help-all", 0, NULL, "show all options"),
    {.name = NULL},
};

static void walk(const option *all, void *base, const option *group,
                 bool writes, option_visit *visit, void *data)
{
    const char *section = group->section;

    for (; all != NULL && all->name != NULL; all++) {
        option o = *all;

        o.value = (char *)base + o.at;
        o.section = section;
        o.main = o.main && group->main;
        if (o.kind == OPTION_SECTION)
            section = o.name;
        else if (o.kind == OPTION_GROUP)
            walk(o.group, o.value, &o, writes, visit, data);
        else if (writes || !o.writes)
            visit(data, &o);
    }
}

void options_walk(job *j, option_visit *visit, void *data)
{
    const option top = {.section = "Options", .main = true};
    const bool writes = j->self->writes;

    walk(j->self->options, j, &top, writes, visit, data);
    walk(common_options, j, &top, writes, visit, data);
}

/* ---- the command line ---------------------------------------------------- */

/* One option on the command line, looked up. */
typedef struct lookup {
    const char *name; /* NULL: by letter */
    size_t size;
    char letter;
    option found;
    bool known;
    nearest guess;
} lookup;

static void look(void *data, const option *o)
{
    lookup *l = data;

    if (l->name == NULL) {
        if (o->letter == 0 || o->letter != l->letter)
            return;
    } else {
        nearest_offer(&l->guess, o->name);
        if (strlen(o->name) != l->size || memcmp(o->name, l->name, l->size))
            return;
    }
    l->found = *o;
    l->known = true;
}

static int read_value(job *j, const option *o, const char *shown,
                      const char *text)
{
    char why[256];

    if (text == NULL)
        return complain_usage(j->self->name, "%s: a value is missing: %s %s",
                              shown, shown, o->argument);
    if (!value_read(o, text, why, sizeof why))
        return complain_usage(j->self->name, "%s: %s", shown, why);
    return GO_ON;
}

/* argv[*i] is "--name" or "--name=value". */
static int read_long(job *j, int argc, char **argv, int *i)
{
    const char *name = argv[*i] + 2;
    const char *equals = strchr(name, '=');
    lookup l = {.name = name};
    char shown[64];

    l.size = equals != NULL ? (size_t)(equals - name) : strlen(name);
    nearest_begin(&l.guess, name, l.size);
    options_walk(j, look, &l);
    if (!l.known && l.guess.name != NULL)
        return complain_usage(j->self->name,
                              "%s has no option '--%.*s'; --%s perhaps?",
                              j->self->name, (int)l.size, name, l.guess.name);
    if (!l.known)
        return complain_usage(j->self->name, "%s has no option '--%.*s'",
                              j->self->name, (int)l.size, name);
    snprintf(shown, sizeof shown, "--%s", l.found.name);
    if (equals == NULL && l.found.kind == OPTION_FLAG) {
        *(bool *)l.found.value = true;
        return GO_ON;
    }
    if (equals == NULL && l.found.kind == OPTION_WAIT) {
        *(double *)l.found.value = HUGE_VAL;
        return GO_ON;
    }
    if (equals != NULL)
        return read_value(j, &l.found, shown, equals + 1);
    return read_value(j, &l.found, shown, *i + 1 < argc ? argv[++*i] : NULL);
}

/* argv[*i] is "-k", "-k5" or "-qk5". */
static int read_short(job *j, int argc, char **argv, int *i)
{
    for (const char *at = argv[*i] + 1; *at != '\0'; at++) {
        const char shown[] = {'-', *at, '\0'};
        lookup l = {.letter = *at};
        const char *text = NULL;

        options_walk(j, look, &l);
        if (!l.known)
            return complain_usage(j->self->name, "%s has no option '%s'",
                                  j->self->name, argv[*i]);
        if (strcmp(l.found.name, "help") == 0) { /* help, in company: -qh */
            help_command(j, false);
            return EXIT_OK;
        }
        if (l.found.kind == OPTION_FLAG) {
            *(bool *)l.found.value = true;
            continue;
        }
        if (at[1] != '\0')
            text = at + 1;
        else if (*i + 1 < argc)
            text = argv[++*i];
        return read_value(j, &l.found, shown, text);
    }
    return GO_ON;
}

/* Help comes before whatever else is on the line. It is looked for before
 * anything is read, so that it shows true defaults. */
static bool help_shown(job *j, int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (help_asked(argv[i])) {
            help_command(j, strcmp(argv[i], "--help-all") == 0);
            return true;
        }
    return false;
}

static int check_operands(job *j)
{
    const command *self = j->self;

    if (j->operand_count < self->least)
        return complain_usage(self->name, "%s needs %s", self->name,
                              self->operands);
    if (j->operand_count > self->most)
        return complain_usage(self->name, "%s takes %s: what is '%s'?",
                              self->name, self->operands,
                              j->operands[self->most]);
    for (size_t i = 0; i < j->operand_count; i++)
        if (j->operands[i][0] == '\0' &&
            !(self->last_may_be_empty && i + 1 == self->most))
            return complain_usage(self->name, "an empty name is no name");
    return GO_ON;
}

static int read_line(job *j, int argc, char **argv)
{
    bool ended = false;

    j->operands = argv;
    j->operand_count = 0;
    for (int i = 0; i < argc; i++) {
        int code = GO_ON;

        if (ended || argv[i][0] != '-' || argv[i][1] == '\0')
            j->operands[j->operand_count++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            ended = true;
        else if (argv[i][1] == '-')
            code = read_long(j, argc, argv, &i);
        else
            code = read_short(j, argc, argv, &i);
        if (code != GO_ON)
            return code;
    }
    return GO_ON;
}

/* Reading gathers the operands at the front. */
int options_read(job *j, int argc, char **argv)
{
    const size_t size = (size_t)argc * sizeof *argv;
    char **const typed = claim((size_t)argc + 1, sizeof *typed);
    int code;

    if (help_shown(j, argc, argv)) {
        free(typed);
        return EXIT_OK;
    }
    memcpy(typed, argv, size);
    code = read_line(j, argc, argv);
    if (code == GO_ON && j->self->again != NULL && j->self->again(j)) {
        memcpy(argv, typed, size);
        code = read_line(j, argc, argv);
    }
    free(typed);
    return code == GO_ON ? check_operands(j) : code;
}
