#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# snapshots.py PROGRAMS - binary files of bodies, as other programs write them, read by nbody's script; and by nbody
# itself, with what it tells and writes.
import gzip
import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

spec = importlib.util.spec_from_file_location('snapshot', Path(__file__).parent.parent / 'examples/nbody/snapshot.py')
snapshot = importlib.util.module_from_spec(spec)
try:
    spec.loader.exec_module(snapshot)  # perhaps this test again by another python3
    snapshot.need_h5py()
except SystemExit as missing:
    print('snapshots: skipped,', missing)
    sys.exit(os.environ.get('CLOPT_TEST_ALL') == '1')
import h5py
import numpy as np

NBODY = Path(sys.argv[1]).resolve() / 'nbody'
TIME, G, UNITS, SOFTENING, MIXED, SIGN, A, H, SCALE, COMOVING, TIMED = 1, 2, slice(3, 6), 6, 7, 8, 9, 10, slice(11, 17), 17, 18
failed = 0


def wrong(bad, *told):
    global failed
    if bad:
        failed += 1
        print('snapshots:', *told)


def refused(name, reason, data=None):
    try:
        snapshot.read(name, data)
        wrong(True, name, 'was read, in spite of:', reason)
    except snapshot.Wrong as e:
        wrong(reason not in str(e), e, '- not', reason)


def nbody(line, status, *words, given=None):
    done = subprocess.run([str(NBODY), *line.split()], input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    text = ' '.join(done.stdout.decode().split())
    wrong(done.returncode != status, 'nbody', line, 'ends with', done.returncode, text)
    for word in words:
        wrong(word not in text, 'nbody', line, 'prints no', word, text)


# ---- GADGET's binary formats

def binary(form, order, wide, first, files):
    """2 gas and 3 dark particles; those of gas have 0.25 each.  first: the number of the first."""
    def block(name, data):
        size = struct.pack(order + 'I', len(data))
        named = struct.pack(order + 'I4sII', 8, name, len(data) + 8, 8) if form == 2 else b''
        return named + size + data + size
    real = order + ('f8' if wide else 'f4')
    header = struct.pack(order + '6I6d2d2i6I2i4d2i6I', 2, 3, 0, 0, 0, 0, .25, 0, 0, 0, 0, 0, 1.5, 0, 0, 0,
                         2 * files, 3 * files, 0, 0, 0, 0, 0, files, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0).ljust(256, b'\0')
    return (block(b'HEAD', header) + block(b'POS ', (np.arange(15) + first).astype(real).tobytes()) +
            block(b'VEL ', (-np.arange(15.)).astype(real).tobytes()) +
            block(b'ID  ', (np.arange(5) + 1000 + first).astype(order + ('u8' if wide else 'u4')).tobytes()) +
            block(b'MASS', np.arange(10, 13).astype(real).tobytes()) + block(b'U   ', bytes(8)))


def gadget():
    for form in 1, 2:
        for order in '<', '>':
            for wide in False, True:
                data = binary(form, order, wide, 0, 1)
                Path('g').write_bytes(data)
                numbers, notes, body, velocity, ids, kinds, _ = snapshot.read('g')
                wrong(numbers[0] != 5 or numbers[TIME] != 1.5 or any(numbers[UNITS]) or notes, 'GADGET', form, order, wide, numbers, notes)
                wrong((body[:, :3] != np.arange(15).reshape(5, 3)).any() or (velocity[:, :3] != -np.arange(15).reshape(5, 3)).any() or
                      list(body[:, 3]) != [.25, .25, 10, 11, 12] or list(ids) != [1000, 1001, 1002, 1003, 1004] or
                      list(kinds) != [0, 0, 1, 1, 1], 'GADGET', form, order, wide, body, velocity, ids, kinds)
                for bad, reason in ((data[:-4], 'must end in its number of bytes'), (data[:264 + 16 * (form - 1)], '5 particles, but the file has none'),
                                    (data + bytes(4), 'must end in its number' if form == 1 else 'no name of a block'),
                                    (data.replace(struct.pack(order + '2I', 2, 3), struct.pack(order + '2I', 3, 3), 1),
                                     'has %d bytes: it must have 4 or 8 for each of 18 numbers' % (120 if wide else 60))):
                    refused('given', reason, bad)
    wrong(snapshot.open_part('given', b'') or snapshot.open_part('given', bytes(300)), 'bytes of zero are a snapshot')
    # nbody has its units; also of a compressed file, and of a pipe.
    for given, name in ((data, '-'), (gzip.compress(data), '-'), (None, 'g'), (None, 'g.gz')):
        Path('g.gz').write_bytes(gzip.compress(data))
        nbody('--steps 0 --out t --in ' + name, 0, "GADGET's are assumed (kpc, 1e10 solar masses, km/s, 0.978 Gyr), where g is 43009.2", given=given)
        wrong(Path('t').read_text().splitlines()[-1].split() != '12 13 14 -12 -13 -14 12'.split(), 'nbody reads', name, Path('t').read_text())
    nbody('--steps 0 --out t --units galactic --in g', 0, "converted from GADGET's (kpc, 1e10")
    wrong(abs(float(Path('t').read_text().split()[-1]) / 12e10 - 1) > 1e-12, 'nbody --units galactic writes', Path('t').read_text())
    # Any file leads to the others, which have to be there.
    for i in range(3):
        Path('s.%d' % i).write_bytes(binary(1, '<', False, 100 * i, 3))
    ids = snapshot.read('s.1')[4]  # gas of all files first
    wrong(list(ids) != [1000 + 100 * (i // 2) + i % 2 if i < 6 else 1002 + 100 * ((i - 6) // 3) + (i - 6) % 3 for i in range(15)], 's.1', ids)
    refused('given', 'one of 3 files of a snapshot: give it by its name', Path('s.1').read_bytes())
    Path('s.2').write_bytes(binary(1, '<', False, 0, 2))
    refused('s.1', 'a file of another snapshot than s.1')
    os.unlink('s.2')
    refused('s.1', 'this is one of 3 files of a snapshot; another is not there: s.2: No such file')


# ---- Tipsy

def write(*arrays, as_tipsy=False):
    given = iter(arrays)
    return snapshot.write(lambda *_: np.ravel(next(given)), as_tipsy)


def tipsy_file(order='>', dimensions=3, n=4, filler=4, wrong=None):
    """2 gas, 1 dark, 1 star.  wrong: the second's mass."""
    rows = [np.arange(floats) + 100 * i + 1. for i, floats in enumerate((12, 12, 9, 11))]
    for row, softening in zip(rows, (9, 9, 7, 9)):
        row[softening], row[-1] = .5, 0  # a potential is not kept
    rows[1][0] = wrong or rows[1][0]
    return struct.pack(order + 'd5i', 2.5, n, dimensions, 2, 1, 1) + bytes(filler) + np.concatenate(rows).astype(order + 'f4').tobytes()


def tipsy():
    for order in '>', '<':
        for filler in 4, 0:
            numbers, notes, body, velocity, ids, kinds, traits = snapshot.read('given', tipsy_file(order, filler=filler))
            first = 100 * np.arange(4)
            wrong(numbers[:2] != [4, 2.5] or numbers[SOFTENING] != .5 or numbers[A] != 0 or bool(notes) != (filler == 0) or
                  list(kinds) != [0, 0, 1, 4] or list(ids) != [1, 2, 3, 4] or (body != np.add.outer(first, [2, 3, 4, 1])).any() or
                  (velocity[:, :3] != np.add.outer(first, [5, 6, 7])).any(), 'tipsy', order, filler, numbers, notes, body, velocity)
            # What is written has the gas and stars that were read, with their properties, byte for byte.
            wrong(write([*numbers, 0], body, velocity, ids, kinds, traits, as_tipsy=True) != tipsy_file(), 'tipsy is written otherwise')
    velocity[1, 1] = 1e300
    try:
        wrong(write([*numbers, 0], body, velocity, ids, kinds, traits, as_tipsy=True), 'a float of 1e300')
    except snapshot.Wrong as e:
        wrong(str(e) != 'body 2 does not fit the floats of a tipsy file', e)
    for data, reason in ((tipsy_file(dimensions=2), 'given: a tipsy file of 2 dimensions'), (tipsy_file()[:32], 'has 32 bytes'),
                         (tipsy_file(n=5), '5 bodies, but 2 gas + 1 dark + 1 stars'), (tipsy_file('<')[:-1], 'but its 4 bodies take 208'),
                         (b'\xff\xff' + tipsy_file()[2:], 'the time in the tipsy header'),
                         (tipsy_file(wrong=-1), 'gas particle 2: the mass is negative'), (tipsy_file(wrong=np.nan), 'gas particle 2: a number')):
        refused('given', reason, data)
    # A byte 13 ends no line here, though no byte is 10.
    data = bytearray(tipsy_file())
    data[39] = 13
    wrong(b'\n' in data, 'there is a byte 10')
    nbody('--steps 0 --in - --out t', 0, 'units nbody, assumed', given=bytes(data))
    wrong(float(Path('t').read_text().splitlines()[-4].split()[0]) != 2 + 13 * 2 ** -22, Path('t').read_text())
    # If softenings differ, none is used, with a message, unless the command line has one.
    data[32 + 48 + 36:32 + 48 + 40] = struct.pack('>f', .25)
    wrong(snapshot.read('given', data)[0][SOFTENING:SIGN] != [-1, True], 'different softenings are one')
    nbody('--steps 1 --in -', 0, 'different softenings', given=bytes(data))
    # Four bytes too few are no filler that is missing, unless the first mass shows it.
    nbody('--model figure-eight --steps 0 --out e.tipsy', 0)
    data = Path('e.tipsy').read_bytes()
    for cut in range(1, 40):
        refused('given', '4 too few for its 3 bodies' if cut == 4 else '3 bodies take', data[:-cut])
    refused('given', '3 bodies take', data + bytes(4))
    wrong(list(snapshot.read('given', data[:28] + data[32:])[2][:, 3]) != [1, 1, 1], 'without a filler')


# ---- HDF5

def made(name, first=0.):
    """3 dark particles and 2 stars, as nbody writes them."""
    n = np.arange(15.).reshape(5, 3) + first
    body, velocity = np.column_stack((n, np.arange(10, 15))), np.column_stack((-n, np.zeros(5)))
    Path(name).write_bytes(write([5, .5, np.nan, 0, 0, 0, -1, 0, 0, 1, 0, 1, -1, .5, 0, 0, -1, 0, 0, 0], body, velocity,
                                 np.arange(1000, 1005, dtype='u8'), np.array([1, 1, 1, 4, 4], 'u1')))


def as_made(name, first=0., data=None):
    numbers, notes, body, velocity, ids, kinds, _ = snapshot.read(name, data)
    n = np.arange(15).reshape(5, 3) + first
    wrong((body[:, :3] != n).any() or (velocity[:, :3] != -n).any() or list(body[:, 3]) != [10, 11, 12, 13, 14] or
          list(kinds) != [1, 1, 1, 4, 4], name, 'is read as', body, velocity, kinds)
    return numbers, notes, ids


class edit(h5py.File):
    def __init__(self, name):
        super().__init__(name, 'r+')

    def tell(self, place, key, *values):
        self.require_group(place) if place not in self else None
        at = self[place].attrs
        at.create(key, np.array(values, float) if len(values) > 1 else float(values[0])) if values else at.pop(key)

    def replace(self, name, values, **how):
        del self[name]
        return self.create_dataset(name, data=values, **how)


MASSES = np.array([10., 11, 12])


def unwritten_chunk(f):
    del f['PartType1/Masses']
    f.create_dataset('PartType1/Masses', (3,), 'f8', chunks=(2,))[0] = 10


def unwritten(f):
    del f['PartType1/Masses']
    f.create_dataset('PartType1/Masses', (3,), 'f8')


def moved(*names):
    return lambda f: [f.move('PartType4/' + a, 'PartType4/' + b) for a, b in names]


def told(*rows):
    return lambda f: [f.tell(*row) for row in rows]


def dropped(*names):
    return lambda f: [f.__delitem__(name) for name in names]


def linked(name, to):
    def change(f):
        del f[name]
        f[name] = to
    return change


ROUNDED = ('Header', 'Redshift', -2.220446e-16)
TODAY = (ROUNDED, ('Header', 'Time', 1), ('Header', 'HubbleParam', .7))
# Each change of the file: its bodies as before, with a warning or none, or the reason against it.
CHANGES = (
    (moved(('Masses', 'Mass'), ('Velocities', 'Velocity')), None),
    (moved(('Masses', 'DynamicalMasses')), None),
    (told(('Header', 'NumPart_ThisFile', 0, 3, 0, 0, 2, 0, 0), ('Header', 'NumPart_Total', 0, 3, 0, 0, 2, 0, 0),
          ('Header', 'MassTable', 0, 0, 0, 0, 0, 0, 0)), None),
    (told(('Header', 'NumPart_ThisFile', 0, 3, 0, 0, 2, 0, 0, 0)), None),
    (told(ROUNDED), None),
    (lambda f: f.replace('PartType1/Masses', MASSES.reshape(3, 1).astype('>f4')), None),
    (lambda f: f.replace('PartType1/Masses', MASSES, chunks=(2,), shuffle=True, compression=4), None),
    (lambda f: f.replace('PartType1/ParticleIDs', np.array([1., 2, 3])), None),
    (told(('Header', 'Time')), 'the header has no Time'),
    (told(('Header', 'BoxSize', 100)), 'BoxSize is 100'),
    (dropped('PartType1/ParticleIDs'), '/PartType1 has no ParticleIDs'),
    (told(('Header', 'MassTable', 0, .5, 0, 0, 0, 0)), '!Masses has 10, but MassTable 0.5'),
    (dropped('PartType1/Velocities'), '!/PartType1 has no Velocities'),
    (dropped('PartType4/Masses'), '!/PartType4 has no Masses, and MassTable has none'),
    (dropped('PartType4'), '!no group /PartType4 for 2 particles'),
    (told(('Header', 'NumPart_ThisFile', 0, 9, 0, 0, 2, 0)), '!3 x 3 numbers in 2 dimensions: NumPart_ThisFile asks for 9 x 3'),
    (told(('Header', 'NumPart_ThisFile', 0, 3)), '!NumPart_ThisFile has none of type 4'),
    (told(('Header', 'NumPart_ThisFile'), ('Header', 'NumPart_Total')), '!/Header has no attribute NumPart_ThisFile'),
    (told(('Header', 'NumPart_ThisFile', 0, 3, 0, 0, 2, 0, 0, 1)), '!more than 7 numbers of NumPart_ThisFile'),
    (told(('Header', 'NumPart_ThisFile', 0, -3, 0, 0, 2, 0)), '!-3 particles of type 1'),
    (told(('Header', 'NumPart_ThisFile', 0, 0, 0, 0, 0, 0)), '!NumPart_ThisFile has none of type 1'),
    (unwritten, '!PartType1/Masses: its values were never written'),
    (unwritten_chunk, '!1 of its 2 chunks were never written'),
    (linked('PartType1/ParticleIDs', h5py.ExternalLink('none.hdf5', '/ids')), '!PartType1/ParticleIDs: it leads to a file or an object that is not'),
    (linked('PartType1/ParticleIDs', h5py.SoftLink('/PartType4/ParticleIDs')), '!PartType1/ParticleIDs: 2 x 1 numbers'),
    (lambda f: f.replace('PartType1/Masses', np.array([10, np.nan, 12])), '!particle 2 of type 1: a number is not finite'),
    (lambda f: f.replace('PartType4/Masses', np.array([10, -1.])), '!particle 2 of type 4: the mass is negative'),
    (lambda f: f.replace('PartType1/Masses', np.array([b'a', b'b', b'c'])), '!PartType1/Masses: libhdf5 cannot read its numbers'),
    (told(('Header', 'Redshift', -2)), '!redshift -2: it must be above -1'),
    (told(('Header', 'Time', np.inf)), '!the time is not finite'),
    (told(('Header', 'NumFilesPerSnapshot', 1e7)), '!1e+07 files: the number must be up to 1e6'),
    (told(('Parameters', snapshot.G, -1)), '!GravityConstantInternal is -1: it must be 0 or positive'),
    (lambda f: (f.replace('PartType4/ParticleIDs', np.array([1, 2 ** 63], 'u8')), f.replace('PartType1/ParticleIDs', np.array([1, -2, 3]))),
     '!some ParticleIDs are negative, others beyond 2^63'),
)


def changes():
    for change, warning in CHANGES:
        made('h')
        with edit('h') as f:
            change(f)
        if warning and warning[0] == '!':
            refused('h', warning[1:])
        else:
            notes = as_made('h')[1]
            wrong(len(notes) != bool(warning) or (warning and warning not in notes[0]), notes, '- not', warning)
    # A part of one is refused, as is one by a filter that is not there.
    made('h')
    data = Path('h').read_bytes()
    refused('given', 'libhdf5 cannot read it; it may be cut', data[:1500])
    as_made('given', 0, data)
    Path('h.gz').write_bytes(gzip.compress(data))
    as_made('h.gz')
    with edit('h') as f:
        f.replace('PartType1/Masses', MASSES, chunks=(3,), compression=4)
    Path('h').write_bytes(Path('h').read_bytes().replace(b'\x01\0\x08\0\x01\0\x01\0deflate\0', b'\x01\x7f\x08\0\x01\0\x01\0deflate\0'))
    refused('h', 'it is compressed by deflate (filter 32513), which libhdf5 lacks here')
    # Masses that a table has.
    made('h')
    with edit('h') as f:
        f.tell('Header', 'MassTable', 0, .25, 0, 0, 0, 0, 0)
        del f['PartType1/Masses']
    wrong(list(snapshot.read('h')[2][:, 3]) != [.25, .25, .25, 13, 14], 'masses of MassTable:', snapshot.read('h')[2])
    # One softening, none, or several.
    for soft, known, mixed in (([0, 0, 0, 0, 0], 0, False), ([.5] * 5, .5, False), ([.5, .5, .5, .5, .25], -1, True), ([-1] * 5, -1, False)):
        made('h')
        with edit('h') as f:
            f['PartType1/Softenings'][:], f['PartType4/Softenings'][:] = soft[:3], soft[3:]
        numbers = snapshot.read('h')[0]
        wrong(numbers[SOFTENING] != known or numbers[MIXED] != mixed, soft, 'is read as', numbers[SOFTENING], numbers[MIXED])


def units():
    """SWIFT's or GADGET's attributes, wherever these are."""
    swift, speed = (1e20, 3e40, 1e15), (1e20, 3e40, 1e5)
    for where, units, g in (
            ([('Units', dict(zip(snapshot.SWIFT, swift)))], swift, None),
            ([('Parameters', dict(zip(snapshot.GADGET, speed)))], swift, None),
            ([(place, dict(zip(snapshot.GADGET, speed))) for place in ('Header', 'Units')], swift, 0),
            ([('Units', dict(zip(snapshot.SWIFT, (1e20, -1, 1e15))))], (0, 0, 0), None), ([], (0, 0, 0), 7), ([], (0, 0, 0), 0)):
        made('h')
        with edit('h') as f:
            for place, values in where:
                f.require_group(place).attrs.update(values)
            if g is not None:
                f['Parameters'].attrs[snapshot.G] = float(g)
        numbers = snapshot.read('h')[0]
        got = np.nan if g is None or (g == 0 and where) else g
        wrong(not np.allclose(numbers[UNITS], units, 1e-12, 0) or not np.array_equal(numbers[G], got, equal_nan=True), where, numbers)


def written():
    """What nbody writes has the numbers, kinds, IDs and units that it read."""
    made('h')
    with edit('h') as f:
        f.replace('PartType1/ParticleIDs', np.array([-1, -2 ** 63, 5]))
        f.move('PartType4', 'PartType6')
        f.tell('Header', 'NumPart_ThisFile', 0, 3, 0, 0, 0, 0, 2)
        f['Parameters'].attrs.update(zip(snapshot.GADGET, (1e20, 3e40, 1e5)))
    nbody('--steps 0 --in h --softening 0.125 --out w.hdf5', 0)
    nbody('--steps 1 --in h --checkpoint c', 0)
    nbody('--steps 0 --in c --out v.hdf5', 0)
    numbers, notes, body, velocity, ids, kinds, _ = snapshot.read('w.hdf5')
    before = snapshot.read('h')
    wrong(any((a != b).any() for a, b in zip(before[2:], (body, velocity, ids, kinds))) or numbers[TIME] != .5 or numbers[SOFTENING] != .125 or
          not np.allclose(numbers[UNITS], (1e20, 3e40, 1e15), 1e-12) or abs(numbers[G] / (6.6743e-8 * 3e40 * 1e30 / 1e60) - 1) > 1e-12 or
          numbers[SIGN] != -1, 'nbody writes', numbers, body, ids, kinds)
    nbody('--steps 0 --n 20000 --out w.tipsy', 0)  # more than a pipe holds
    nbody('--steps 0 --n 20000 --out w3.hdf5', 0)
    for name in 'w.hdf5', 'v.hdf5':
        with h5py.File(name) as f:
            wrong(list(f['PartType1/ParticleIDs']) != [-1, -2 ** 63, 5] or len(f['PartType6/Masses']) != 2, name, 'has other IDs or types')
    nbody('--steps 0 --in h --out w2.hdf5 --softening 0.125', 0)
    wrong(Path('w.hdf5').read_bytes() != Path('w2.hdf5').read_bytes(), 'the same bodies are another file')
    # A redshift is refused, or numbers become physical by powers of a and h: GADGET's, or those that are told.
    for swift in False, True:
        made('h')
        with edit('h') as f:
            told(('Header', 'Redshift', 3), ('Header', 'Time', .25), ('Header', 'HubbleParam', .5))(f)
            if swift:
                told(('PartType1/Coordinates', 'a-scale exponent', 1), ('PartType1/Coordinates', 'h-scale exponent', 0),
                     ('PartType1/Velocities', 'a-scale exponent', 0), ('PartType1/Masses', 'h-scale exponent', 0))(f)
        nbody('--steps 0 --in h', 1, 'h: a cosmological snapshot, a = 0.25 (redshift 3), h = 0.5:', '--physical')
        nbody('--steps 0 --in h --physical --out t', 0, 'converted with a = 0.25, h = 0.5', 'the run begins at time 0')
        row = [float(x) for x in next(line for line in Path('t').read_text().splitlines() if line[0] != '#').split()]
        wrong(not np.allclose(row, [0, .25, .5, 0, -1, -2, 10] if swift else [0, .5, 1, 0, -.5, -1, 20], 1e-14, 1e-14), 'physical', swift, row)
    # Without a redshift h is in lengths, masses, and the time of a run that is not comoving.
    for rows, words in ((TODAY, 'a = 1, h = 0.7: lengths and masses stay in units over h'),
                        (TODAY + (('Parameters', 'ComovingIntegrationOn', 0),), 'HubbleParam is 0.7'),
                        ((('Cosmology', 'Cosmological run', 1), ('Cosmology', 'h', .68), ('Header', 'HubbleParam')),
                         'a cosmological snapshot, a = 1, h = 0.68')):
        made('h')
        with edit('h') as f:
            told(*rows)(f)
        nbody('--steps 0 --in h --out w.hdf5', 0, words)
        if rows == TODAY:  # a file that is written of it needs the same warning
            nbody('--steps 0 --in w.hdf5', 0, words)
    made('h')
    with edit('h') as f:
        told(('Header', 'Time', .25), ('Header', 'HubbleParam', .5))(f)
    nbody('--steps 0 --in h --physical', 0, 'the time by 2')
    nbody('--steps 0 --in - --physical', 1, 'has no scale factor', given=b'0 0 0 0 0 0 1\n')


def several():
    def part(name, first, empty=False):
        made(name, first)
        with edit(name) as f:
            told(('Header', 'NumFilesPerSnapshot', 2), ('Header', 'NumPart_Total', 0, 6, 0, 0, 4, 0))(f)
            if empty:
                f.tell('Header', 'NumPart_ThisFile', 0, 0, 0, 0, 0, 0)
                del f['PartType1'], f['PartType4']
    names = 'a.0.hdf5', 'a.1.hdf5', 'a.hdf5'
    part(names[0], 0)
    part(names[1], 100)
    part(names[2], 0, True)
    for name in names:
        numbers, notes, body, _, _, kinds, _ = snapshot.read(name)
        wrong(numbers[0] != 10 or list(body[[3, 6, 8], 0]) != [100, 9, 109] or kinds[5] != 1 or kinds[6] != 4 or numbers[TIME] != .5,
              name, 'is read as', body)
    nbody('--steps 0 --in -', 1, 'give it by its name', given=Path(names[0]).read_bytes())
    with edit(names[1]) as f:
        f.tell('Header', 'Time', .75)
    refused(names[0], 'a.1.hdf5: a file of another snapshot than a.0.hdf5')
    with edit(names[1]) as f:
        told(('Header', 'Time', .5), ('Header', 'NumPart_ThisFile', 0, 0, 0, 0, 2, 0))(f)
        del f['PartType1']
    refused(names[0], 'the files have 3 particles of type 1 too few for NumPart_Total')
    os.unlink(names[1])
    for name in names[0], names[2]:
        refused(name, 'a.1.hdf5: No such file')
    Path(names[1]).write_bytes(b'\0' * 300)
    refused(names[0], 'a.1.hdf5: a file of another format')


def elsewhere(folder):
    """Values in other files are those, or the file is refused: no fill values."""
    made('o', 7)
    made('h')
    with edit('h') as f:
        for name in 'PartType1', 'PartType4':
            linked(name, h5py.ExternalLink('o', '/' + name))(f)
    path = folder + '/h'
    as_made(path, 7)
    os.unlink('o')
    refused(path, '/PartType1')
    # One in the working directory is another file.
    os.mkdir('cwd')
    os.chdir('cwd')
    made('o', 7)
    refused(path, 'its values are in o, which is not beside the file')
    os.chdir('..')
    # External storage.
    made('h')
    Path('m').write_bytes(MASSES.tobytes())
    with edit('h') as f:
        del f['PartType1/Masses']
        f.create_dataset('PartType1/Masses', (3,), 'f8', external=[('m', 0, 24)])
    os.chdir('cwd')
    as_made(path)
    Path('../m').write_bytes(MASSES.tobytes()[:-1])
    refused(path, 'which has 23 bytes of 24')
    os.unlink('../m')
    refused(path, 'which is not there')
    os.chdir('..')
    # Two parts of a data set of another file, or one.
    made('o')
    for whole in False, True:
        made('h')
        layout = h5py.VirtualLayout((3,), 'f8')
        source = h5py.VirtualSource('o', 'PartType1/Masses', (3,))
        layout[:2] = source[:2]
        if whole:
            layout[2:] = source[2:]
        with edit('h') as f:
            del f['PartType1/Masses']
            f.create_virtual_dataset('PartType1/Masses', layout)
        as_made(path) if whole else refused(path, '1 of its values are in no file')
    refused('given', 'its values are in other files: give the file by its name', Path('h').read_bytes())
    made('o')
    with edit('o') as f:
        f.replace('PartType1/Masses', MASSES[:2])
    refused(path, 'is smaller than the part of it that is asked for')
    with edit('o') as f:
        f.move('PartType1/Masses', 'PartType1/Mass')
    refused(path, 'which has no such data set')
    os.unlink('o')
    refused(path, 'which is not there')


def names():
    """A line's end in a name: each warning is still one line."""
    made('h')
    os.rename('h', 'a\nb')
    done = subprocess.run([str(NBODY), '--steps', '1', '--json', '--in', 'a\nb'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    told = done.stderr.splitlines()
    wrong(done.returncode or not told or any(not line.startswith('nbody: warning: a?b: ') for line in told) or
          json.loads(done.stdout)['warnings'] != [line[16:] for line in told], 'a name of two lines', done)
    os.unlink('a\nb')


with tempfile.TemporaryDirectory() as folder:
    folder = os.path.realpath(folder)
    os.chdir(folder)
    gadget()
    tipsy()
    changes()
    units()
    names()
    written()
    several()
    elsewhere(folder)
    os.chdir('/')
sys.exit(failed != 0)
