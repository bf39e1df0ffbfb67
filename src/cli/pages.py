#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py JSON FOLDER: manual pages and shell completion, of what 'kedge
--help=json' tells of commands, options and topics.

bash: a function for each command, which is asked for its options and for what
follows one of them. zsh: one that calls _arguments. fish: a line for each
option. Names of models come from 'kedge info'."""

import json
import os
import re
import sys

# ---- manual pages ------------------------------------------------------------

WIDTH = 60
SIGNS = {'\\': '\\e', '-': '\\-', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha',
         '~': '\\(ti'}


def signs(text):
    return ''.join(SIGNS.get(c, c) for c in text)


def guarded(line):
    """Begins with no request."""
    return ('\\&' if line[:1] in ('.', "'") else '') + signs(line)


def roff(text):
    """A paragraph in short lines, broken at blanks."""
    lines = ['']
    for word in text.split(' '):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(word)
        else:
            lines[-1] += ' ' + word if lines[-1] else word
    return ''.join(guarded(line) + '\n' for line in lines)


def verbatim(text):
    lines = text.rstrip('\n').split('\n')
    return '.nf\n' + ''.join(guarded(line) + '\n' for line in lines) + '.fi\n'


def heading(text):
    return f'.SS {signs(text)}\n'


def title(told, part, section, summary):
    name = '-' + part if part else ''
    return (f'.TH KEDGE{name.upper()} {section} "" "kedge {told["kedge"]}" '
            f'"kedge"\n.SH NAME\nkedge{name.replace("-", chr(92) + "-", 1)} '
            '\\- ' + roff(summary))


def codes(told):
    return '.SH EXIT STATUS\n' + verbatim(told['codes'])


def man_option(option):
    letter, argument = option['letter'], option['argument']
    head = f'\\fB\\-{letter}\\fR, ' if letter else ''
    head += f'\\fB\\-\\-{signs(option["name"])}\\fR'
    if argument:
        head += f'{" " if option["value"] else ""}\\fI{signs(argument)}\\fR'
    text = option['help']
    if option['choices']:
        text += ': ' + option['choices'].replace('|', ', ').split('[')[0]
    notes = [option['range'],
             option['default'] and 'default: ' + option['default']]
    notes = '; '.join(note for note in notes if note)
    return f'.TP\n{head}\n{roff(text + (f" ({notes})" if notes else ""))}'


def man_command(told, command):
    text = title(told, command['name'], 1, command['summary'])
    text += (f'.SH SYNOPSIS\n\\fBkedge {command["name"]}\\fR '
             f'{signs(command["operands"])} [\\fIOPTION\\fR...]\n'
             f'.SH DESCRIPTION\n{roff(command["purpose"])}.SH OPTIONS\n')
    section = ''
    for option in command['options']:
        if option['section'] != section:
            section = option['section']
            text += heading(section)
        text += man_option(option)
    see = [f'.BR kedge\\-{signs(name)} (7)' for name in
           filter(None, command['see'].split(', '))]
    return (text + '.SH EXAMPLES\n' + verbatim(command['examples'])
            + codes(told) + '.SH SEE ALSO\n'
            + ',\n'.join(['.BR kedge (1)'] + see) + '\n')


def man_all(told):
    text = title(told, '', 1, 'topic models of corpora too big for memory')
    text += ('.SH SYNOPSIS\n\\fBkedge\\fR \\fICOMMAND\\fR \\fISTORE\\fR '
             '[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n'
             + roff(told['about']) + '.SH COMMANDS\n')
    group = ''
    for command in told['commands']:
        if command['group'] != group:
            group = command['group']
            text += heading(group)
        text += f'.TP\n.BR kedge\\-{command["name"]} (1)\n'
        text += roff(command['summary'])
    text += '.SH TOPICS\n'
    for topic in told['topics']:
        text += f'.TP\n.BR kedge\\-{signs(topic["name"])} (7)\n'
        text += roff(topic['summary'])
    return (text + '.SH EXAMPLES\nFrom documents to topics:\n.PP\n'
            + verbatim(told['first_steps']) + codes(told))


def man_measures(told):
    text = group = ''
    for measure in told['measures']:
        if measure['group'] != group:
            group = measure['group']
            text += heading(group)
        better = f' ({measure["better"]} is better)' if measure['better'] \
            else ''
        text += (f'.TP\n\\fB{measure["measure"]}\\fR{better}\n'
                 f'{roff(measure["formula"])}.br\n{roff(measure["paper"])}')
    return text


def man_methods(told):
    text = ''
    for methods in told['methods']:
        text += heading(f'{methods["option"]}: {methods["title"]}')
        for row in methods['rows']:
            text += f'.TP\n\\fB{signs(row["name"])}\\fR\n{roff(row["does"])}'
    return text


def man_topic(told, topic):
    blocks = [verbatim(block) if block.startswith('  ') else roff(block)
              for block in topic['text'].split('\n\n')]
    return (title(told, topic['name'], 7, topic['summary'])
            + '.SH DESCRIPTION\n' + '.PP\n'.join(blocks)
            + (man_measures(told) if topic['measures'] else '')
            + (man_methods(told) if topic['methods'] else '')
            + '.SH SEE ALSO\n.BR kedge (1)\n')


# ---- what a shell can offer --------------------------------------------------

class Offer:
    """What can follow: words, and what the argument's capitals stand for."""

    def __init__(self, argument='', name='', choices='', value=True):
        self.value = value  # one follows: of these
        self.list = '[,' in argument + choices  # several, between commas
        self.words = choices.split('[')[0].split('|') if choices else []
        pieces = re.split(r'[|[ ]', argument)
        self.words += [piece for piece in pieces if piece[:1].islower()]
        self.files = 'FILE' in pieces
        self.directories = 'DIR' in pieces
        self.models = 'MODEL' in pieces or (pieces[0], name) == ('NAME',
                                                                 'model')


def offer_option(option):
    extra = {'stopwords': 'english|none', 'stem': 'english|none',
             'anchors': 'qr|fast|spa|snpa|xray|model|counted'}
    return Offer(option['argument'], option['name'],
                 option['choices'] or extra.get(option['name'], ''),
                 option['value'])


def offers(command):
    """Of each operand: how it is called, what to offer, whether it repeats."""
    for text in command['operands'].split(' '):
        if text.startswith('-'):  # an option, as -o DIR
            return
        name = re.sub(r'[].[]', '', text)
        offer = Offer(text if text[0].islower() else '')
        offer.directories = name.startswith(('STORE', 'OUT'))
        offer.files = name.startswith('FILE')
        offer.models = name.startswith('MODEL')
        yield name, offer, '.' in text and len(text) > 3


def brief(text):
    """The first sentence."""
    return re.split(r'[.:;](?: |$)', text)[0][:159]


# ---- bash --------------------------------------------------------------------

BASH_BEGIN = r'''# bash completion for kedge
__kedge_models()
{
    [[ -n $1 ]] && kedge info "$1" --format json 2>/dev/null |
        sed -n 's/^    {"name": "\([^"]*\)", "topics".*/\1/p'
}
'''

# Names of models are somebody's text: compgen -W would run what is in them.
#
# Words of a command line are gone through with the command's own function,
# which sets `kind` to what follows an option: a word of that kind.
BASH_END = r'''__kedge_offer()
{
    local kind name
    for kind in $1; do
        case $kind in
        any | :list) ;;
        :files) compgen -f -- "$2" ;;
        :directories) compgen -d -- "$2" ;;
        :topics) compgen -W "$__kedge_topics" -- "$2" ;;
        :models)
            __kedge_models "$store" | while IFS= read -r name; do
                [[ $name == "$2"* ]] && printf '%q\n' "$name"
            done
            ;;
        *) compgen -W "${kind//|/ }" -- "$2" ;;
        esac
    done
}
__kedge_operand()
{
    local all i=$1
    read -ra all <<< "$operands"
    [[ $i -ge ${#all[@]} && $operands == *... ]] && i=-1
    kind=${all[i]-any}
    kind=${kind%...}
}
_kedge()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    local options='' operands='' kind='' store='' skip='' before=''
    local count=0 i
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$__kedge_commands" -- "$word")
        return
    fi
    declare -F "_kedge_$command" >/dev/null || return
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        =) ;;
        -*)
            kind=
            "_kedge_$command" "${COMP_WORDS[i]}"
            skip=$kind
            ;;
        *)
            if [[ -z $skip ]]; then
                [[ $count -eq 0 ]] && store=${COMP_WORDS[i]}
                count=$((count + 1))
            fi
            skip=
            ;;
        esac
    done
    kind=$skip
    [[ $word == = ]] && word=
    if [[ -z $kind && $word == -* ]]; then
        "_kedge_$command"
        kind=$options
    elif [[ -z $kind ]]; then
        "_kedge_$command"
        __kedge_operand "$count"
    fi
    if [[ $kind == *:list* && $word == *,* ]]; then
        before=${word%,*},
        word=${word##*,}
    fi
    mapfile -t COMPREPLY < <(__kedge_offer "$kind" "$word")
    if [[ -n $before ]]; then
        for i in "${!COMPREPLY[@]}"; do
            case ,$before in
            *,"${COMPREPLY[i]}",*) unset "COMPREPLY[i]" ;;
            *) COMPREPLY[i]=$before${COMPREPLY[i]} ;;
            esac
        done
    fi
    [[ $kind == *:files* || $kind == *:directories* ]] &&
        compopt -o filenames
    return 0
}
complete -F _kedge kedge
'''

def bash_kind(offer):
    kinds = [' '.join(offer.words)] if offer.words else []
    kinds += [':' + kind for kind in ('files', 'directories', 'models')
              if getattr(offer, kind)]
    lists = [':list'] if offer.list else []
    return ' '.join(kinds + lists if kinds else lists + ['any'])


def bash_command(command):
    kinds = ''
    for _, offer, repeats in offers(command):
        kinds += ' ' + ('|'.join(offer.words) if offer.words
                        else bash_kind(offer)) + ('...' if repeats else '')
    names = ''.join(' --' + option['name'] for option in command['options'])
    text = (f'_kedge_{command["name"]}()\n{{\n    operands=\'{kinds}\'\n'
            f'    options=\'{names}\'\n    case $1 in\n')
    for option in command['options']:
        offer = offer_option(option)
        if offer.value:
            letter = f'-{option["letter"]}|' if option['letter'] else ''
            text += (f'    {letter}--{option["name"]}) '
                     f'kind=\'{bash_kind(offer)}\' ;;\n')
    return text + '    esac\n}\n'


def bash(told):
    names = ' '.join(command['name'] for command in told['commands'])
    topics = ' '.join(topic['name'] for topic in told['topics'])
    return (BASH_BEGIN + f"__kedge_topics='{names} {topics}'\n"
            f"__kedge_commands='{names} help --help --version'\n"
            '_kedge_help()\n{\n    operands=:topics\n}\n'
            + ''.join(map(bash_command, told['commands'])) + BASH_END)


# ---- zsh ---------------------------------------------------------------------

ZSH_BEGIN = r'''#compdef kedge
_kedge_models()
{
    local -a models
    models=(${(f)"$(kedge info ${(Q)words[2]} --format json 2>/dev/null |
        sed -n 's/^    {"name": "\([^"]*\)", "topics".*/\1/p')"})
    compadd "$@" -a models
}
'''

ZSH_END = r'''_kedge()
{
    if (( CURRENT == 2 )); then
        _describe -t commands 'kedge command' __kedge_commands
        return
    fi
    shift words
    (( CURRENT-- ))
    (( $+functions[_kedge_$words[1]] )) && _kedge_$words[1]
}
_kedge "$@"
'''

def zsh_text(text):
    """Within single quotes, and of _arguments: brackets and colons."""
    return re.sub(r"([]:\\[])", r'\\\1', text).replace("'", "'\\''")


def zsh_action(offer):
    names = ('_kedge_models' if offer.models else '_files' if offer.files
             else '_files -/' if offer.directories else '')
    words = ' '.join(offer.words)
    if offer.list and words:
        return '_sequence compadd - ' + words
    if offer.list and offer.models:
        return '_sequence _kedge_models'
    if words and names:
        return f'{{_alternative "w\\:word\\:({words})" "n\\:name\\:{names}"}}'
    return f'({words})' if words else names or ' '


def zsh_option(option):
    offer = offer_option(option)
    letter, name = option['letter'], option['name']
    plus, equals = ('+', '=') if offer.value else ('', '')
    if letter:
        text = (f"'(-{letter} --{name})'{{-{letter}{plus},--{name}{equals}}}"
                "'[")
    else:
        text = f"'--{name}{equals}["
    text += zsh_text(brief(option['help'])) + ']'
    if offer.value:
        text += f':{zsh_text(option["argument"])}:{zsh_action(offer)}'
    return f' \\\n        {text}\''


def zsh_command(command):
    text = f'_kedge_{command["name"]}()\n{{\n    _arguments -s'
    text += ''.join(map(zsh_option, command['options']))
    for place, (name, offer, repeats) in enumerate(offers(command), 1):
        text += (f" \\\n        '{'*' if repeats else place}:{name}:"
                 f"{zsh_action(offer)}'")
    return text + '\n}\n'


def zsh(told):
    names = ' '.join(one['name'] for one in told['commands'] + told['topics'])
    text = ZSH_BEGIN + f'_kedge_help()\n{{\n    compadd {names}\n}}\n'
    text += 'local -a __kedge_commands\n__kedge_commands=(\n'
    for command in told['commands']:
        text += f"    '{command['name']}:{zsh_text(command['summary'])}'\n"
    text += "    'help:tell about a command or a topic'\n)\n"
    return text + ''.join(map(zsh_command, told['commands'])) + ZSH_END


# ---- fish --------------------------------------------------------------------

FISH_BEGIN = r'''# fish completion for kedge
function __kedge_models
    set -l words (commandline -opc)
    test (count $words) -ge 3; or return
    kedge info $words[3] --format json 2>/dev/null |
        string replace -rf '^    {"name": "([^"]*)", "topics".*' '$1'
end
function __kedge_list
    set -l word (commandline -ct | string replace -r '^-[^=]*=' '')
    set -l before (string match -r '.*,' -- $word)
    for name in $argv
        contains -- $name (string split , -- $before); or echo "$before$name"
    end
end
complete -c kedge -n __fish_use_subcommand -f
'''

def fish_text(text):
    return re.sub(r"(['\\])", r'\\\1', text)


def fish_option(seen, option):
    offer = offer_option(option)
    words = ' '.join(offer.words)
    text = f'{seen} -l {option["name"]}'
    if option['letter']:
        text += f' -s {option["letter"]}'
    if offer.value:
        text += ' -r -F' if offer.files or offer.directories else ' -x'
    if offer.list and (offer.models or words):
        several = '(__kedge_models)' if offer.models else words
        text += f" -a '(__kedge_list {several})'"
    elif offer.models or words:
        both = ' '.join(offer.words
                        + (['(__kedge_models)'] if offer.models else []))
        text += f" -a '{both}'"
    return f"{text} -d '{fish_text(brief(option['help']))}'\n"


def fish_command(command):
    """Names of files are what fish offers by itself."""
    seen = ("complete -c kedge -n '__fish_seen_subcommand_from "
            f"{command['name']}'")
    operands = [offer for _, offer, _ in offers(command)]
    text = ''.join(f"{seen} -f -a '{' '.join(offer.words)}'\n"
                   for offer in operands if offer.words)
    if any(offer.models for offer in operands):
        text += f"{seen} -a '(__kedge_models)'\n"
    return text + ''.join(fish_option(seen, option)
                          for option in command['options'])


def fish(told):
    names = ' '.join(one['name'] for one in told['commands'] + told['topics'])
    text = (FISH_BEGIN + "complete -c kedge -n '__fish_seen_subcommand_from "
            f"help' -f -a '{names}'\n"
            'complete -c kedge -n __fish_use_subcommand -a help '
            "-d 'tell about a command or a topic'\n")
    for command in told['commands']:
        text += ('complete -c kedge -n __fish_use_subcommand -a '
                 f"{command['name']} -d '{fish_text(command['summary'])}'\n")
    return text + ''.join(map(fish_command, told['commands']))


# ---- all ---------------------------------------------------------------------

def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        told = json.load(file)
    pages = {'kedge.1': man_all(told), 'kedge.bash': bash(told),
             '_kedge': zsh(told), 'kedge.fish': fish(told)}
    for command in told['commands']:
        pages[f'kedge-{command["name"]}.1'] = man_command(told, command)
    for topic in told['topics']:
        pages[f'kedge-{topic["name"]}.7'] = man_topic(told, topic)
    for name, text in pages.items():
        with open(os.path.join(sys.argv[2], name), 'w',
                  encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main()
