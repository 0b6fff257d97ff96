#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# pages.py - the manual as HTML that needs no server: README.md, docs/*.md by cmark-gfm, the man pages
# by mandoc, a menu, and the index of the search (search.js).  Names of functions link to their pages.
#
#     docs/pages.py MAN OUT       MAN: what docs/manual.py made; make html runs it
#
# Files that pages link to (headers, examples, pictures) are copied beside them.
import html
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The menu: documents by reader.  A document that is not here stands in a last group.
MENU = {
    'Use it': ['README', 'tutorial', 'calls', 'molecules', 'bodies', 'python', 'languages', 'blas'],
    'Run it': ['devices', 'performance', 'clusters', 'environment', 'building'],
    'Know it': ['tolerance', 'measurements', 'amd', 'testing'],
    'Change it': ['architecture', 'contributing', 'NEWS'],
}
SECTIONS = {'1': 'Programs', '3': 'Functions', '7': 'Concepts'}
LAYOUT = '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}style.css">
</head>
<body>
<nav>
<a class="home" href="{up}index.html">libclopt</a>
<input id="site-search" type="search" placeholder="Search" aria-label="Search" autocomplete="off" hidden>
<input id="site-menu" type="checkbox" aria-label="Menu"><label for="site-menu">Menu</label>
<div>
{menu}
</div>
</nav>
<main>
{body}
</main>
<script src="{up}search.js"></script>
</body>
</html>
'''


def run(*words, **more):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, check=True, **more).stdout


def plain(body):
    """The text of HTML."""
    return ' '.join(html.unescape(re.sub('<[^>]*>', '', body)).split())


def slug(heading, used):
    """The anchor that GitHub gives a heading."""
    name = re.sub(r'[^\w\- ]', '', plain(heading).lower()).replace(' ', '-')
    used[name] = used.get(name, -1) + 1
    return name if not used[name] else '%s-%d' % (name, used[name])


class Site:
    def __init__(self, man, out):
        self.man, self.out = man, out
        self.pages = sorted((p for p in man.glob('man?/*.?') if not p.read_text().startswith('.so ')),
                            key=lambda p: (p.suffix, p.stem))
        there = {p.stem for p in (ROOT / 'docs').glob('*.md')} | {'README'}
        self.groups = {group: [n for n in names if n in there] for group, names in MENU.items()}
        self.groups['More'] = sorted(there - set(sum(MENU.values(), [])))
        self.documents = sum(self.groups.values(), [])
        self.index = []
        # The page of a function: its own, or that which it refers to.
        self.place = {}
        for page in (man / 'man3').glob('*.3'):
            refers = re.match(r'\.so man3/(.*)', page.read_text())
            self.place[page.stem] = refers.group(1) if refers else page.name

    def title(self, name):
        if name == 'README':
            return 'libclopt'
        return re.search(r'^# (.*)', (ROOT / 'docs' / (name + '.md')).read_text(), re.M).group(1)

    def label(self, name):
        """The title without what follows a colon."""
        return self.title(name).split(':')[0]

    def section(self, number):
        return [p for p in self.pages if p.suffix[1:] == number]

    def write(self, path, title, body):
        up = '../' * (len(Path(path).parts) - 1)

        def entry(target, label):
            if target != path:
                return '<a href="%s%s">%s</a>' % (up, target, html.escape(label))
            inside = re.findall(r'<(?:h2|h3 class="Ss") id="([^"]*)">(.*?)</h[23]>', body, re.S)
            return '<a href="#" aria-current="page">%s</a>' % html.escape(label) + ''.join(
                '<a class="inside" href="#%s">%s</a>' % (place, html.escape(plain(text))) for place, text in inside)
        menu = []
        for group, names in self.groups.items():
            menu += ['<p>%s</p>' % group] * bool(names) + [
                entry(self.path(n), 'Overview' if n == 'README' else self.label(n)) for n in names]
        menu += ['<p>Reference</p>', entry('man/index.html', 'Manual pages')]
        # The list of all manual pages has them itself.
        for section, label in SECTIONS.items() if path != 'man/index.html' else ():
            own = self.section(section)
            here = any(path == 'man/%s.html' % p.name for p in own)
            menu += ['<details%s><summary>%s, section %s</summary>' % (' open' * here, label, section)]
            menu += [entry('man/%s.html' % p.name, p.stem) for p in own] + ['</details>']
        (self.out / path).parent.mkdir(parents=True, exist_ok=True)
        (self.out / path).write_text(LAYOUT.format(title=html.escape(title), up=up, menu='\n'.join(menu), body=body))

    def note(self, path, title, body):
        """What the search finds: each heading and each term that has a place, with the text below it."""
        for part in re.split(r'(?=<(?:h\d|dt)[^>]* id=)', body):
            found = re.match(r'<(h\d|dt)[^>]* id="([^"]*)".*?</\1>', part, re.S)
            place, heading = ('#' + found.group(2), plain(found.group(0))) if found else ('', '')
            if heading not in ('SYNOPSIS', 'RETURN VALUES', 'SEE ALSO'):
                self.index.append([path + place, title, '' if heading == 'NAME' else heading,
                                   plain(part[found.end():] if found else part)])

    @staticmethod
    def path(name):
        return 'index.html' if name == 'README' else 'docs/%s.html' % name

    def link(self, folder, target):
        """Where a link of a document of this folder leads in the site; None: nowhere."""
        if re.match('[a-z]+:|#', target):
            return target
        target, mark, anchor = target.partition('#')
        source = Path(os.path.normpath(ROOT / folder / target))
        if not source.is_file():
            return None
        inside = source.relative_to(ROOT)
        if source.suffix == '.md' and source.stem in self.documents and str(inside.parent) in ('.', 'docs'):
            inside = Path(self.path(source.stem))
        else:
            (self.out / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, self.out / inside)
        return os.path.relpath(inside, folder) + mark + anchor

    def functions(self, body, up, pattern):
        """Names of functions become links, in what matches."""
        def one(found):
            name = found.group(0)
            return '<a href="%s%s.html#%s">%s</a>' % (up, self.place[name], name, name) if name in self.place else name
        return re.sub(pattern, lambda part: re.sub(r'\bclopt_\w+', one, part.group(0)), body)

    @staticmethod
    def table(text):
        """A table whose cells know their sizes; on narrow screens a wide one shows them below each other, with
        the headings of their columns."""
        rows = [re.findall(r'<t[hd]\b[^>]*>(.*?)</t[hd]>', row, re.S) for row in re.findall('<tr>.*?</tr>', text, re.S)]
        widths = [max(len(plain(cell)) for cell in column) for column in zip(*rows)]
        heads = [plain(cell) for cell in rows[0]]
        column = itertools.cycle(range(len(heads)))

        def cell(found):
            size, at = len(plain(found.group(3))), next(column)
            kind = ' class="short"' if size < 16 else ' class="long"' if size > 40 else ''
            head = ' data-head="%s"' % html.escape(heads[at]) if found.group(1) == 'td' and at and heads[at] else ''
            return '<' + found.group(1) + kind + head + found.group(2) + '>' + found.group(3)
        text = re.sub(r'<(t[hd])\b([^>]*)>(.*?)(?=</\1>)', cell, text, flags=re.S)
        return text.replace('<table>', '<table class="wide">', 1) if sum(widths) > 44 and '<img' not in text else text

    def document(self, name):
        folder = '' if name == 'README' else 'docs'
        text = (ROOT / folder / (name + '.md')).read_text()
        body = run('cmark-gfm', '--unsafe', '-e', 'table', '-e', 'autolink', input=text)
        body = re.sub('<!--.*?-->\n', '', body, flags=re.S)

        def anchor(found):
            target = self.link(folder, html.unescape(found.group(3)))
            return '<' + found.group(1) + ('' if target is None else '%s="%s"' % (found.group(2), html.escape(target)))
        body = re.sub(r'<(a|img)\b([^>]*? (?:href|src))="([^"]*)"', anchor, body)

        # A link whose text is the name of a document shows its title.
        def titled(found):
            label = self.label(found.group(2)) if found.group(2) in self.documents else found.group(2) + '.md'
            return found.group(1) + html.escape('“%s”' % label if label.endswith('?') else label)
        body = re.sub(r'(<a [^>]*>)([\w-]+)\.md(?=</a>)', titled, body)
        used = {}
        body = re.sub(r'<(h[1-6])>(.*?)</\1>', lambda h: '<%s id="%s">%s</%s>' % (
            h.group(1), slug(h.group(2), used), h.group(2), h.group(1)), body)
        # Other languages have functions of the same names with other arguments.
        code = r'<pre lang="(?:c|c\+\+|sh)"><code>[^<]*</code>'
        if name != 'languages':
            code += r'|(?<!">)<code[^>]*>[^<]*</code>'
        body = self.functions(body, ('../' if folder else '') + 'man/', code)
        body = re.sub('<table>.*?</table>', lambda table: self.table(table.group(0)), body, flags=re.S)
        # No line ends inside an option.
        body = re.sub(r'<code>(?=-[^< ]{1,24}</code>)', '<code class="short">', body)
        self.note(self.path(name), self.title(name), body)
        self.write(self.path(name), self.title(name), body)

    def page(self, path):
        body = run('mandoc', '-Thtml', '-O', 'fragment,man=%N.%S.html', str(path))
        body = re.sub(r'<[^>]*>', lambda tag: ' '.join(tag.group(0).split()), body)
        # The page's title is a heading of its own, in place of the line at the top.
        body = re.sub(r'<(/?)h([12])\b', lambda h: '<%sh%d' % (h.group(1), int(h.group(2)) + 1), body)
        body = re.sub('<table class="head">.*?</table>', '', body, flags=re.S)
        # mandoc makes places of first mentions; a function's place is its heading.
        body = re.sub(r'<(?!h3)(\w+ [^>]*?) id="clopt_\w+"', r'<\1', body)
        body = re.sub(r'<a class="permalink" href="#clopt_\w+">(<code class="Fn">\w+</code>)</a>', r'\1', body)
        body = self.functions(body, '', r'(?<!">)<code class="Fn">[^<]*</code>')

        def heading(found):
            names = re.findall(r'clopt_\w+', re.sub('<[^>]*>', '', found.group(2)))
            marks = ''.join('<span id="%s"></span>' % n for n in names if n != found.group(1))
            return marks + found.group(0)
        body = re.sub(r'<h3 class="Ss" id="([^"]*)">(.*?)</h3>', heading, body, flags=re.S)
        if 'id="%s"' % path.stem not in body:
            body = '<span id="%s"></span>' % path.stem + body
        title = '%s(%s)' % (path.stem, path.suffix[1:])
        self.note('man/%s.html' % path.name, title, body)
        self.write('man/%s.html' % path.name, title, '<h1>%s</h1>\n' % title + body)

    def contents(self):
        rows = []
        for section, label in SECTIONS.items():
            rows.append('<h2 id="section-%s">%s, section %s</h2>\n<dl>' % (section, label, section))
            for page in self.section(section):
                about = re.search(r'^\.Nd (.*)', page.read_text(), re.M).group(1)
                own = sorted(n for n, p in self.place.items() if p == page.name and n != page.stem)
                rows.append('<dt><a href="%s.html">%s</a> %s</dt>\n<dd>%s</dd>' % (
                    page.name, page.stem, html.escape(about),
                    ' '.join('<a href="%s.html#%s"><code>%s</code></a>' % (page.name, n, n) for n in own)))
            rows.append('</dl>')
        self.write('man/index.html', 'Manual pages', '<h1>Manual pages</h1>\n' + '\n'.join(rows))


def main():
    if len(sys.argv) != 3:
        sys.exit('usage: docs/pages.py MAN OUT')
    site = Site(Path(sys.argv[1]), Path(sys.argv[2]))
    shutil.rmtree(site.out, ignore_errors=True)
    site.out.mkdir(parents=True)
    for name in 'style.css', 'search.js':
        shutil.copy(ROOT / 'docs' / name, site.out)
    for name in site.documents:
        site.document(name)
    for page in site.pages:
        site.page(page)
    site.contents()
    (site.out / 'index.js').write_text('var INDEX = %s;\n' % json.dumps(site.index, ensure_ascii=False, indent=0))


main()
