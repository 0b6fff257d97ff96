#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# words.py - what pages have against the rules of words, as FILE:LINE: TEXT.
#
#     test/words.py [--headers] [FILE...]     README.md and docs/*.md; --headers: include/*.h too
#
# Run from the repository's top folder.  Status 1 if it printed anything.  Sentences are those of
# prose, without tables, code, headings and HTML comments.  `Inline code` is one word.
import re
import sys
from pathlib import Path

WORDS, WIDTH, LINES, ALL = 25, 100, 200, 4500
DATED = ['measurements.md', 'NEWS.md']
MONTH = '(?:January|February|March|April|May|June|July|August|September|October|November|December)'
DATE = re.compile(r'\b(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?\b|\b{0} \d+\b|\b\d\d? {0}\b'.format(MONTH))
ITEM = re.compile(r'\s*(?:[-*+]|\d+[.)])\s+')
END = re.compile(r'(?<!e\.g)(?<!i\.e)[.!?][)"\'*_]*(?=\s)|\Z')


def paragraphs(lines):
    """The paragraphs and items of prose, each as a list of (number, text)."""
    part, fence, comment, code, blank, item = [], False, False, False, True, 0
    for number, text in lines + [(0, '')]:
        bare, starts = text.strip(), ITEM.match(text)
        deep = len(text.expandtabs(8)) - len(text.expandtabs(8).lstrip())
        if blank and bare and not deep:
            item = 0
        code = not fence and not comment and (not bare or deep >= 4 + item) and (code or blank)
        other = code or fence or comment or bare[:1] in ('', '|', '#') or bare.startswith(('```', '<!--'))
        if not code and bare.startswith('```'):
            fence = not fence
        comment = not fence and (comment or bare.startswith('<!--')) and '-->' not in bare
        if other or starts:
            yield part
            part = []
        if not other:
            item = len(starts.group(0)) if starts else item
            part.append((number, text[len(starts.group(0)):] if starts else text))
        blank = not bare or bare.endswith('-->')


def check(lines):
    """What is wrong with prose, as (number, text)."""
    for part in paragraphs(lines):
        text = '\n'.join(text for _, text in part)
        text = re.sub(r'(`+).+?\1|\]\([^)]*\)|<[^<>]+>',
                      lambda m: 'x' * bool(m.group(1)) + '\n' * m.group(0).count('\n'), text, flags=re.S)
        at = 0
        for end in END.finditer(text):
            words = [word for word in text[at:end.end()].split() if re.search(r'\w', word)]
            if len(words) > WORDS:
                line = part[text.count('\n', 0, text.index(words[0], at))][0]
                yield line, '%d words: %s ...' % (len(words), ' '.join(words[:9]))
            at = end.end()
        for number, line in part:
            if len(line) > WIDTH:
                yield number, '%d characters' % len(line)


def check_file(path):
    text = path.read_text()
    if path.suffix == '.h':
        for found in re.finditer(r'/\*(.*?)\*/', text, re.S):
            rows = [re.sub(r'^\s*\* ?', '', row) for row in ('*' + found.group(1)).split('\n')]
            yield from check(list(enumerate(rows, text.count('\n', 0, found.start()) + 1)))
        return
    lines = list(enumerate(text.splitlines(), 1))
    yield from check(lines)
    for number, line in lines:
        if path.name not in DATED and DATE.search(line):
            yield number, 'a date: ' + DATE.search(line).group(0)
    if len(lines) > LINES:
        yield len(lines), 'more than %d lines' % LINES


files = [Path(name) for name in sys.argv[1:] if name != '--headers']
files = files or [Path('README.md')] + sorted(Path('docs').glob('*.md'))
files += sorted(Path('include').glob('*.h')) * ('--headers' in sys.argv)
wrong = ['%s:%d: %s' % (path, line, text) for path in files for line, text in check_file(path)]
if sum(len(path.read_text().splitlines()) for path in files if path.parent.name == 'docs') > ALL:
    wrong.append('docs:0: more than %d lines in all pages' % ALL)
print('\n'.join(wrong), end='\n' * bool(wrong))
sys.exit(len(wrong) > 0)
