/* SPDX-License-Identifier: MIT */
/*
 * bash: a function for each command, which is asked for its options and for
 * what follows one of them. zsh: one that calls _arguments. fish: a line for
 * each option. Names of models come from 'kedge info'.
 */
#include "completing.h"

#include <stdio.h>
#include <string.h>

#include "helptopics.h"
#include "hint.h"

/* ---- bash ---------------------------------------------------------------- */

static const char bash_begin[] =
    "# bash completion for kedge\n"
    "__kedge_models()\n"
    "{\n"
    "    [[ -n $1 ]] && kedge info \"$1\" --format json 2>/dev/null |\n"
    "        sed -n 's/^    {\"name\": \"\\([^\"]*\\)\", \"topics\".*/\\1/p'\n"
    "}\n";

/* Names of models are somebody's text: compgen -W would run what is in them.
 *
 * Words of a command line are gone through with the command's own function,
 * which sets `kind` to what follows an option: a word of that kind. */
static const char bash_end[] =
    "__kedge_offer()\n"
    "{\n"
    "    local kind name\n"
    "    for kind in $1; do\n"
    "        case $kind in\n"
    "        any | :list) ;;\n"
    "        :files) compgen -f -- \"$2\" ;;\n"
    "        :directories) compgen -d -- \"$2\" ;;\n"
    "        :topics) compgen -W \"$__kedge_topics\" -- \"$2\" ;;\n"
    "        :models)\n"
    "            __kedge_models \"$store\" | while IFS= read -r name; do\n"
    "                [[ $name == \"$2\"* ]] && printf '%q\\n' \"$name\"\n"
    "            done\n"
    "            ;;\n"
    "        *) compgen -W \"${kind//|/ }\" -- \"$2\" ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "__kedge_operand()\n"
    "{\n"
    "    local all i=$1\n"
    "    read -ra all <<< \"$operands\"\n"
    "    [[ $i -ge ${#all[@]} && $operands == *... ]] && i=-1\n"
    "    kind=${all[i]-any}\n"
    "    kind=${kind%...}\n"
    "}\n"
    "_kedge()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
    "    local options='' operands='' kind='' store='' skip='' before=''\n"
    "    local count=0 i\n"
    "    COMPREPLY=()\n"
    "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$__kedge_commands\" -- "
    "\"$word\")\n"
    "        return\n"
    "    fi\n"
    "    declare -F \"_kedge_$command\" >/dev/null || return\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        =) ;;\n"
    "        -*)\n"
    "            kind=\n"
    "            \"_kedge_$command\" \"${COMP_WORDS[i]}\"\n"
    "            skip=$kind\n"
    "            ;;\n"
    "        *)\n"
    "            if [[ -z $skip ]]; then\n"
    "                [[ $count -eq 0 ]] && store=${COMP_WORDS[i]}\n"
    "                count=$((count + 1))\n"
    "            fi\n"
    "            skip=\n"
    "            ;;\n"
    "        esac\n"
    "    done\n"
    "    kind=$skip\n"
    "    [[ $word == = ]] && word=\n"
    "    if [[ -z $kind && $word == -* ]]; then\n"
    "        \"_kedge_$command\"\n"
    "        kind=$options\n"
    "    elif [[ -z $kind ]]; then\n"
    "        \"_kedge_$command\"\n"
    "        __kedge_operand \"$count\"\n"
    "    fi\n"
    "    if [[ $kind == *:list* && $word == *,* ]]; then\n"
    "        before=${word%,*},\n"
    "        word=${word##*,}\n"
    "    fi\n"
    "    mapfile -t COMPREPLY < <(__kedge_offer \"$kind\" \"$word\")\n"
    "    if [[ -n $before ]]; then\n"
    "        for i in \"${!COMPREPLY[@]}\"; do\n"
    "            case ,$before in\n"
    "            *,\"${COMPREPLY[i]}\",*) unset \"COMPREPLY[i]\" ;;\n"
    "            *) COMPREPLY[i]=$before${COMPREPLY[i]} ;;\n"
    "            esac\n"
    "        done\n"
    "    fi\n"
    "    [[ $kind == *:files* || $kind == *:directories* ]] &&\n"
    "        compopt -o filenames\n"
    "    return 0\n"
    "}\n"
    "complete -F _kedge kedge\n";

/* "any", or what there is to offer. */
static void bash_kind(const hint *h)
{
    fputs(h->words, stdout);
    if (h->files)
        fputs(" :files", stdout);
    if (h->directories)
        fputs(" :directories", stdout);
    if (h->models)
        fputs(" :models", stdout);
    if (h->list)
        fputs(" :list", stdout);
    if (h->words[0] == '\0' && !h->files && !h->directories && !h->models)
        fputs("any", stdout);
}

static void bash_name(void *data, const option *o, size_t index)
{
    (void)data;
    (void)index;
    printf(" --%s", o->name);
}

static void bash_value(void *data, const option *o, size_t index)
{
    const hint h = hint_option(o);

    (void)data;
    (void)index;
    if (!h.value)
        return;
    fputs("    ", stdout);
    if (o->letter != 0)
        printf("-%c|", o->letter);
    printf("--%s) kind='", o->name);
    bash_kind(&h);
    puts("' ;;");
}

/* Blanks part operands. */
static void bash_words(const char *words)
{
    for (; *words != '\0'; words++)
        putchar(*words == ' ' ? '|' : *words);
}

static void bash_operands(const char *at)
{
    while (at != NULL) {
        bool repeats;
        const hint h = hint_operand(at, &at, &repeats);

        if (!h.value)
            continue;
        putchar(' ');
        if (h.words[0] != '\0')
            bash_words(h.words);
        else
            bash_kind(&h);
        if (repeats)
            fputs("...", stdout);
    }
}

static void bash_command(const arguments *a)
{
    printf("_kedge_%s()\n{\n    operands='", a->self->name);
    bash_operands(a->self->operands);
    fputs("'\n    options='", stdout);
    options_walk(a, bash_name, NULL);
    puts("'\n    case $1 in");
    options_walk(a, bash_value, NULL);
    puts("    esac\n}");
}

/* ---- zsh ----------------------------------------------------------------- */

static const char zsh_begin[] =
    "#compdef kedge\n"
    "_kedge_models()\n"
    "{\n"
    "    local -a models\n"
    "    models=(${(f)\"$(kedge info ${(Q)words[2]} --format json 2>/dev/null "
    "|\n"
    "        sed -n 's/^    {\"name\": \"\\([^\"]*\\)\", \"topics\".*/\\1/p')"
    "\"})\n"
    "    compadd \"$@\" -a models\n"
    "}\n";

static const char zsh_end[] =
    "_kedge()\n"
    "{\n"
    "    if (( CURRENT == 2 )); then\n"
    "        _describe -t commands 'kedge command' __kedge_commands\n"
    "        return\n"
    "    fi\n"
    "    shift words\n"
    "    (( CURRENT-- ))\n"
    "    (( $+functions[_kedge_$words[1]] )) && _kedge_$words[1]\n"
    "}\n"
    "_kedge \"$@\"\n";

/* Within single quotes, and of _arguments: brackets and colons. */
static void zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr("[]:\\", *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

static void zsh_action(const hint *h)
{
    const char *const names = h->models        ? "_kedge_models"
                              : h->files       ? "_files"
                              : h->directories ? "_files -/"
                                               : NULL;

    if (h->list && h->words[0] != '\0')
        printf("_sequence compadd - %s", h->words);
    else if (h->list && h->models)
        fputs("_sequence _kedge_models", stdout);
    else if (h->words[0] != '\0' && names != NULL)
        printf("{_alternative \"w\\:word\\:(%s)\" \"n\\:name\\:%s\"}",
               h->words, names);
    else if (h->words[0] != '\0')
        printf("(%s)", h->words);
    else
        fputs(names != NULL ? names : " ", stdout);
}

static void zsh_option(void *data, const option *o, size_t index)
{
    const hint h = hint_option(o);
    char brief[160];

    (void)data;
    (void)index;
    hint_brief(o->help, brief);
    fputs(" \\\n        ", stdout);
    if (o->letter != 0)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter,
               h.value ? "+" : "", o->name, h.value ? "=" : "");
    else
        printf("'--%s%s[", o->name, h.value ? "=" : "");
    zsh_text(brief);
    putchar(']');
    if (h.value) {
        putchar(':');
        zsh_text(o->argument);
        putchar(':');
        zsh_action(&h);
    }
    putchar('\'');
}

static void zsh_operands(const char *at)
{
    for (int place = 1; at != NULL; place++) {
        const size_t size = strcspn(at, " ");
        const char *const name = at;
        bool repeats;
        const hint h = hint_operand(at, &at, &repeats);

        if (!h.value)
            continue;
        if (repeats)
            fputs(" \\\n        '*:", stdout);
        else
            printf(" \\\n        '%d:", place);
        for (size_t i = 0; i < size; i++)
            if (strchr("[].", name[i]) == NULL)
                putchar(name[i]);
        putchar(':');
        zsh_action(&h);
        putchar('\'');
    }
}

static void zsh_command(const arguments *a)
{
    printf("_kedge_%s()\n{\n    _arguments -s", a->self->name);
    options_walk(a, zsh_option, NULL);
    zsh_operands(a->self->operands);
    puts("\n}");
}

/* ---- fish ---------------------------------------------------------------- */

static const char fish_begin[] =
    "# fish completion for kedge\n"
    "function __kedge_models\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 3; or return\n"
    "    kedge info $words[3] --format json 2>/dev/null |\n"
    "        string replace -rf '^    {\"name\": \"([^\"]*)\", \"topics\".*' "
    "'$1'\n"
    "end\n"
    "function __kedge_list\n"
    "    set -l word (commandline -ct | string replace -r '^-[^=]*=' '')\n"
    "    set -l before (string match -r '.*,' -- $word)\n"
    "    for name in $argv\n"
    "        contains -- $name (string split , -- $before); or "
    "echo \"$before$name\"\n"
    "    end\n"
    "end\n"
    "complete -c kedge -n __fish_use_subcommand -f\n";

static void fish_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void fish_option(void *data, const option *o, size_t index)
{
    const arguments *const a = data;
    const hint h = hint_option(o);
    char brief[160];

    (void)index;
    hint_brief(o->help, brief);
    printf("complete -c kedge -n '__fish_seen_subcommand_from %s' -l %s",
           a->self->name, o->name);
    if (o->letter != 0)
        printf(" -s %c", o->letter);
    if (h.value)
        fputs(h.files || h.directories ? " -r -F" : " -x", stdout);
    if (h.list && (h.models || h.words[0] != '\0'))
        printf(" -a '(__kedge_list %s)'",
               h.models ? "(__kedge_models)" : h.words);
    else if (h.models || h.words[0] != '\0')
        printf(" -a '%s%s%s'", h.words, h.models ? " " : "",
               h.models ? "(__kedge_models)" : "");
    fputs(" -d '", stdout);
    fish_text(brief);
    puts("'");
}

/* Names of files are what fish offers by itself. */
static void fish_command(const arguments *a)
{
    const char *at = a->self->operands;
    bool models = false, repeats;

    while (at != NULL) {
        const hint h = hint_operand(at, &at, &repeats);

        models |= h.models;
        if (h.words[0] != '\0')
            printf("complete -c kedge -n '__fish_seen_subcommand_from %s' "
                   "-f -a '%s'\n", a->self->name, h.words);
    }
    if (models)
        printf("complete -c kedge -n '__fish_seen_subcommand_from %s' "
               "-a '(__kedge_models)'\n", a->self->name);
    options_walk(a, fish_option, (void *)(uintptr_t)a);
}

/* ---- all ----------------------------------------------------------------- */

/* What 'kedge help' takes. */
static void put_topics(const command *const *commands)
{
    for (; *commands != NULL; commands++)
        printf("%s ", (*commands)->name);
    for (size_t i = 0; helptopic_get(i) != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", helptopic_get(i)->name);
}

static void bash_names(const command *const *commands)
{
    fputs(bash_begin, stdout);
    fputs("__kedge_topics='", stdout);
    put_topics(commands);
    fputs("'\n__kedge_commands='", stdout);
    for (; *commands != NULL; commands++)
        printf("%s ", (*commands)->name);
    puts("help --help --version'\n_kedge_help()\n{\n    operands=:topics\n}");
}

static void zsh_names(const command *const *commands)
{
    fputs(zsh_begin, stdout);
    fputs("_kedge_help()\n{\n    compadd ", stdout);
    put_topics(commands);
    puts("\n}\nlocal -a __kedge_commands\n__kedge_commands=(");
    for (; *commands != NULL; commands++) {
        printf("    '%s:", (*commands)->name);
        zsh_text((*commands)->summary);
        puts("'");
    }
    puts("    'help:tell about a command or a topic'\n)");
}

static void fish_names(const command *const *commands)
{
    fputs(fish_begin, stdout);
    fputs("complete -c kedge -n '__fish_seen_subcommand_from help' -f -a '",
          stdout);
    put_topics(commands);
    puts("'\ncomplete -c kedge -n __fish_use_subcommand -a help "
         "-d 'tell about a command or a topic'");
    for (; *commands != NULL; commands++) {
        printf("complete -c kedge -n __fish_use_subcommand -a %s -d '",
               (*commands)->name);
        fish_text((*commands)->summary);
        puts("'");
    }
}

void completing_begin(guide_style shell, const command *const *commands)
{
    if (shell == GUIDE_BASH)
        bash_names(commands);
    else if (shell == GUIDE_ZSH)
        zsh_names(commands);
    else
        fish_names(commands);
}

void completing_command(guide_style shell, const arguments *a)
{
    if (shell == GUIDE_BASH)
        bash_command(a);
    else if (shell == GUIDE_ZSH)
        zsh_command(a);
    else
        fish_command(a);
}

void completing_end(guide_style shell)
{
    if (shell == GUIDE_BASH)
        fputs(bash_end, stdout);
    else if (shell == GUIDE_ZSH)
        fputs(zsh_end, stdout);
}
