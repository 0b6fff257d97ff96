#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# completions.py - what bash, zsh and fish need to complete the commands and options of clopt,
# clopt-gem and nbody, from the programs' --help.
#
#     docs/completions.py PROGRAMS OUT    PROGRAMS: the folder of the built programs; make man runs it
#
# OUT gets the folders of share/: bash-completion/completions, zsh/site-functions,
# fish/vendor_completions.d.
import os
import re
import subprocess
import sys
from pathlib import Path

OPERATIONS = ('matmul transpose potential nbody leapfrog evolve-step evolve-sums '
              'tree-keys tree-sort tree-cells tree-potential tree-nbody all')
COMMANDS = []  # of clopt, by its help


def help_of(program, *words):
    return subprocess.run([str(program), *words, '--help'], text=True, stdout=subprocess.PIPE, check=True,
                          env=dict(os.environ, COLUMNS='80', LC_ALL='C')).stdout


def options(text):
    """(option, what it takes or '', the first words of its help)."""
    found = re.findall(r'^ {2,6}(?:-., )?--([a-z-]+)(?:\[?=([^\s\]]+)\]?)?(?: {2,}(.*))?$', text, re.M)
    return [(name, value, about) for name, value, about in found]


def bash(name, tables):
    cases = '\n'.join('\t%s) words="%s" ;;' % (command or '*', ' '.join(words(found, command)))
                      for command, found in tables.items())
    return '''# Made by docs/completions.py from the help of %(name)s.
_%(function)s() {
	local words word=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	# Where no word begins so, a file is meant.
	case ${COMP_WORDS[1]} in
%(cases)s
	esac
	%(first)s
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -o default -F _%(function)s %(name)s
''' % {'name': name, 'function': name.replace('-', '_'), 'cases': cases,
       'first': '[ "$COMP_CWORD" -ne 1 ] || words="%s"' % ' '.join([c for c in tables if c] + ['--help', '--version'])
       if len(tables) > 1 else ':'}


def words(found, command):
    listed = ['--' + name + ('=' if value else '') for name, value, _ in found]
    return listed + (OPERATIONS.split() if command in ('list', 'plan', 'explain', 'bench', 'tune', 'occupancy') else
                     ['list', 'clear'] if command == 'cache' else COMMANDS if command == 'help' else [])


def zsh(name, tables):
    def spec(option):
        option, value, about = option
        about = re.sub(r"[][:'\\\\]", ' ', about)
        return "'--%s%s[%s]%s'" % (option, '=' if value else '', about,
                                   ':%s:%s' % (value, '_files' if value == 'FILE' else ' ') if value else '')

    def arguments(command, found):
        others = [w for w in words(found, command) if not w.startswith('--')]
        last = "'*::(%s)'" % ' '.join(others) if others else "'*:file:_files'"
        return '_arguments ' + ' '.join([spec(o) for o in found] + [last.replace('*::', '*: :')])
    if len(tables) == 1:
        return '#compdef %s\n# Made by docs/completions.py.\n%s\n' % (name, arguments('', tables['']))
    cases = '\n'.join('\t%s) %s ;;' % (c, arguments(c, found)) for c, found in tables.items() if c)
    return '''#compdef %s
# Made by docs/completions.py.
if (( CURRENT == 2 )); then
	compadd %s --help --version
else
	local command=$words[2]
	shift words
	(( CURRENT-- ))
	case $command in
%s
	esac
fi
''' % (name, ' '.join(c for c in tables if c), cases)


def fish(name, tables):
    lines = ['# Made by docs/completions.py.']
    commands = [c for c in tables if c]
    if commands:
        lines.append("complete -c %s -n __fish_use_subcommand -f -a '%s'" % (name, ' '.join(commands)))
    for command, found in tables.items():
        if commands and not command:
            continue
        only = " -n '__fish_seen_subcommand_from %s'" % command if command else ''
        for option, value, about in found:
            about = about.replace('\\', ' ').replace("'", "\\'")
            lines.append("complete -c %s%s -l %s%s -d '%s'" % (name, only, option, ' -r' if value else '', about))
        others = [w for w in words(found, command) if not w.startswith('--')]
        if others:
            lines.append("complete -c %s%s -a '%s'" % (name, only, ' '.join(others)))
    return '\n'.join(lines) + '\n'


def main():
    if len(sys.argv) != 3:
        sys.exit('usage: docs/completions.py PROGRAMS OUT')
    programs, out = Path(sys.argv[1]), Path(sys.argv[2])
    COMMANDS[:] = commands = list(dict.fromkeys(re.findall(r'clopt ([a-z]+)\b', help_of(programs / 'clopt'))))
    tables = {'clopt': {c: options(help_of(programs / 'clopt', c)) for c in commands},
              **{name: {'': options(help_of(programs / name))} for name in ('clopt-gem', 'nbody')}}
    tables['clopt'][''] = []
    for name, table in tables.items():
        for path, make in (('bash-completion/completions/' + name, bash), ('zsh/site-functions/_' + name, zsh),
                           ('fish/vendor_completions.d/%s.fish' % name, fish)):
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_text(make(name, table))


main()
