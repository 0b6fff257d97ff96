# SPDX-License-Identifier: MIT
"""cif.py - PDB records from the atoms of an mmCIF file, for cif.c, which runs this text by python3 -c: pdb2pqr 3.5 reads
few of these files.  The standard input has the file, whose name is the argument.

Of each name the author's is taken, as PDB files have it, else the label's.  Waters are left out, as pdb2pqr is told to
do.  Chains with a name that has no column in PDB files get a letter, told by "REMARK 999 CHAIN B IS NAME" at each
model's end; gem_lost gives them their names again.
"""
import sys
sys.path = [p for p in sys.path if p]  # no modules of the working directory
import os
import re
try:
    from gemmi import cif
except ImportError as missing:
    system = '/usr/bin/python3'  # has Debian's packages, which another may lack; once, as it may be a script
    if hasattr(sys, 'orig_argv') and not os.environ.get('SYSTEM_PYTHON') and os.access(system, os.X_OK):
        os.execve(system, [system] + sys.orig_argv[1:], {**os.environ, 'SYSTEM_PYTHON': system})
    sys.exit('mmCIF files are read by the Python package gemmi (%s): install it (Debian: apt install python3-gemmi; '
             'elsewhere: pip install gemmi)' % missing)

LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
NAMES = ('atom_id', 'comp_id', 'asym_id', 'seq_id')
TAGS = ('Cartn_x', 'Cartn_y', 'Cartn_z', '?group_PDB', '?type_symbol', '?label_alt_id', '?pdbx_PDB_ins_code',
        '?pdbx_PDB_model_num', *('?auth_' + n for n in NAMES), *('?label_' + n for n in NAMES))


class Wrong(Exception):
    pass


def number(text, low, high):
    value = float(text) if re.fullmatch(r'[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?', text) else None
    return value if value is not None and low < value < high else None


def letter(chains, name):
    """The chain's letter: its name if that is one and free, else the last free one."""
    if name and name not in chains.values():
        free = [x for x in LETTERS if x not in chains]
        if not free:
            raise Wrong("more than 62 chains, which pdb2pqr's input cannot hold: '%s'" % name)
        chains[name if name in free else free[-1]] = name
    return next((x for x in chains if chains[x] == name), ' ')


def values(row):
    for i in range(len(TAGS)):
        value = row[i] if row.has(i) else '?'
        text = '' if cif.is_null(value) else cif.as_string(value).strip()
        if not (text.isascii() and text.isprintable()) and text:
            raise Wrong("a name with a line's end or another control character: '%s'" %
                        ''.join(c if c.isascii() and c.isprintable() else '?' for c in text))
        yield text


def records(table):
    chains, model, atoms = {}, '', 0

    def end():
        for x in LETTERS:
            if chains.get(x, x) != x:
                yield 'REMARK 999 CHAIN %s IS %s' % (x, chains[x])
        if model:
            yield 'ENDMDL'

    for row in table:
        *places, group, element, alternate, insertion, of_model = list(values(row))[:8]
        names = list(values(row))[8:]
        name, residue, chain, of_chain = (a or b for a, b in zip(names[:4], names[4:]))
        if residue in ('HOH', 'WAT', 'DOD', 'SOL', 'TIP'):
            continue
        at = [number(text, -999.9995, 9999.9995) for text in places]
        for axis, value, text in zip('xyz', at, places):
            if value is None:
                raise Wrong("atom %d: Cartn_%s must be a number from -999.999 to 9999.999: '%s'" % (atoms + 1, axis, text))
        n = number(of_chain or '0', -1000, 10000)
        if n is None or n != int(n):
            raise Wrong("atom %d: a residue's number must be a whole one from -999 to 9999: '%s'" % (atoms + 1, of_chain))
        x = letter(chains, chain)
        if of_model != model:
            if atoms:
                yield from end()
            model = of_model
            yield 'MODEL %8s' % model
        atoms += 1
        # The first column of a name is for elements of two letters, and for names of four.
        wide = len(name) > 3 or len(element) == 2 and name[:2].upper() == element.upper()
        yield '%-6s%5d %s%s%3s %s%4d%s   %8.3f%8.3f%8.3f  1.00  0.00%12s' % (
            group or 'ATOM', atoms % 100000, '%-4.4s' % name if wide else ' %-3s' % name, alternate[:1] or ' ',
            residue if len(residue) < 4 else residue[:2] + '~',  # no name of three letters by chance
            x, n, insertion[:1] or ' ', *at, element[:2])
    if not atoms:
        raise Wrong('no atoms: there is no table _atom_site with Cartn_x, which files of the PDB have')
    yield from end()
    yield 'END'


try:
    tables = (block.find('_atom_site.', TAGS) for block in cif.read_string(sys.stdin.buffer.read().decode('utf-8-sig', 'replace')))
    text = ''.join(line + '\n' for line in records(next((table for table in tables if len(table)), ())))
    sys.stdout.buffer.write(text.encode('ascii', 'replace'))
except Exception as reason:
    reason = re.sub('^string:', ':', str(reason))
    sys.stderr.buffer.write(os.fsencode('%s%s%s' % (sys.argv[1], '' if reason.startswith(':') else ': ', reason)))
    sys.exit(1)
