#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# pages.py - the manual as HTML that needs no server: README.md, docs/*.md by cmark-gfm, and the man
# pages by mandoc, with links from each name of a function to what it does.
#
#     docs/pages.py MAN OUT       MAN: what docs/manual.py made; make html runs it
#
# Files that pages link to (headers, examples, pictures) are copied beside them.
import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The order of the pages that a reader wants first; the others follow.
FIRST = ['README', 'tutorial', 'calls', 'molecules', 'bodies', 'tolerance', 'performance', 'measurements', 'devices',
         'clusters', 'blas', 'python', 'languages', 'building', 'environment', 'amd']
LAYOUT = '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}style.css">
</head>
<body>
<nav>{nav}</nav>
<main>
{body}
</main>
</body>
</html>
'''


def run(*words, **more):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, check=True, **more).stdout


def slug(heading, used):
    """The anchor that GitHub gives a heading."""
    name = re.sub(r'[^\w\- ]', '', html.unescape(re.sub('<[^>]*>', '', heading)).strip().lower()).replace(' ', '-')
    used[name] = used.get(name, -1) + 1
    return name if not used[name] else '%s-%d' % (name, used[name])


class Site:
    def __init__(self, man, out):
        self.man, self.out = man, out
        names = ['README'] + sorted(p.stem for p in (ROOT / 'docs').glob('*.md'))
        self.documents = sorted(names, key=lambda n: (FIRST.index(n) if n in FIRST else len(FIRST), n))
        # The page of a function: its own, or that which it refers to.
        self.place = {}
        for page in (man / 'man3').glob('*.3'):
            refers = re.match(r'\.so man3/(.*)', page.read_text())
            self.place[page.stem] = refers.group(1) if refers else page.name

    def title(self, name):
        if name == 'README':
            return 'libclopt'
        return re.search(r'^# (.*)', (ROOT / 'docs' / (name + '.md')).read_text(), re.M).group(1)

    def write(self, path, title, body):
        up = '../' * (len(Path(path).parts) - 1)
        nav = ['<a href="%s%s">%s</a>' % (up, self.path(n), html.escape(self.title(n))) for n in self.documents]
        nav.insert(1, '<a href="%sman/index.html">Manual pages</a>' % up)
        (self.out / path).parent.mkdir(parents=True, exist_ok=True)
        (self.out / path).write_text(LAYOUT.format(title=html.escape(title), up=up, nav='\n'.join(nav), body=body))

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
        """Names of functions become links."""
        def one(found):
            page = self.place.get(found.group(1))
            return '<a href="%s%s.html#%s">%s</a>' % (up, page, found.group(1), found.group(0)) if page else found.group(0)
        return re.sub(pattern, one, body)

    def document(self, name):
        folder = '' if name == 'README' else 'docs'
        text = (ROOT / folder / (name + '.md')).read_text()
        body = run('cmark-gfm', '-e', 'table', '-e', 'autolink', input=text).replace('<!-- raw HTML omitted -->\n', '')

        def anchor(found):
            target = self.link(folder, html.unescape(found.group(2)))
            return found.group(3) if target is None else '<%s="%s"%s' % (found.group(1), html.escape(target), found.group(0).split('"', 2)[2])
        body = re.sub(r'<(a href|img src)="([^"]*)"[^>]*>(?:(.*?)</a>)?', anchor, body, flags=re.S)
        used = {}
        body = re.sub(r'<(h[1-6])>(.*?)</\1>', lambda h: '<%s id="%s">%s</%s>' % (
            h.group(1), slug(h.group(2), used), h.group(2), h.group(1)), body)
        body = self.functions(body, ('../' if folder else '') + 'man/', r'(?<!">)<code>(clopt_\w+)</code>')
        self.write(self.path(name), self.title(name), body)

    def page(self, path):
        body = run('mandoc', '-Thtml', '-O', 'fragment,man=%N.%S.html', str(path))
        body = re.sub(r'<[^>]*>', lambda tag: ' '.join(tag.group(0).split()), body)
        # mandoc makes places of first mentions; a function's place is its heading.
        body = re.sub(r'<(?!h2)(\w+ [^>]*?) id="clopt_\w+"', r'<\1', body)
        body = re.sub(r'<a class="permalink" href="#clopt_\w+">(<code class="Fn">\w+</code>)</a>', r'\1', body)
        body = self.functions(body, '', r'(?<!">)<code class="Fn">(clopt_\w+)</code>(?!\()')

        def heading(found):
            names = re.findall(r'clopt_\w+', re.sub('<[^>]*>', '', found.group(2)))
            marks = ''.join('<span id="%s"></span>' % n for n in names if n != found.group(1))
            return marks + found.group(0)
        body = re.sub(r'<h2 class="Ss" id="([^"]*)">(.*?)</h2>', heading, body, flags=re.S)
        self.write('man/%s.html' % path.name, '%s(%s)' % (path.stem, path.suffix[1:]), body)

    def index(self, pages):
        rows = []
        for page in sorted(pages, key=lambda p: (p.suffix, p.stem)):
            about = re.search(r'^\.Nd (.*)', page.read_text(), re.M).group(1)
            own = sorted(n for n, p in self.place.items() if p == page.name and n != page.stem)
            rows.append('<dt><a href="%s.html">%s</a>(%s) %s</dt>\n<dd>%s</dd>' % (
                page.name, page.stem, page.suffix[1:], html.escape(about),
                ' '.join('<a href="%s.html#%s">%s</a>' % (page.name, n, n) for n in own)))
        self.write('man/index.html', 'Manual pages', '<h1>Manual pages</h1>\n<dl>\n%s\n</dl>' % '\n'.join(rows))


def main():
    if len(sys.argv) != 3:
        sys.exit('usage: docs/pages.py MAN OUT')
    site = Site(Path(sys.argv[1]), Path(sys.argv[2]))
    shutil.rmtree(site.out, ignore_errors=True)
    site.out.mkdir(parents=True)
    shutil.copy(ROOT / 'docs/style.css', site.out)
    for name in site.documents:
        site.document(name)
    pages = [p for p in site.man.glob('man?/*.?') if not p.read_text().startswith('.so ')]
    for page in pages:
        site.page(page)
    site.index(pages)


main()
