# SPDX-License-Identifier: MIT
"""snapshot.py - binary files of bodies for nbody, which runs this text by python3 -c.

read NAME: the file; receive NAME: the standard input, which has this name in messages; hdf5, tipsy: bodies from the
standard input as such a file; try hdf5, try tipsy: whether that can be written.  The result goes to the standard output, or the reason against it to the standard error.

HDF5: /Header has the attributes of GADGET, and /PartType0 to /PartType6 the particles of a type: Coordinates and
Velocities (a row each), Masses, unless MassTable has one for all, ParticleIDs, and Softenings (SWIFT's name); EAGLE and
SWIFT have other names of some.  /Units has SWIFT's units in cgs, or GADGET's, which may also be attributes of
/Parameters and /Header; /Parameters may have GADGET's GravityConstantInternal, which is all that bodies without units
have.

GADGET's binary files, SnapFormat 1 and 2: blocks stand between two 4-byte numbers, the bytes of the block: the header
with 256, POS, VEL, ID, MASS of those whose type has none in the header, and others, which are not needed.  In format 2 a
block of 8 bytes before each has its name; in format 1 the order tells it.  Numbers are floats or doubles, IDs have 4 or
8 bytes, as the size of the block says; the first size also says the order of bytes.

Tipsy: a header with the time, a double, and six ints: bodies, dimensions, gas, dark, stars and a filler.  Then the
particles, gas first, all floats.  The standard order of bytes is XDR's, big endian; files that a PC wrote as its memory
has them are little endian.  Some lack the filler, which is 0; their first mass stands there, above 0.  Other properties
of gas and stars are kept; a potential of 0 is written, and types of particles that tipsy does not know are dark.

Part k of NAME.hdf5 is NAME.k.hdf5, and of NAME it is NAME.k.  Any of the parts, or a summary without particles under the
name without k, leads to all of them.

Sources: GADGET-2's user guide, section 6; GADGET-4's and SWIFT's documentation of snapshots.
"""
import sys
sys.path = [p for p in sys.path if p]  # no modules of the working directory
import gzip
import io
import os
import re
import struct

SYSTEM = os.environ.pop('SYSTEM_PYTHON', None)  # by again()
HDF5 = b'\x89HDF\r\n\x1a\n'
TYPES = 7  # GADGET's six, and SWIFT's neutrinos
SWIFT = ('Unit length in cgs (U_L)', 'Unit mass in cgs (U_M)', 'Unit time in cgs (U_t)')
GADGET = ('UnitLength_in_cm', 'UnitMass_in_g', 'UnitVelocity_in_cm_per_s')
G = 'GravityConstantInternal'
# Names of SWIFT, EAGLE and GADGET-4 for the powers of a and h that make values physical.
EXPONENTS = (('a-scale exponent', 'h-scale exponent'), ('aexp-scale-exponent', 'h-scale-exponent'), ('a_scaling', 'h_scaling'))
NAMES = (('Coordinates',), ('Velocities', 'Velocity'), ('Masses', 'Mass', 'DynamicalMasses'), ('Softenings',), ('ParticleIDs',))


FAULTS = KeyError, OSError, RuntimeError, TypeError, ValueError  # of h5py


class Wrong(Exception):
    pass


class Part:
    """A file of a snapshot: particles of each type in it and in all files, and what else its header has."""
    def __init__(self, name):
        self.name, self.notes, self.units, self.g = name, [], (0, 0, 0), np.nan
        self.scale = [[1., -1.], [.5, 0.], [0., -1.]]  # powers of a and h in lengths, velocities, masses: GADGET's
        self.comoving = -1  # 1: the file says that space expands, 0: that it does not, -1: nothing

        self.label, self.traits = 'particle %d of type %d', {}

    def wrong(self, text, *values):
        return Wrong(self.name + ': ' + (text % values if values else text))


def filled(values):
    return np.append(values, np.zeros(TYPES))[:TYPES]


class Hdf5(Part):
    def __init__(self, name, data, path):
        super().__init__(name)
        need_h5py()
        try:
            self.file = h5py.File(path, 'r') if path else h5py.File(h5py.h5f.open_file_image(data))
        except FAULTS:
            raise self.wrong('libhdf5 cannot read it; it may be cut') from None
        self.path = os.fsencode(path) if path else None
        table = {}
        for key in 'NumPart_ThisFile', 'NumPart_Total', 'NumPart_Total_HighWord', 'MassTable':
            values = self.values('Header', key)
            if np.any(values[TYPES:] != 0) or len(values) > 2 * TYPES:  # swiftsimio writes a place more
                raise self.wrong('/Header has more than %d numbers of %s', TYPES, key)
            table[key] = filled(values)
            if key == 'NumPart_Total' and not len(values) + len(self.values('Header', 'NumPart_ThisFile')):
                raise self.wrong('/Header has no attribute NumPart_ThisFile of up to %d numbers', TYPES)
        self.count, self.total, high, self.mass = table.values()
        self.total += 2. ** 32 * high
        self.time = self.number(np.nan, ('Header', 'Time'))
        self.redshift = self.number(0, ('Header', 'Redshift'))
        self.hubble = self.number(0, ('Header', 'HubbleParam'), ('Parameters', 'HubbleParam'), ('Cosmology', 'h'))
        self.files = self.number(1, ('Header', 'NumFilesPerSnapshot'))
        self.box = self.number(0, ('Header', 'BoxSize'))
        self.comoving = self.number(-1, ('Cosmology', 'Cosmological run'), *((o, 'ComovingIntegrationOn') for o in ('Parameters', 'Header')))
        if self.three('Units', SWIFT):
            self.scale = [[1., 0.], [0., 0.], [0., 0.]]
        self.empty = not any(n > 0 and 'PartType%d' % k in self.file for k, n in enumerate(self.count))
        for k, n in enumerate(self.count):
            untold = self.file.get('PartType%d/Coordinates' % k) if n == 0 else None
            if untold is not None and len(untold.shape) and untold.shape[0]:
                raise self.wrong('/PartType%d has particles, but NumPart_ThisFile has none of type %d', k, k)
        self.ask_units()

    def values(self, place, key):
        """The numbers of an attribute; none if there are none."""
        try:
            return np.atleast_1d(np.asarray((self.file[place] if isinstance(place, str) else place).attrs[key], float)).ravel()
        except FAULTS:
            return np.zeros(0)

    def number(self, without, *places):
        for place, key in places:
            values = self.values(place, key)
            if 0 < len(values) <= 8:
                return float(values[0])
        return without

    def three(self, place, keys):
        values = [self.values(place, key) for key in keys]
        return [v[0] for v in values] if all(len(v) == 1 and 0 < v[0] < np.inf for v in values) else None

    def ask_units(self):
        found = self.three('Units', SWIFT)
        for place in 'Units', 'Parameters', 'Header':
            if not found and (found := self.three(place, GADGET)):
                found[2] = found[0] / found[2]  # a length over a speed is a time
        g = self.values('Parameters', G)
        if len(g) == 1 and not 0 <= g[0] < np.inf:
            raise self.wrong('%s is %g: it must be 0 or positive', G, g[0])
        self.units = found or self.units
        if len(g) == 1 and (g[0] > 0 or not found):  # with units, 0 is GADGET's word for theirs
            self.g = g[0]

    def data(self, group, keys, rows, columns, power):
        """Numbers of a type's particles under the first of the names that is there, or None; and their powers of a, h."""
        key = next((key for key in keys if group.id.links.exists(key.encode())), None)
        if not key:
            return None
        try:
            access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
            access.set_efile_prefix(b'${ORIGIN}')
            data = h5py.Dataset(h5py.h5d.open(group.id, key.encode(), access))
            shape = data.shape or ()
            size = (shape + (1,))[:2] if 1 <= len(shape) <= 2 else (0, 1)
            if size != (rows, columns):
                raise Wrong('%d x %d numbers in %d dimensions: NumPart_ThisFile asks for %d x %d' % (*size, len(shape), rows, columns))
            elsewhere(data.id, self)
            values = data[()]
            if values.dtype.kind not in 'biuf':
                raise TypeError
        except Wrong as e:
            raise self.wrong('%s/%s: %s', group.name, key, e) from None
        except KeyError:
            raise self.wrong('%s/%s: it leads to a file or an object that is not there', group.name, key) from None
        except FAULTS:
            raise self.wrong('%s/%s: %s', group.name, key, unreadable(data.id)) from None
        for i, name in ((i, name) for pair in EXPONENTS for i, name in enumerate(pair)):
            told = self.values(data, name)
            if power and len(told) == 1:
                power[i] = told[0]
        if power and self.values(data, 'Value stored as physical').any():
            power[:] = 0, 0
        return values.reshape(rows, columns)

    def particles(self, kind):
        n, common, name = int(self.count[kind]), self.mass[kind], '/PartType%d' % kind
        try:
            group = self.file[name]
        except FAULTS:
            raise self.wrong('no group %s for %d particles, or it leads to a file that is not there', name, n) from None
        x, v, m, soft, ids = (self.data(group, NAMES[i], n, 3 if i < 2 else 1, self.scale[i] if i < 3 else None) for i in range(5))
        if x is None or v is None or (m is None and common == 0):
            raise self.wrong('%s has no %s', name, 'Coordinates' if x is None else 'Velocities' if v is None else
                             'Masses, and MassTable has none')
        if ids is None:
            self.notes.append('%s: %s has no ParticleIDs: its bodies are numbered' % (self.name, name))
        elif ids.dtype.kind != 'u':
            ids = ids.astype('i8')
        m = np.full((n, 1), common) if m is None else m.astype(float)
        far = np.flatnonzero(np.abs(m - common) > 1e-5 * abs(common)) if common else ()
        if len(far):
            raise self.wrong('%s, particle %d: Masses has %g, but MassTable %g: one of them must go', name, far[0] + 1, m[far[0], 0], common)
        return x, v, m, soft, ids


# ---- Values of HDF5's data sets that are in other files, or nowhere.  For values that are not there, libhdf5 gives fill
# values without a word.  It looks for other files also in the working directory.  Here they have to be beside the file that
# names them, or have a whole path.

def elsewhere(data, part):
    """Raises Wrong unless all values of the data set are there, in the snapshot's file or in others beside it."""
    create = data.get_create_plist()
    if not part.path and (create.get_layout() == h5py.h5d.VIRTUAL or create.get_external_count() or
                          h5py.h5f.get_name(data) != h5py.h5f.get_name(part.file.id)):
        raise Wrong('its values are in other files: give the file by its name, not compressed')
    if part.path:
        astray(data, part.path)
    complete(data, 0)


def astray(data, path):
    """An external link found its file in the working directory: only there libhdf5 gives no whole path."""
    own = h5py.h5f.get_name(data)
    if not own.startswith(b'/') and own != path:
        raise Wrong('its values are in %s, which is not beside the file' % os.fsdecode(own))


def complete(data, depth):
    create = data.get_create_plist()
    if depth > 8:
        raise Wrong('its values lead from file to file')
    if create.get_layout() == h5py.h5d.VIRTUAL:
        return sources(data, create, depth)
    if create.get_external_count():
        return outside(data, create)
    # The status counts bytes, and is wrong where these are compressed.
    if create.get_layout() == h5py.h5d.CHUNKED:
        chunks = int(np.prod([-(-n // c) for n, c in zip(data.shape, create.get_chunk())]))
        found = data.get_num_chunks()
        if found < chunks:
            raise Wrong('%d of its %d chunks were never written' % (chunks - found, chunks) if found else 'its values were never written')
    elif data.get_space_status() != h5py.h5d.SPACE_STATUS_ALLOCATED:
        raise Wrong('its values were never written')


def beside(data, name):
    return os.path.join(os.path.dirname(os.fsdecode(h5py.h5f.get_name(data))), os.fsdecode(name))


def outside(data, create):
    """External storage: bytes of other files."""
    left = int(np.prod(data.shape)) * data.dtype.itemsize
    for i in range(create.get_external_count()):
        name, offset, size = create.get_external(i)
        path, size = beside(data, name), min(size, left)  # it may be unlimited
        left -= size
        try:
            have = os.stat(path).st_size
        except OSError:
            raise Wrong('its values are in the file %s, which is not there' % path) from None
        if size and have < offset + size:
            raise Wrong('its values are in the file %s, which has %d bytes of %d' % (path, have, offset + size))
    if left:
        raise Wrong('its other files have too few bytes for it')


def sources(data, create, depth):
    """A virtual data set: each of its elements has to be in a part of another."""
    left = data.get_space().copy()
    left.select_hyperslab((0,) * len(data.shape), data.shape)
    missing = left.get_select_npoints()
    for i in range(create.get_virtual_count()):
        source(data, create, i, depth)
        part = create.get_virtual_vspace(i)
        if part.get_select_type() == h5py.h5s.SEL_ALL:
            missing = 0
        elif missing and not part.is_regular_hyperslab():  # libhdf5 1.10 crashes in H5Scombine_select
            raise Wrong('its parts in other files are no regular ones')
        elif missing:
            start, stride, count, block = part.get_regular_hyperslab()
            left.select_hyperslab(start, count, stride, block, h5py.h5s.SELECT_NOTB)
            missing = left.get_select_npoints()
    if missing:
        raise Wrong('%d of its values are in no file' % missing)


def source(data, create, i, depth):
    """What a virtual data set takes from another, which has to have it."""
    name, key = create.get_virtual_filename(i), create.get_virtual_dsetname(i)
    if '%' in name + key:
        raise Wrong('its values are in files by the pattern %s: make one data set of them' % name)
    path = beside(data, name)
    try:
        file = h5py.h5i.get_file_id(data) if name == '.' else h5py.h5f.open(os.fsencode(path), h5py.h5f.ACC_RDONLY)
    except FAULTS:
        raise Wrong('its values are in the file %s, which is not there, or not HDF5' % path) from None
    try:
        other = h5py.h5d.open(file, key.encode())
    except KeyError:
        raise Wrong('its values are in %s of the file %s, which has no such data set' % (key, path)) from None
    if name != '.':
        astray(other, os.fsencode(path))
    space = create.get_virtual_srcspace(i)
    if space.get_select_type() == h5py.h5s.SEL_ALL:
        if np.prod(other.shape) != create.get_virtual_vspace(i).get_select_npoints():
            raise Wrong('%s of the file %s has another size than its part here' % (key, path))
    else:
        end = space.get_select_bounds()[1]
        if len(end) != len(other.shape) or any(e >= n for e, n in zip(end, other.shape)):
            raise Wrong('%s of the file %s is smaller than the part of it that is asked for' % (key, path))
    complete(other, depth + 1)


def unreadable(data):
    create = data.get_create_plist()
    for i in range(create.get_nfilters()):
        code, _, _, name = create.get_filter(i)
        if not h5py.h5z.filter_avail(code):
            return ('it is compressed by %s (filter %d), which libhdf5 lacks here; h5repack -f GZIP=1 helps where it is '
                    'installed' % (name.decode(errors='replace'), code))
    return 'libhdf5 cannot read its numbers'


# ---- GADGET's binary files

def first_size(data):
    """The order of bytes, and the first size: 256, or 8 in format 2; else None."""
    for order in '<', '>':
        size = int(np.frombuffer(data, order + 'u4', 1)[0]) if len(data) >= 264 else 0
        if size in (8, 256) and np.frombuffer(data, order + 'u4', 1, 4 + size)[0] == size:
            return order, size


class Binary(Part):
    def __init__(self, name, data, path):
        super().__init__(name)
        self.data, self.block = data, {}
        self.order, size = first_size(data)
        at, first, label, order = 0, True, 'HEAD', iter(('POS ', 'VEL ', 'ID  ', 'MASS'))
        while at < len(data):
            if size == 8:
                begin, at_block, n = self.next(at)
                if not n == 8:
                    raise self.wrong("byte %d: no name of a block of GADGET's format 2", at)
                label, at = data[begin:begin + 4].decode('latin-1'), at_block
            elif not first:
                label = next(order, '')
            begin, end, n = self.next(at)
            if n is None:
                raise self.wrong('byte %d: a block must end in its number of bytes, as it begins; the file is cut or has '
                                 'bytes too many', at)
            if first and (n != 256 or label != 'HEAD'):
                raise self.wrong('the header must have 256 bytes')
            if first:
                self.header(begin)
            elif label in ('POS ', 'VEL ', 'ID  ', 'MASS') and (size == 8 or label != 'MASS' or self.own.sum()):
                self.sized(label, begin, n)
            at, first = end, False
        self.empty = not self.block
        for label in 'POS ', 'VEL ', 'MASS':
            if self.block and label not in self.block and (label != 'MASS' or self.own.sum()):
                raise self.wrong('the file has no block %s', label)

    def next(self, at):
        """Where the bytes of the block at this byte begin, where the next block does, and their number, or None."""
        left = len(self.data) - at
        n = int(self.get('u4', at)[0]) if left >= 8 else left
        whole = n <= left - 8 and self.get('u4', at + 4 + n)[0] == n
        return at + 4, at + n + 8, n if whole else None

    def get(self, kind, at, n=1):
        return np.frombuffer(self.data, self.order + kind, n, at)

    def header(self, at):
        self.count = filled(self.get('u4', at, 6))
        self.mass = filled(self.get('f8', at + 24, 6))
        self.total = filled(self.get('u4', at + 96, 6) + 2. ** 32 * self.get('u4', at + 168, 6))
        self.time, self.redshift = self.get('f8', at + 72, 2)
        self.files = float(self.get('u4', at + 124)[0])
        self.box, _, _, self.hubble = self.get('f8', at + 128, 4)
        self.own = np.where(self.mass == 0, self.count, 0)

    def sized(self, label, begin, n):
        want = int((self.own if label == 'MASS' else self.count).sum()) * (3 if label in ('POS ', 'VEL ') else 1)
        if n not in (4 * want, 8 * want):
            raise self.wrong('block %s has %d bytes: it must have 4 or 8 for each of %d numbers', label, n, want)
        self.block[label] = self.get(('u' if label == 'ID  ' else 'f') + ('4' if n == 4 * want else '8'), begin, want)

    def particles(self, kind):
        n, at, own = int(self.count[kind]), int(self.count[:kind].sum()), int(self.own[:kind].sum())
        x, v = (self.block[label].reshape(-1, 3)[at:at + n] for label in ('POS ', 'VEL '))
        m = np.full(n, self.mass[kind]) if self.mass[kind] else self.block['MASS'][own:own + n]
        ids = self.block['ID  '][at:at + n] if 'ID  ' in self.block else None
        if ids is None:
            self.notes.append('%s: type %d has no IDs: its bodies are numbered' % (self.name, kind))
        return x, v, m.reshape(-1, 1), None, ids


# ---- Tipsy

# Floats of a particle begin with mass, x, y, z, vx, vy, vz.  By type: the name, all floats, the place of the softening,
# and those of what is kept: density, temperature and metals; metals and time of formation.
TIPSY = {0: ('gas', 12, 9, (7, 8, 10)), 1: ('dark', 9, 7, ()), 4: ('star', 11, 9, (7, 8))}


def tipsy_header(data):
    """The order of bytes, and the header.  A small number of dimensions has zero bytes, which no text has."""
    for order in '>', '<':
        if len(data) >= 28 and 1 <= struct.unpack_from(order + 'I', data, 12)[0] <= 3:
            return order, struct.unpack_from(order + 'd5I', data)


class Tipsy(Part):
    def __init__(self, name, data, path):
        super().__init__(name)
        self.order, (self.time, n, dimensions, *count) = tipsy_header(data)
        size = 4 * sum(c * floats for c, (_, floats, _, _) in zip(count, TIPSY.values()))
        if dimensions != 3:
            raise self.wrong('a tipsy file of %d dimensions: there must be 3', dimensions)
        if sum(count) != n:
            raise self.wrong('the tipsy header has %d bodies, but %d gas + %d dark + %d stars', n, *count)
        if n == 0:
            raise self.wrong('the file has no bodies')
        if not np.isfinite(self.time):
            raise self.wrong('the time in the tipsy header is not finite')
        if len(data) == 28 + size and data[28:32] != bytes(4):
            self.notes = [name + ': the tipsy header has no filler, so 28 bytes']
        elif len(data) == 28 + size:
            raise self.wrong('the tipsy file has %d bytes, 4 too few for its %d bodies: it is cut, or has no filler, but then '
                             'its first mass must not be 0', len(data), n)
        elif len(data) != 32 + size:
            raise self.wrong('the tipsy file has %d bytes, but its %d bodies take %d', len(data), n, 32 + size)
        self.data, self.at, self.label = data, len(data) - size, {k: row[0] + ' particle %d' for k, row in TIPSY.items()}
        self.count = filled([count[0], count[1], 0, 0, count[2]])
        self.total, self.scale = self.count, 3 * [[0., 0.]]
        self.files = self.redshift = self.hubble = self.box = self.empty = 0

    def particles(self, kind):
        _, floats, softening, kept = TIPSY[kind]
        n = int(self.count[kind])
        rows = np.frombuffer(self.data, self.order + 'f4', n * floats, self.at).reshape(n, floats)
        self.at += rows.nbytes
        self.traits[kind] = rows[:, kept]
        return rows[:, 1:4], rows[:, 4:7], rows[:, :1], rows[:, softening:softening + 1], None


# ---- What the layouts have in common: several files, and cosmology

def open_part(name, data=None):
    path = None
    if data is None:
        try:
            with open(name, 'rb') as f:
                data, path = f.read(), name
            if data[:2] == b'\x1f\x8b':
                data, path = gzip.decompress(data), None
        except (OSError, EOFError) as e:
            raise Wrong('%s: %s' % (name, getattr(e, 'strerror', None) or e)) from None
    if data.startswith(HDF5):
        part = Hdf5(name, data, path)
    elif first_size(data):
        part = Binary(name, data, path)
    elif tipsy_header(data):
        part = Tipsy(name, data, path)
    else:
        return None
    for kind, (count, total) in enumerate(zip(part.count, part.total)):
        if not (0 <= count <= 1e12 and 0 <= total <= 1e12):
            raise part.wrong('%g particles of type %d, %g in all files: numbers must be from 0 to 1e12', count, kind, total)
    if not -1 < part.redshift < np.inf:
        raise part.wrong('redshift %g: it must be above -1', part.redshift)
    if np.isinf(part.time):
        raise part.wrong('the time is not finite')
    if not 0 <= part.files <= 1e6:
        raise part.wrong('%g files: the number must be up to 1e6', part.files)
    return part


def need_particles(part):
    """A summary may have a header alone, a part may not."""
    if part.empty and part.count.sum():
        raise part.wrong('the header has %g particles, but the file has none', part.count.sum())


def part_name(name, files, k):
    """The name of a part from that of any part, or of the summary."""
    folder, slash, base = name.rpartition('/')
    found = [m for m in re.finditer(r'\.(\d+)(?=\.|$)', base) if int(m[1]) < files]
    dot = base.rfind('.')
    cut, rest = (found[-1].start(), found[-1].end()) if found else (dot, dot) if dot >= 0 else (len(base),) * 2
    return '%s%s%s.%d%s' % (folder, slash, base[:cut], k, base[rest:])


def parts(told):
    """All files of the snapshot, one after the other."""
    for k in range(int(told.files)):
        name = part_name(told.name, told.files, k)
        try:
            os.stat(name)
        except OSError as e:
            raise told.wrong('this is one of %g files of a snapshot; another is not there: %s: %s', told.files, name, e.strerror) from None
        part = open_part(name)
        if type(part) is not type(told):
            raise Wrong('%s: a file of another format than %s' % (name, told.name))
        need_particles(part)
        first = part if k == 0 else first
        if (part.files != told.files or np.any(part.total != told.total) or part.redshift != first.redshift or
                not np.array_equal([part.time], [first.time], equal_nan=True)):
            raise Wrong('%s: a file of another snapshot than %s' % (name, told.name))
        yield part


def read(name, data=None):
    """The numbers as in snapshot.c, the notes, and arrays of bodies, velocities, IDs and types."""
    told = open_part(name, data)
    if not told:
        raise Wrong(name + ': this is no file of bodies: no format of snapshots begins so')
    # A summary may have all particles.
    alone = told.files <= 1 or (not told.empty and np.array_equal(told.count, told.total))
    if not alone and data is not None:
        raise told.wrong('this is one of %g files of a snapshot: give it by its name, as the others stand beside it', told.files)
    total = (told.count if alone else told.total).astype(int)
    n, end = int(total.sum()), np.cumsum(total)
    if n == 0:
        raise told.wrong('the file has no bodies')
    if alone:
        need_particles(told)
    body, velocity, ids, soft, kinds = np.empty((n, 4)), np.zeros((n, 4)), np.empty(n, 'u8'), np.full(n, np.nan), np.empty(n, 'u1')
    traits = np.zeros((n, 3), 'f4')
    at, first, sign, notes = end - total, None, 0, []
    for part in [told] if alone else parts(told):
        if first is None:
            first = part
            if np.isnan(part.time):
                notes.append('%s: the header has no Time: the run begins at 0' % part.name)
            if part.box > 0:
                notes.append('%s: BoxSize is %g: the box does not repeat here' % (part.name, part.box))
        for kind in range(TYPES):
            count = int(part.count[kind])
            if count > end[kind] - at[kind]:
                raise part.wrong('more particles of type %d than NumPart_Total', kind)
            if not count:
                continue
            x, v, m, s, i = part.particles(kind)
            here = slice(at[kind], at[kind] + count)
            at[kind] += count
            body[here, :3], body[here, 3:], velocity[here, :3], kinds[here] = x, m, v, kind
            bad = ~np.isfinite(body[here]).all(1) | ~np.isfinite(velocity[here]).all(1)
            if (bad | (body[here, 3] < 0)).any():
                k = np.argmax(bad | (body[here, 3] < 0))
                label = part.label[kind] % (k + 1) if part.traits else part.label % (k + 1, kind)
                raise part.wrong('%s: %s', label, 'a number is not finite' if bad[k] else 'the mass is negative')
            if kind in part.traits:
                traits[here, :part.traits[kind].shape[1]] = part.traits[kind]
            if s is not None:
                soft[here] = np.nan_to_num(s[:, 0], nan=-2.)
            if i is None:
                ids[here] = np.arange(here.start + 1, here.stop + 1)
                continue
            ids[here] = i.astype('u8').ravel()
            if (ids[here] >= 2 ** 63).any():
                if sign == (1 if i.dtype.kind == 'i' else -1):
                    raise part.wrong('some ParticleIDs are negative, others beyond 2^63')
                sign = -1 if i.dtype.kind == 'i' else 1
        notes += part.notes
        part.notes, first.scale = [], part.scale
    for kind in np.flatnonzero(at != end):
        raise told.wrong('the files have %d particles of type %d too few for NumPart_Total', end[kind] - at[kind], kind)
    known = soft[~np.isnan(soft)]
    softening = soft[0] if 0 <= soft[0] <= 1e18 else -1  # not known; also if it is NaN
    mixed = bool((known != softening).any())
    a = 0 if isinstance(first, Tipsy) else 1 if abs(first.redshift) <= 1e-6 else 1 / (1 + first.redshift)
    time = 0 if np.isnan(first.time) else first.time
    timed = abs(time - a) <= 1e-6
    comoving = a not in (0, 1) or first.comoving > 0 or (first.comoving < 0 and timed and first.hubble > 0 and first.hubble != 1)
    numbers = [n, time, first.g, *first.units, -1 if mixed else softening, mixed, sign, a, first.hubble,
               *np.ravel(first.scale), comoving, timed]
    return numbers, notes, body, velocity, ids, kinds, traits


# ---- Writing

def write(given, as_tipsy=False):
    """The file of the numbers and arrays that nbody gives."""
    n, time, g, length, mass, seconds, softening, _, sign, _, h, *scale = given(20)[:17]
    body, velocity = given(4 * int(n)).reshape(-1, 4), given(4 * int(n)).reshape(-1, 4)
    ids, kinds = given(int(n), 'u8'), given(int(n), 'u1')
    if as_tipsy:
        return tipsy(n, time, max(softening, 0.), body, velocity, kinds, given(3 * int(n), 'f4').reshape(-1, 3))
    count = np.bincount(kinds, minlength=TYPES)
    count = count if count[6] else count[:6]
    h = h if h > 0 and (scale[1] or scale[5]) else 1  # in whose units lengths or masses still are
    image = io.BytesIO()
    with h5py.File(image, 'w') as file:
        header, parameters = file.create_group('Header'), file.create_group('Parameters')
        for key, values, kind in (
                ('NumPart_ThisFile', count, 'i4'), ('NumPart_Total', count, 'u4'), ('NumPart_Total_HighWord', 0 * count, 'u4'),
                ('MassTable', 0 * count, 'f8'), ('Time', time, 'f8'), ('Redshift', 0, 'f8'), ('BoxSize', 0, 'f8'), ('Omega0', 0, 'f8'),
                ('OmegaLambda', 0, 'f8'), ('HubbleParam', h, 'f8'), ('NumFilesPerSnapshot', 1, 'i4'),
                ('Dimension', 3, 'i4'), ('Flag_DoublePrecision', 1, 'i4'),
                *(('Flag_' + flag, 0, 'i4') for flag in ('Sfr', 'Cooling', 'StellarAge', 'Metals', 'Feedback'))):
            header.attrs.create(key, values, dtype=kind)
        if g >= 0:
            parameters.attrs[G] = g
        if length > 0:  # by SWIFT's names and by GADGET's, for which programs look in both groups
            units = file.create_group('Units')
            for group in parameters, units:
                group.attrs.update(zip(GADGET, (length, mass, length / seconds)))
            units.attrs.update(zip(SWIFT, (length, mass, seconds)))
            units.attrs.update({'Unit current in cgs (U_I)': 1., 'Unit temperature in cgs (U_T)': 1.})
        for kind in np.flatnonzero(count):
            these, group = kinds == kind, file.create_group('PartType%d' % kind)
            for i, values in enumerate((body[these, :3], velocity[these, :3], body[these, 3])):
                data = group.create_dataset(NAMES[i][0], data=values)
                if h != 1:
                    data.attrs.update(zip(EXPONENTS[0], scale[2 * i:2 * i + 2]))
            group['Softenings'] = np.full(count[kind], max(softening, 0.))
            group['ParticleIDs'] = ids[these].astype('i8' if sign < 0 else 'u8')
    return image.getvalue()


def tipsy(n, time, softening, body, velocity, kinds, traits):
    kinds = np.where(np.isin(kinds, list(TIPSY)), kinds, 1)
    count = [np.count_nonzero(kinds == kind) for kind in TIPSY]
    parts = [struct.pack('>d6i', time, int(n), 3, *count, 0)]
    for kind, (_, floats, place, kept) in TIPSY.items():
        these = np.flatnonzero(kinds == kind)
        rows = np.zeros((len(these), floats))
        rows[:, 0], rows[:, 1:4], rows[:, 4:7], rows[:, place] = body[these, 3], body[these, :3], velocity[these, :3], softening
        rows[:, kept] = traits[these, :len(kept)]
        far = ~(np.abs(rows) <= np.finfo('f4').max).all(1)
        if far.any():
            raise Wrong('body %d does not fit the floats of a tipsy file' % (these[np.argmax(far)] + 1))
        parts.append(rows.astype('>f4').tobytes())
    return b''.join(parts)


def main(what, name=''):
    if what == 'hdf5' or (what, name) == ('try', 'hdf5'):
        need_h5py()
    if what in ('read', 'receive'):
        data = sys.stdin.buffer.read() if what == 'receive' else None
        if data and data.startswith(HDF5):
            need_h5py(data)
        numbers, notes, *arrays = read(name, data)
        notes = os.fsencode(''.join(note.replace('\n', '?') + '\n' for note in notes))
        parts = [np.array([*numbers, len(notes)], float).tobytes(), notes, *(a.tobytes() for a in arrays)]
    elif what == 'try':
        parts = []
    else:
        source = io.BytesIO(sys.stdin.buffer.read())  # all of it, before nbody waits for the file
        parts = [write(lambda n, kind='f8': np.frombuffer(source.read(n * np.dtype(kind).itemsize), kind), what == 'tipsy')]
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def again(package, data):
    """Runs this text by the system's Python, which gets what was read; ends if that lacks the package, too."""
    system = '/usr/bin/python3'  # has Debian's packages, which another may lack; once, as it may be a script
    if hasattr(sys, 'orig_argv') and not SYSTEM and os.access(system, os.X_OK):
        import subprocess
        os.environ['SYSTEM_PYTHON'] = system
        words = [system] + sys.orig_argv[1:]
        sys.exit(subprocess.run(words, input=data).returncode) if data else os.execv(system, words)
    sys.exit('snapshots are read and written by the Python packages NumPy and h5py, of which %s is missing: install it '
             '(Debian: apt install python3-h5py; elsewhere: pip install h5py)' % package)


def need_h5py(data=None):
    """Only HDF5 needs it."""
    global h5py
    try:
        import h5py
    except ImportError:
        again('h5py', data)


try:
    import numpy as np
except ImportError:
    again('NumPy', None)
if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except MemoryError:
        sys.exit('out of memory')
    except BrokenPipeError:
        os._exit(1)
    except Exception as reason:
        name = '' if isinstance(reason, Wrong) else sys.argv[2] + ': '
        sys.stderr.buffer.write(os.fsencode(name + (str(reason).split('\n')[0] or repr(reason))))
        sys.exit(1)
