#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# links.py FOLDER - the site of make html is whole: each relative link leads to a file and to a place in
# it, each page is reached from index.html, and nothing is fetched from elsewhere nor run.
import sys
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
        if tag == 'script':
            self.wrong.append('a script')
        for name in 'href', 'src':
            if name in values:
                self.links.append(values[name])
                if urlsplit(values[name]).scheme and tag != 'a':
                    self.wrong.append('fetches ' + values[name])


pages = {path: Page(path) for path in FOLDER.rglob('*.html')}
wrong = ['%s: %s' % (path.relative_to(FOLDER), text) for path, page in pages.items() for text in page.wrong]
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
print('\n'.join('links: ' + text for text in wrong) or 'links: %d pages, %d links' % (len(pages), count))
sys.exit(bool(wrong) or not pages)
