#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# links.py FOLDER - the site of make html is whole: each relative link leads to a file and to a place in
# it, each page is reached from index.html, nothing is fetched from elsewhere, and only search.js runs.
# A search for the name of a function of the headers finds its place first; skipped without mujs.
import json
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FOLDER = Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.places, self.wrong = [], set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if 'id' in values:
            if values['id'] in self.places:
                self.wrong.append('two places are called ' + values['id'])
            self.places.add(values['id'])
        if tag == 'script' and Path(values.get('src', '')).name != 'search.js':
            self.wrong.append('a script')
        for name in 'href', 'src':
            if name in values:
                self.links.append(values[name])
                if urlsplit(values[name]).scheme and tag != 'a':
                    self.wrong.append('fetches ' + values[name])


NAMES = sorted({name for header in (Path(__file__).resolve().parent.parent / 'include').glob('*.h')
                for name in re.findall(r'^CLOPT_API [^;()]*?(\w+)\(', header.read_text(), re.M)})


def search(names):
    """The first entry of the search's index that search.js finds for each name."""
    script = '%s;%s;print(JSON.stringify(%s.map(function (name) { return find(INDEX, name)[0] || ["", "", ""]; })))' % (
        (FOLDER / 'search.js').read_text(), (FOLDER / 'index.js').read_text(), json.dumps(names))
    with tempfile.NamedTemporaryFile('w', suffix='.js') as file:
        file.write(script)
        file.flush()
        return json.loads(subprocess.run(['mujs', file.name], text=True, stdout=subprocess.PIPE, check=True).stdout)


pages = {path: Page(path) for path in FOLDER.rglob('*.html')}
wrong = ['%s: %s' % (path.relative_to(FOLDER), text) for path, page in pages.items() for text in page.wrong]
entries = json.loads((FOLDER / 'index.js').read_text().split('=', 1)[1].rstrip(';\n'))
pages[FOLDER / 'index.html'].links += [entry[0] for entry in entries]
tried = shutil.which('mujs')
found = search(NAMES) if tried else []
for name, (address, _, heading, *_) in zip(NAMES, found):
    if name not in re.findall(r'\w+', heading) or not address.startswith('man/'):
        wrong.append('a search for %s finds %s' % (name, address or 'nothing'))
count, reached, waiting = 0, set(), [FOLDER / 'index.html']
while waiting:
    path = waiting.pop()
    if path in reached or path not in pages:
        continue
    reached.add(path)
    for link in pages[path].links:
        parts = urlsplit(link)
        if parts.scheme:
            continue
        count += 1
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            wrong.append('%s: %s is not there' % (path.relative_to(FOLDER), link))
        elif target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].places:
            wrong.append('%s: %s has no such place' % (path.relative_to(FOLDER), link))
        waiting.append(target)
wrong += ['%s: no page leads to it' % path.relative_to(FOLDER) for path in pages if path not in reached]
print('\n'.join('links: ' + text for text in wrong) or
      'links: %d pages, %d links, %s' % (len(pages), count, '%d functions found' % len(found) if tried else
                                         'the search skipped, no mujs'))
sys.exit(bool(wrong) or not pages)
