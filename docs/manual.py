#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# manual.py - man pages from what is written elsewhere: section 3 from the comments of the public
# headers, section 1 from the programs' --help, section 7 from clopt.h, docs/calls.md and
# docs/environment.md.  Each function has a page of its name, which refers to its group's.
#
#     docs/manual.py man PROGRAMS OUT     PROGRAMS: the folder of the built programs; make man runs it
#
# A group is what stands below a ruled heading of a header, or below several (PAGES).  Code in a
# comment, that is lines with a tab that end in ");", goes to EXAMPLES with the sentence above it.  So
# the comment below a heading begins with another sentence, which opens the page.
# Pages are in mdoc(7).  Their date is SOURCE_DATE_EPOCH, or that of the newest source.
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ABBREVIATIONS = ['J', 'Chem', 'Phys', 'Publ', 'Astron', 'Soc']
HEADERS = ['clopt.h', 'clopt_pairs.h', 'clopt_device.h', 'clopt_tune.h', 'clopt_cl.h', 'clopt_mpi.h']
# The page of a heading, and what it is about.  A heading that is not here has a page of its first words.
PAGES = {
    'Open': ('clopt_context', 'open a context on a device, its options, close it'),
    'Close': ('clopt_context', ''),
    'Options of a context': ('clopt_context', ''),
    'Multiply': ('clopt_products', 'matrix products'),
    'Products, all of them': ('clopt_products', ''),
    'Transpose': ('clopt_transposes', 'transposes of matrices'),
    'Transposes, all of them': ('clopt_transposes', ''),
    'Potential': ('clopt_pairs', 'potential of charges, gravity of bodies'),
    'Gravity': ('clopt_pairs', ''),
    'Laws, and options': ('clopt_pairs', ''),
    'Tolerance': ('clopt_pairs', ''),
    'Points in doubles': ('clopt_points', 'potential and gravity of points in doubles and structs'),
    'Bodies that move': ('clopt_bodies', 'bodies that move under their gravity'),
    'Status': ('clopt_status', 'statuses of functions, version of the library'),
    'Pinned memory': ('clopt_memory', 'host memory with the fastest transfers'),
    'What ran, and why': ('clopt_reports', 'which kernel ran, how, and why'),
    'Devices': ('clopt_devices', 'the devices of the machine'),
    'Several devices': ('clopt_members', 'several devices in one context'),
    'Started calls': ('clopt_calls', 'calls that run beside other work'),
    'Cancel': ('clopt_cancel', 'end a running call early'),
    'Trees': ('clopt_trees', 'trees that stay on the device, for many sums'),
    'Self check': ('clopt_selfcheck', 'whether results are right on this machine'),
    'Device buffers': ('clopt_buffers', 'results that stay on the device, queues, events'),
    'Your own kernel': ('clopt_map', "a kernel of the caller's over arrays of any size"),
    'Options of tuners': ('clopt_tuners', 'options of a context that tuners ask about'),
    'Problems': ('clopt_problems', 'fields that describe a problem'),
    'Variants': ('clopt_variants', 'the table of kernel variants, and forcing one'),
    'Plan': ('clopt_plans', 'memory and time of a call, before there are arrays'),
    'Tuning': ('clopt_tuning', 'the best variant on a device, by timing'),
    'Compiled kernels on disk': ('clopt_cache', 'compiled kernels on disk'),
    'Occupancy': ('clopt_occupancy', 'waves of a kernel that a compute unit holds'),
    'Checks': ('clopt_checks', 'what is checked of results, and how closely'),
    'Time lines': ('clopt_traces', 'time lines of calls'),
    'Drivers': ('clopt_drivers', 'drivers that are left out, and their known bugs'),
    'Several processes': ('clopt_groups', 'calls that several processes share'),
    'clopt_mpi.h': ('clopt_mpi', 'sums over pairs over the processes of an MPI job'),
    'clopt_cl.h': ('clopt_cl', "OpenCL objects of the caller's own"),
}


# What the section 1 pages say first.
PROGRAMS = {
    'clopt': ('devices, kernels and their speed',
              'lists devices, checks results, plans and times calls, and finds the best\nkernels of a device.'),
    'clopt-gem': ('electrostatic potential of a molecule', ''),
    'nbody': ('bodies that move under their gravity', ''),
}


class Group:
    """A page of section 3: items are [text of the comment, code below it, heading if it has one]."""

    def __init__(self, header, heading):
        # Who includes clopt.h has all of this one.
        self.header, self.items = header.replace('clopt_pairs.h', 'clopt.h'), []
        name, about = next((v for k, v in PAGES.items() if heading.startswith(k)),
                           ('clopt_' + re.sub(r'\W+', '_', ' '.join(heading.lower().split()[:2])), heading.lower()))
        self.name, self.about = name, about

    def functions(self):
        return [f for _, code, _ in self.items for f in functions(code)]


def functions(code):
    """(name, type, arguments) of the functions that code declares."""
    found = re.findall(r'CLOPT_API ([^;()]*?)(\w+)\(([^;]*)\);', code)
    return [(name, kind.strip(), re.sub(r'\s+', ' ', args)) for kind, name, args in found]


def read(header, groups):
    """The introduction of a header; its groups join those of the same page."""
    text = (ROOT / 'include' / header).read_text()
    text = text.split('*/', 1)[1]  # the licence
    intro, text = re.match(r'\s*/\*(.*?)\*/(.*)', text, re.S).groups()
    text = text.split('#ifdef __cplusplus\n}', 1)[0].split('extern "C" {\n#endif\n', 1)[1]
    group, opening = None, False
    # Comments that begin a line are of this file's grammar; those within a struct are code.
    for part in re.split(r'^(/\*.*?\*/)\n', text, flags=re.M | re.S):
        if part.startswith('/*'):
            body, heading = comment(part), ''
            ruled = re.match(r'(?:=+|-+) ([^=\n]*?) (?:=+|-+)[ ]*\n?', body)
            if ruled or not group:
                new = Group(header, ruled.group(1) if ruled else header)
                if not ruled:  # the whole header is one page
                    about = comment('/*' + intro + '*/').split(' - ', 1)[1]
                    new.items.append([about[0].upper() + about[1:], '', ''])
                group = next((g for g in groups if g.name == new.name), new)
                if group is new:
                    groups.append(group)
                else:
                    heading = ruled.group(1)
            group.items.append([body[ruled.end():] if ruled else body, '', heading])
            opening = bool(ruled and group.items[-1][0].strip())
        elif part.strip() and group:
            # What opens a section stands above the names of what follows.
            if group.items[-1][1] or opening:
                group.items.append(['', '', ''])
            opening = False
            # Structs that are named first and declared elsewhere have their place there.
            group.items[-1][1] += re.sub(r'^struct clopt_(?:\w+_)?(?:options|group);\n', '', part, flags=re.M)
    return comment('/*' + intro + '*/')


def comment(text):
    """The lines of a comment without its stars."""
    return re.sub(r'^ ?\* ?', '', re.sub(r'^/\*[ \n]?|\s*\*/$', '', text), flags=re.M).strip('\n')


# ---- mdoc ---------------------------------------------------------------


def escape(text):
    text = text.replace('\\', '\\e')
    return re.sub(r"^(?=[.'])", r'\\&', text)


def sentences(text):
    """One sentence a line, as mdoc wants them."""
    text = re.sub(r'\s*\n\s*', ' ', text.strip())
    return re.split(r'(?<=[.!?])%s\s+|(?<=[.!?]\))\s+' % ''.join('(?<!\\b%s\\.)' % a for a in ABBREVIATIONS), text)


def prose(text, known):
    """Text with the names of functions marked."""
    out = []
    for line in sentences(text):
        words = []
        for word in line.split():
            name = re.fullmatch(r'([("]*)(clopt_\w+)(?:\(\))?([)".,;:?]*)', word)
            if name and name.group(2) in known:
                out += wrapped(words)
                words = []
                opened, closed = ''.join(name.group(1)), ' '.join(name.group(3))
                out.append(('.Pf %s Fn %s %s' if opened else '.%sFn %s %s') %
                           (opened, name.group(2), closed.replace('"', '\\(dq')))
                out[-1] = out[-1].strip()
            else:
                words.append(word)
        out += wrapped(words)
    return out


def wrapped(words):
    lines, line = [], ''
    for word in words:
        if line and len(line) + len(word) > 76:
            lines.append(line)
            line = ''
        line += (' ' if line else '') + word
    # A name with () that is no function of ours stays text, and an abbreviation ends no sentence.
    return [re.sub(r'\b(%s)\.' % '|'.join(ABBREVIATIONS), r'\1.\\&', escape(l).replace('()', '\\&()'))
            for l in lines + [line] if l]


def literal(text, offset=' -offset indent'):
    lines = text.rstrip().expandtabs(4).split('\n')
    return ['.Bd -literal' + offset] + [escape(l) for l in lines] + ['.Ed']


def blocks(text, known):
    """The paragraphs, lists and code of a comment."""
    out = []
    for part in re.split(r'\n\s*\n', text):
        lines = part.split('\n') if text else []
        while lines:
            tabbed = lines[0].startswith('\t')
            n = next((i for i, l in enumerate(lines) if l.startswith('\t') != tabbed), len(lines))
            some, lines = lines[:n], lines[n:]
            if tabbed:
                some = [l[1:] for l in some]
                if out[-1:] == ['.Ed']:
                    out[-1:] = ['']
                    out += literal('\n'.join(some))[1:]
                else:
                    out += literal('\n'.join(some))
            elif some[0].startswith('- '):
                out.append('.Bl -dash')
                for item in re.split(r'\n(?=- )', '\n'.join(some)):
                    out += ['.It'] + prose(item[2:], known)
                out.append('.El')
            else:
                out += ['.Pp'] + prose('\n'.join(some), known)
    return out


def examples(text):
    """The text without its examples, and these: (the sentence above, code)."""
    kept, found = [], []
    for part in re.split(r'((?:^\t.*(?:\n|\Z)|\n(?=\t))+)', text, flags=re.M):
        if re.search(r'\);$', part, re.M) and part.lstrip('\n').startswith('\t'):
            before = kept.pop().rstrip() if kept else ''
            lead = sentences(before.split('\n\n')[-1])[-1] if before.endswith(':') else ''
            if lead:
                # The sentence in the text, where it may be on several lines.
                before = before[:re.search(r'\s+'.join(map(re.escape, lead.split())) + r'\Z', before).start()]
            kept.append(before.rstrip() + '\n\n')
            found.append((lead, re.sub('^\t', '', part.strip('\n'), flags=re.M)))
        else:
            kept.append(part)
    return re.sub(r'\n{3,}', '\n\n', ''.join(kept)).strip('\n'), found


def example_section(found, known):
    body = ['.Sh EXAMPLES'] if found else []
    for lead, code in found:
        body += (['.Pp'] + prose(lead, known) if lead else []) + literal(code)
    return body


def page(name, section, names, about, body, stamp):
    date = time.strftime('%B %d, %Y', time.gmtime(stamp)).replace(' 0', ' ')
    out = ['.\\" Made by docs/manual.py.', '.Dd ' + date, '.Dt %s %d' % (name.upper(), section), '.Os', '.Sh NAME']
    out += ['.Nm %s%s' % (n, ' ,' if n != names[-1] else '') for n in names] + ['.Nd ' + about]
    # Only code has empty lines, and no paragraph begins behind a heading.
    lines, code = [], False
    for line in out + body:
        code = line.startswith('.Bd') or (code and line != '.Ed')
        if (line or code) and not (line == '.Pp' and re.match(r'\.(S[hs]|It|Pp)\b', lines[-1])):
            lines.append(line)
    return '\n'.join(lines) + '\n'


def arguments(args):
    return [] if args == 'void' else ['.Fa "%s"' % a.strip() for a in re.split(r',(?![^(]*\))', args)]


def group_page(group, others, known, stamp):
    calls = group.functions()
    body = ['.Sh SYNOPSIS', '.In ' + group.header]
    for name, kind, args in calls:
        body += ['.Ft "%s"' % kind, '.Fo ' + name] + arguments(args) + ['.Fc']
    body += ['.Sh DESCRIPTION']
    found = []
    for text, code, heading in group.items:
        text, some = examples(text)
        found += some
        if heading:
            body.append('.Ss ' + heading)
        things = re.findall(r'^((?:struct|enum) \w+)(?: \{|;)', code, re.M)
        things += [name + '()' for name, _, _ in functions(code)]
        # A function below a blank line is not what the comment above that speaks of.
        silent = [f for f, _, _ in functions(code if not text else ''.join(
            re.findall(r'\n\nCLOPT_API [^;]*;', code))) if not f.endswith('_init')]
        if silent:
            sys.exit('include/%s: no comment above %s' % (group.header, ', '.join(silent)))
        if things:
            body.append('.Ss ' + ' , '.join(things).replace('()', ''))
        body += blocks(text, known)
        code = re.sub(r'CLOPT_API [^;]*;\n?', '', code)
        code = re.sub(r'^#define (CLOPT_\w+_INIT) \\\n(?:.*\\\n)*.*\n', r'#define \1 ...\n', code, flags=re.M)
        code = re.sub(r'\n\n+', '\n', code).strip()
        if code:
            body += literal(code, '')
    body += ['.Sh RETURN VALUES', 'Functions that return', '.Vt int', 'return', '.Dv CLOPT_OK',
             'or a negative status;', '.Xr clopt 7', 'has the rules for all functions.'] if any(
                 kind == 'int' for _, kind, _ in calls) else []
    body += example_section(found, known)
    names = [g.name for g in others if g is not group and g.header == group.header]
    body += ['.Sh SEE ALSO'] + see([(n, 3) for n in names] + [('clopt', 7), ('clopt-environment', 7)])
    names = [group.name] + [n for n, _, _ in calls if n != group.name]
    return page(group.name, 3, names, group.about, body, stamp)


def see(references):
    references = sorted(references, key=lambda r: (r[1], r[0]))
    return ['.Xr %s %d%s' % (n, s, ' ,' if (n, s) != references[-1] else '') for n, s in references]


# ---- Markdown, as far as section 7 needs it ------------------------------


def plain(text):
    """Inline Markdown as text."""
    return re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', text).replace('`', '').replace('**', '')


def markdown(text, known):
    out = []
    for part in re.split(r'\n\s*\n', re.sub(r'<!--.*?-->', '', text, flags=re.S).strip()):
        lines = part.split('\n')
        if lines[0].startswith('#'):
            out.append('.%s %s' % ('Ss', plain(lines[0].lstrip('# '))))
        elif lines[0].startswith('|'):
            head, rows = cells(lines[0]), [cells(l) for l in lines[2:]]
            out.append('.Bl -tag -width Ds')
            for first, *rest in rows:
                out.append('.It ' + (('Ev ' if re.match('[A-Z_]+$', first) else '') + escape(first)))
                if head[1] == 'line':  # of C
                    out += literal(rest[0]) + prose(rest[1] + '.', known)
                    continue
                out += prose('; '.join(['%s: %s' % pair for pair in zip(head[1:-1], rest)] + rest[-1:]) + '.', known)
            out.append('.El')
        elif lines[0].startswith('    '):
            out += literal('\n'.join(l[4:] for l in lines))
        elif lines[0].startswith('```'):
            out += literal('\n'.join(lines[1:]).rstrip('`\n'))
        else:
            out += ['.Pp'] + prose(plain(part), known)
    return out


def cells(line):
    return [plain(c.strip()) for c in line.strip().strip('|').split('|')]


# ---- Programs -------------------------------------------------------------


def help_of(program, *words):
    return subprocess.run([str(program), *words, '--help'], text=True, stdout=subprocess.PIPE, check=True,
                          env=dict(os.environ, COLUMNS='80', LC_ALL='C')).stdout.expandtabs()


def options(text):
    """argp's help: its words, then its options with their headings."""
    out, listed, words = [], False, []
    for line in text.split('\n') + ['']:
        option = re.match(r' {2,6}(-.*?)(?: {2,}(.*))?$', line)
        if option and len(option.group(1)) < 60:
            out += flush(words)
            if not listed:
                out.append('.Bl -tag -width Ds')
            listed = True
            out.append('.It ' + ' , '.join(flag(f) for f in option.group(1).split(', ')))
            words = [option.group(2) or '']
        elif listed and line.startswith(' ' * 20):
            words.append(line.strip())
        elif not line.strip() or (listed and not line.startswith('  ')):
            out += flush(words, listed)
            words = []
            if listed:
                out.append('.El')
                listed = False
            if line.strip():
                words = [line]
        else:
            words.append(line)
    return out + flush(words)


def flush(words, listed=False):
    words = [w for w in words if w.strip()]
    if any(w.startswith('  ') for w in words):
        return literal('\n'.join(words), '')
    return ([] if listed else ['.Pp'] if words else []) + prose(' '.join(words), ())


def flag(text):
    name, _, value = text.partition('=')
    dashes = 'Fl Fl ' if name.startswith('--') else 'Fl '
    optional = name.endswith('[')
    name = name.lstrip('-').rstrip('[')
    value = value.rstrip(']')
    return dashes + name + (' Ns %s=%s Ns Ar %s' % ('Oo Ns ' if optional else '', '', value) +
                            (' Oc' if optional else '') if value else '')


def asked(text):
    """A program's help without its examples, and these."""
    lines = re.search(r'^Examples:\n((?: +.*\n)+)\n?', text, re.M)
    return (text.replace(lines.group(0), ''), textwrap.dedent(lines.group(1))) if lines else (text, '')


def program_pages(programs, stamp):
    usage, shown = asked(help_of(programs / 'clopt'))
    body = ['.Sh SYNOPSIS', '.Nm', '.Ar command', '.Op Ar arguments', '.Sh DESCRIPTION', '.Nm', PROGRAMS['clopt'][1]]
    body += ['.Ss Commands'] + literal(re.sub('^Usage: ', '       ', usage), '')
    for command in dict.fromkeys(re.findall(r'clopt ([a-z]+)\b', usage)):
        text, some = asked(help_of(programs / 'clopt', command))
        first, _, rest = text.partition('\n')
        shown += some
        body += ['.Ss clopt ' + command] + literal(first.replace('Usage: ', ''), '') + options(rest)
    shown = '\n'.join(dict.fromkeys(shown.split('\n')))  # each line once
    body += example_section([('', shown)] if shown else [], ())
    body += ['.Sh SEE ALSO'] + see([('clopt-gem', 1), ('nbody', 1), ('clopt', 7), ('clopt-environment', 7)])
    yield 'clopt.1', page('clopt', 1, ['clopt'], PROGRAMS['clopt'][0], body, stamp)

    for name, operand, others in (('clopt-gem', ['.Ar molecule.pqr ...'], [('clopt', 1), ('clopt_pairs', 3)]),
                                  ('nbody', [], [('clopt', 1), ('clopt_bodies', 3)])):
        text, shown = asked(help_of(programs / name))
        # Up to the first heading of options, the help says what the program does.
        about, rest = re.split(r'^(?= \w)', text.partition('\n')[2], maxsplit=1, flags=re.M)
        body = ['.Sh SYNOPSIS', '.Nm', '.Op Ar option ...'] + operand + ['.Sh DESCRIPTION']
        body += markdown(about, ()) + ['.Sh OPTIONS'] + options(rest) + example_section([('', shown)] if shown else [], ())
        body += ['.Sh SEE ALSO'] + see(others + [('clopt', 7)])
        yield name + '.1', page(name, 1, [name], PROGRAMS[name][0], body, stamp)


def overview_pages(intro, rules, groups, known, stamp):
    intro, found = examples(intro.split('\n\n', 1)[1])
    body = ['.Sh DESCRIPTION'] + blocks(intro, known) + ['.Ss Rules']
    for text, _, _ in rules.items:
        body += blocks(text, known)
    body += ['.Ss Pages of section 3', '.Bl -tag -width Ds']
    for g in groups:
        body += ['.It Xr %s 3' % g.name, g.about]
    body += ['.El'] + example_section(found, known)
    body += ['.Sh SEE ALSO'] + see([('clopt', 1), ('clopt-gem', 1), ('nbody', 1), ('clopt-calls', 7),
                                       ('clopt-environment', 7)])
    yield 'clopt.7', page('clopt', 7, ['clopt'], 'products, transposes and sums over pairs on OpenCL devices', body, stamp)

    text = (ROOT / 'docs/calls.md').read_text().split('# Which call do I want?\n', 1)[1]
    body = ['.Sh DESCRIPTION'] + markdown(text, known) + ['.Sh SEE ALSO'] + see([('clopt', 7)])
    yield 'clopt-calls.7', page('clopt-calls', 7, ['clopt-calls'], 'which call for which task', body, stamp)

    text = (ROOT / 'docs/environment.md').read_text().split('# Environment variables\n', 1)[1]
    body = ['.Sh DESCRIPTION'] + markdown(text, known) + ['.Sh SEE ALSO'] + see([('clopt', 1), ('clopt_context', 3), ('clopt', 7)])
    yield 'clopt-environment.7', page('clopt-environment', 7, ['clopt-environment'],
                                      'variables that libclopt reads', body, stamp)


def main():
    if sys.argv[1:2] != ['man'] or len(sys.argv) != 4:
        sys.exit('usage: docs/manual.py man PROGRAMS OUT')
    programs, out = Path(sys.argv[2]), Path(sys.argv[3])
    sources = [ROOT / 'include' / h for h in HEADERS] + [ROOT / 'docs/environment.md']
    stamp = int(os.environ.get('SOURCE_DATE_EPOCH') or max(s.stat().st_mtime for s in sources))
    groups = []
    intros = {header: read(header, groups) for header in HEADERS}
    rules = next(g for g in groups if g.name == 'clopt_rules')
    groups.remove(rules)
    known = {name for g in groups for name, _, _ in g.functions()}
    pages = dict(list(program_pages(programs, stamp)) +
                 list(overview_pages(intros['clopt.h'], rules, groups, known, stamp)))
    for g in groups:
        for name, _, _ in g.functions():
            pages[name + '.3'] = '.so man3/%s.3\n' % g.name
    for g in groups:
        pages[g.name + '.3'] = group_page(g, groups, known, stamp)
    for name, text in pages.items():
        folder = out / ('man' + name[-1])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


main()
