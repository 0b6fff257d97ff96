#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""merge.py ROWS FOLDER NAME FILE - FOLDER/NAME, tables of kernels, becomes FILE, with those lines of the old FILE,
under the same headings, whose row the regular expression ROWS does not match (see amd.sh).  Lines are in the order
of FOLDER/rows."""
import re
import sys


def read(path, rank):
    """The text, and under each heading the lines of kernels that there are, by their place."""
    text, tables, heading = [], {}, None
    for line in open(path):
        if line.startswith("## "):
            heading = line
        if heading and re.match(r"\| [a-z-]+/", line):
            cells = tuple(c.strip() for c in line.split("|")[1:4])
            place = rank.get(cells, rank.get(cells[:2]))
            if place is not None:
                tables.setdefault(heading, {})[place] = (cells[0], line)
        else:
            text.append(line)
    return text, tables


def merge(rows, folder, name, path):
    rank = {}  # of a row and its kind of number, and of these with what is summed
    for at, line in enumerate(open(f"{folder}/rows")):
        fields = line.split("\t")
        rank.setdefault((fields[0], fields[1]), at)
        rank.setdefault((fields[0], fields[1], fields[7]), at)
    (text, new), (_, old) = read(f"{folder}/{name}", rank), read(path, rank)
    heading = None
    with open(path, "w") as out:
        for line in text:
            if line.startswith("## "):
                heading = line
            out.write(line)
            if heading and line.startswith("|---"):
                kept = {at: of for at, of in old.get(heading, {}).items() if not re.match(rows, of[0])}
                out.writelines(line for _, (_, line) in sorted({**kept, **new.get(heading, {})}.items()))


if __name__ == "__main__":
    merge(*sys.argv[1:])
