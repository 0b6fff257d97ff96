# SPDX-License-Identifier: MIT
"""convert.py - molecules from PDB and mmCIF files, for convert.c, which runs this text by python3 -c.

PDB files have no charges and radii: the program pdb2pqr gives them (Dolinsky et al., Nucleic Acids Res. 35, W522, 2007).
It leaves out what it has no parameters for, as ions, ligands and single atoms, and succeeds; it also builds side chains
that the file lacks.  For each model a line of JSON goes to the standard output, with the PQR file and what differs.

Arguments: the file; a force field; a pH, or -1; a folder for pdb2pqr's files, as it knows formats by names; the names of
records; all, for each of the models and not the first.
"""
import sys
sys.path = [p for p in sys.path if p]  # no modules of the working directory
import codecs
import collections
import json
import os
import re
import shutil
import subprocess
import zlib

LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
WATERS = 'HOH', 'WAT', 'DOD', 'SOL', 'TIP'
AMINO = 'ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL'.split()


class Wrong(Exception):
    pass


# ---- mmCIF, of which pdb2pqr 3.5 reads few files

NAMES = ('atom_id', 'comp_id', 'asym_id', 'seq_id')
TAGS = ('Cartn_x', 'Cartn_y', 'Cartn_z', '?group_PDB', '?type_symbol', '?label_alt_id', '?pdbx_PDB_ins_code',
        '?pdbx_PDB_model_num', *('?auth_' + n for n in NAMES), *('?label_' + n for n in NAMES))


def import_gemmi():
    global cif
    try:
        from gemmi import cif
    except ImportError as missing:
        system = '/usr/bin/python3'  # has Debian's packages, which another may lack; once, as it may be a script
        if hasattr(sys, 'orig_argv') and not os.environ.get('SYSTEM_PYTHON') and os.access(system, os.X_OK):
            os.execve(system, [system] + sys.orig_argv[1:], {**os.environ, 'SYSTEM_PYTHON': system})
        raise Wrong('mmCIF files are read by the Python package gemmi (%s): install it (Debian: apt install python3-gemmi; '
                    'elsewhere: pip install gemmi)' % missing) from None


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


def printable(text):
    return ''.join(c if c.isascii() and c.isprintable() else '?' for c in text)


def values(row):
    for i in range(len(TAGS)):
        value = row[i] if row.has(i) else '?'
        text = '' if cif.is_null(value) else cif.as_string(value).strip()
        if text != printable(text):
            raise Wrong("a name with a line's end or another control character: '%s'" % printable(text))
        yield text


def records(table, chains):
    """The atoms as PDB records, without waters.  Of each name the author's is taken, as PDB files have it, else the
    label's.  chains: the names of chains by their letters."""
    model, atoms = None, 0
    for row in table:
        x, y, z, group, element, alternate, insertion, of_model, *names = values(row)
        name, residue, chain, of_chain = (a or b for a, b in zip(names[:4], names[4:]))
        if residue in WATERS:
            continue
        at = [number(text, -999.9995, 9999.9995) for text in (x, y, z)]
        for axis, value, text in zip('xyz', at, (x, y, z)):
            if value is None:
                raise Wrong("atom %d: Cartn_%s must be a number from -999.999 to 9999.999: '%s'" % (atoms + 1, axis, text))
        n = number(of_chain or '0', -1000, 10000)
        if n is None or n != int(n):
            raise Wrong("atom %d: a residue's number must be a whole one from -999 to 9999: '%s'" % (atoms + 1, of_chain))
        x = letter(chains, chain)
        if of_model != model:
            model = of_model
            yield 'MODEL'
        atoms += 1
        # The first column of a name is for elements of two letters, and for names of four.
        wide = len(name) > 3 or len(element) == 2 and name[:2].upper() == element.upper()
        yield '%-6s%5d %s%s%3s %s%4d%s   %8.3f%8.3f%8.3f  1.00  0.00%12s' % (
            group or 'ATOM', atoms % 100000, '%-4.4s' % name if wide else ' %-3s' % name, alternate[:1] or ' ',
            residue if len(residue) < 4 else residue[:2] + '~',  # no name of three letters by chance
            x, n, insertion[:1] or ' ', *at, element[:2])
    if not atoms:
        raise Wrong('no atoms: there is no table _atom_site with Cartn_x, which files of the PDB have')
    yield 'END'


def decompressed(data):
    """The members of a gzip file; bytes behind them are left out, as gzip does."""
    parts = []
    while data[:2] == b'\x1f\x8b':
        member = zlib.decompressobj(31)
        parts.append(member.decompress(data))
        if not member.eof:
            raise Wrong('the compressed file ends too early')
        data = member.unused_data
    return b''.join(parts)


def lines_of(name, chains):
    """The lines of a PDB file, or records of an mmCIF file."""
    is_cif = re.search(r'\.(mm)?cif(\.gz)?$', name, re.I)
    if is_cif:
        import_gemmi()
    with open(name, 'rb') as file:
        data = file.read()
    data = decompressed(data) if data[:2] == b'\x1f\x8b' else data
    if is_cif:
        tables = (block.find('_atom_site.', TAGS) for block in cif.read_string(data.decode('utf-8-sig', 'replace')))
        return list(records(next((table for table in tables if len(table)), ()), chains))
    data = data[3:] if data.startswith(codecs.BOM_UTF8) else data
    if not data.strip():
        raise Wrong('the file is empty')
    text = data.decode('latin-1').replace('\r', '\n' if b'\n' not in data else '')
    if '\0' in text:
        raise Wrong('line %d: a zero byte: this is not a text file' % (text[:text.index('\0')].count('\n') + 1))
    return text.split('\n')


# ---- Models, residues, atoms

def is_atom(line):
    return line.startswith(('ATOM', 'HETATM'))


def name_of(line):
    return line[12:16].strip()


def is_heavy(line):
    """No hydrogen, which pdb2pqr makes anew."""
    return name_of(line).lstrip('0123456789')[:1] not in ('H', 'D')


def place(line):
    """Chain, number and insertion code of a residue."""
    return line[21:22].strip(), line[22:26].strip(), line[26:27].strip()


def models(lines, by_end):
    """END ends a model only where models are asked for: some programs end a chain by it.  What has no atoms is none."""
    border = re.compile(r'[ \t]*(MODEL(?![^ \t\d])|ENDMDL%s)' % ('|END(?![^ \t])' if by_end else ''), re.I)
    model, atoms = [], False
    for line in lines:
        model.append(line)
        atoms = atoms or is_atom(line)
        if atoms and border.match(line):
            yield model
            model, atoms = [], False
    if atoms:
        yield model


class Residue:
    def __init__(self, first, ended):
        """ended: chains before it."""
        self.place, self.name, self.ended, self.lines = place(first), first[17:20].strip(), ended, []

    def is_broken(self):
        """pdb2pqr cannot mend an amino acid that lacks N, CA or C."""
        return self.name in AMINO and not {'N', 'CA', 'C'} <= set(map(name_of, self.lines))


def residues_of(model):
    """The residues, the lines without alternates, and the number of these: atoms of a name that was before, or of a
    residue of another name, at an alternate location."""
    residues, lines, ended, alternates = [], [], 0, 0
    for line in model:
        ended += line.startswith('TER')
        if is_atom(line):
            if not residues or residues[-1].place != place(line):
                residues.append(Residue(line, ended))
            now = residues[-1]
            if line[16:17].strip() and (now.name != line[17:20].strip() or name_of(line) in map(name_of, now.lines)):
                alternates += 1
                continue
            now.lines.append(line)
        lines.append(line)
    return residues, lines, alternates


# ---- pdb2pqr

def convert(lines, without, field, ph, folder):
    """The lines of the PQR file.  pdb2pqr gets only what it needs: it ends at empty lines, at headers that break the
    format's rules and at serials as *****, so atoms are counted anew."""
    source, result, serial, given = os.path.join(folder, 'in.pdb'), os.path.join(folder, 'out.pqr'), 0, []
    for line in lines:
        if is_atom(line) and line not in without:
            serial += 1
            line = '%s%5d%s' % (line[:6], serial % 100000, line[11:]) if line[11:12] == ' ' else line
        elif not line.startswith(('TER', 'END')):
            continue
        given.append(line + '\n')
    try:
        with open(source, 'w', encoding='latin-1') as file:
            file.writelines(given)
    except OSError as e:
        raise RuntimeError('%s: %s' % (source, e.strerror)) from None
    words = [shutil.which('pdb2pqr30') or 'pdb2pqr',  # names of Debian and of Python's package index
             '--ff=' + field, '--keep-chain', '--drop-water', source, result]
    words += ['--with-ph=' + ph, '--titration-state-method=propka'] if float(ph) >= 0 else []
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as e:
        raise RuntimeError('charges and radii for PDB and mmCIF files come from the program pdb2pqr, which cannot be started '
                           '(%s): install it (Debian: apt install pdb2pqr; elsewhere: pip install pdb2pqr), or give a PQR '
                           'file' % e.strerror) from None
    if done.returncode == 0 and os.path.exists(result):
        with open(result, encoding='latin-1') as file:
            return file.read().splitlines()
    # The first error that it calls critical, or the first, or the last line; the last critical one only says that it gives up.
    said = [line for line in done.stdout.decode(errors='replace').splitlines() if line] or ['']
    raise Wrong('pdb2pqr failed: ' + printable(next(
        (line for word in ('CRITICAL', 'ERROR') for line in said if line.startswith(word)), said[-1])))


def list_of(names):
    """As many as the room is for."""
    text = ''
    for name in names:
        if len(text) > 180:
            return text + ', ...'
        text += ', ' * bool(text) + printable(name)
    return text


def compared(residues, pqr, chains):
    """What of the residues the result lacks, and to which of them atoms were added."""
    every, heavy = (collections.Counter(place(line) for line in pqr if is_atom(line) and wanted(line))
                    for wanted in (len, is_heavy))
    # pdb2pqr 3 names chains without a name, which end at TER, A, B and so on.
    all_named = all(chain for chain, *_ in every)
    lost, added, nucleic = [], [], False
    for r in residues:
        chain, *number = r.place
        chain = chain or LETTERS[r.ended:][:1] * all_named
        at, title = (chain, *number), ' '.join(word for word in (r.name, chains.get(chain, chain), ''.join(number)) if word)
        here, all_there, there = len({name_of(line) for line in r.lines if is_heavy(line)}), every[at], heavy[at]
        if not all_there or there < here:
            lost.append(title + ' (%d atoms)' % (here - there) * bool(all_there))
            nucleic = nucleic or not all_there and re.fullmatch('D?[ACGTU]', r.name)
        if there > here:
            added.append('%s (%d atoms)' % (title, there - here))
    return {'lost_residues': len(lost), 'added_to': len(added), 'added': list_of(added),
            'lost': list_of(lost) + ' (--forcefield AMBER has nucleic acids)' * bool(nucleic)}


def converted(model, chains, *how):
    """The members of the line of JSON.  Where pdb2pqr fails, it gets the model once more, without hydrogens and without
    residues that lack backbone atoms, if these are few."""
    residues, lines, alternates = residues_of(model)
    waters = {line for r in residues if r.name in WATERS for line in r.lines}
    dry = [r for r in residues if r.name not in WATERS]
    if not dry:
        raise Wrong('no line starts with ATOM or HETATM%s: there are no atoms' %
                    (', but for waters, which are left out' if residues else ''))
    mended = 0
    try:
        pqr = convert(lines, waters, *how)
    except Wrong as failed:
        broken = [r for r in residues if r.is_broken()]
        if len(broken) > len(residues) // 10:
            raise
        waters.update((line for line in lines if is_atom(line) and not is_heavy(line)), *(r.lines for r in broken))
        try:
            pqr, mended = convert(lines, waters, *how), 1
        except Wrong:
            raise failed from None
    return {**compared(dry, pqr, chains), 'pqr': '\n'.join(pqr), 'chains': chains, 'alternates': alternates, 'mended': mended}


def unknown(lines, before, words):
    """Lines of no known record, since a misspelt one lacks an atom: their number, the first one's, and its word."""
    there = [(i, line) for i, line in enumerate(lines, before + 1)
             if re.match(r'\s*[^\s#!;]', line) and re.match(r'\s*([A-Za-z]*)', line)[1].upper() not in words]
    at, line = there[0] if there else (0, ' -')
    return {'unknown': len(there), 'unknown_line': at, 'unknown_word': printable(line.split()[0])[:15]}


def main(name, field, ph, folder, words, every):
    chains, before = {}, 0
    lines = lines_of(name, chains)
    found = list(models(lines, every)) or [[]]
    for model in found if every else found[:1]:
        made = converted(model, chains, field, ph, folder)
        made.update(unknown(model if every else lines, before, words))
        made['left_out'] = 0 if every else sum(is_atom(line) for other in found[1:] for line in other)
        print(json.dumps(made), flush=True)
        before += len(model)


try:
    main(*sys.argv[1:5], sys.argv[5].split(), len(sys.argv) > 6)
except BrokenPipeError:
    os._exit(1)
except Exception as reason:
    text = ' '.join(str(getattr(reason, 'strerror', None) or reason).split()) or repr(reason)
    text = re.sub('^string:', ':', text)
    sys.stderr.buffer.write(os.fsencode('%s%s%s' % (sys.argv[1], '' if text.startswith(':') else ': ', text)))
    sys.exit(1)
