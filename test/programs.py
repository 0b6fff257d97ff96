#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# programs.py PROGRAMS - the programs as a newcomer meets them: lines that are asked for help, misspelt, or
# refused, with their exit status and words; and no long silence on a terminal.
import gzip
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parent.parent
failed = ran = 0


def environment(**more):
    names = [n for n in os.environ if not n.startswith('CLOPT_') or n in ('CLOPT_CACHE_DIR', 'CLOPT_DEVICE')]
    return dict({n: os.environ[n] for n in names}, LC_ALL='C', **more)


def wrong(bad, *told, **how):
    global failed
    if bad:
        failed += 1
        print(*told, **how)


def expect(line, status, *words, given='', **variables):
    """The line ends with the status, and all of the words are in what it prints (those that begin with ! are not)."""
    program, *rest = line.split()
    done = subprocess.run([str(PROGRAMS / program), *rest], input=given, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment(**variables))
    text = ' '.join(done.stdout.split())
    for word in words:
        wrong((word[1:] in text) if word.startswith('!') else (word not in text),
              "programs: '%s' prints%s '%s':\n%s" % (line, '' if word.startswith('!') else ' no', word.lstrip('!'), done.stdout))
    wrong(done.returncode != status,
          "programs: '%s' ends with %d, not %d:\n%s" % (line, done.returncode, status, done.stdout))
    return done.stdout


# Help, asked for in each way.
for line in ('clopt -h', 'clopt --help', 'clopt help'):
    expect(line, 0, 'clopt explain OP SIZES', 'clopt help')
for line in ('clopt plan -h', 'clopt plan --help', 'clopt help plan'):
    expect(line, 0, '--elem-bytes', 'K, M, G and T', 'exit status is 3')
expect('clopt help cache list', 0, 'Examples: clopt cache clopt cache list')
expect('clopt-gem -h', 0, '-h, --help')
expect('nbody -h', 0, '-h, --help')

# Each help begins with three examples of the command, and tells each option in one line or two.
for words in ['clopt', 'clopt-gem', 'nbody'] + ['clopt ' + word for word in (
        'info', 'check', 'list', 'plan', 'explain', 'bench', 'tune', 'tune --merge', 'cache', 'cache list', 'cache clear', 'occupancy',
        'help')]:
    program, *rest = words.split()
    text = subprocess.run([str(PROGRAMS / program), *rest, '--help'], stdout=subprocess.PIPE, text=True,
                          env=environment(COLUMNS='80')).stdout
    wrong(not re.match(r'usage:.*\n( +or: .*\n|\n)*Examples:\n(  %s.*\n){3}\n' % ' '.join(words.split()[:1 + (len(rest) > 0)]), text, re.I),
          'programs: %s --help does not begin with three examples:\n%s' % (words, text[:400]))
    long = re.findall(r'^ {2,6}-.*\n(?: {29}\S.*\n){2,}', text, re.M)
    wrong(long, 'programs: %s --help has options of more than two lines:' % words, *long, sep='\n')

# The examples run in the folder of their files, but for those that take minutes.  A script stands for pdb2pqr.
with tempfile.TemporaryDirectory() as folder:
    data = shutil.copytree(ROOT / 'examples/data', folder + '/data')
    script = Path(folder, 'pdb2pqr30')
    script.write_text('#!/bin/sh\nfor to; do :; done\ncp peptide.pqr "$to"\n')
    script.chmod(0o755)
    for line in re.findall(r'^  (clopt-gem .*|nbody .*--in .*)$', ''.join(
            subprocess.run([str(PROGRAMS / program), '--help'], stdout=subprocess.PIPE, text=True,
                           env=environment(COLUMNS='120')).stdout.split('\n\n')[0] + '\n' for program in ('clopt-gem', 'nbody')), re.M):
        ran += 1
        program, *rest = line.split()
        done = subprocess.run([str(PROGRAMS / program), *rest], cwd=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, env=environment(PATH='%s:%s' % (folder, os.environ['PATH'])))
        wrong(done.returncode,
              "programs: in examples/data '%s' ends with %d:\n%s" % (line, done.returncode, done.stdout))
    wrong(ran < 4, 'programs: only %d examples of --help ran' % ran)

# What is misspelt: the word, and the one that was probably meant.
expect('clopt bensh', 2, 'clopt: command bensh does not exist; did you mean bench?')
expect('clopt hlep', 2, 'did you mean help?')
expect('clopt cache lsit', 2, 'unexpected word: lsit; did you mean list?')
expect('clopt matmull', 2, 'clopt: command matmull does not exist; did you mean clopt bench matmul?')
expect('clopt nbody', 2, 'did you mean clopt bench nbody?')
expect('clopt help tranpose', 2, 'clopt help: command tranpose does not exist; did you mean clopt bench transpose?')
expect('clopt xyzzy', 2, 'command xyzzy does not exist', '!did you mean')
expect('clopt help plna', 2, 'did you mean plan?')
expect('clopt plan matmull 1 2 3', 2, 'clopt plan: operation matmull does not exist; did you mean matmul?',
       'OP is matmul, transpose, potential (or gem), nbody, leapfrog')
for command in 'plan', 'explain':
    for word in 'foo', 'all':
        expect('clopt %s %s' % (command, word), 2, 'operation %s does not exist' % word, 'leapfrog or evolve-step. Try', '!tree-nbody')
expect('clopt occupancy foo', 2, 'nbody or leapfrog. Try')
expect('clopt tune foo', 2, 'nbody or all (the default). Try')
expect('clopt plan tree-keys 100 100', 2, 'operation tree-keys is a part of others and has no plan. OP is')
expect('clopt plan dgemm', 2, 'did you mean matmul --type=float64?')
expect('clopt plan hgemm', 2, 'did you mean matmul --type=float16?')
expect('clopt bench dgemm', 2, 'did you mean matmul?')
expect('clopt plan matmul 1 2', 2, 'matmul takes three sizes, not 2')
expect('clopt explain matmul 1 2 3 4', 2, 'unexpected word: 4; matmul takes three sizes')
expect('clopt occupancy --arch foo', 1, 'clopt occupancy: clopt_occupancy: architecture "foo" is not known')
expect('clopt bench frobnicate', 2, 'frobnicate does not exist. OP is matmul,', '!did you mean')
expect('clopt bench --variant matmul/plian', 2, 'did you mean matmul/plain?', '`clopt list')
expect('clopt bench --law debey', 2, 'did you mean debye?')
expect('clopt bench --varient=x', 2, "unrecognized option '--varient=x'; did you mean --variant?")
expect('clopt bench nbody --size 16 --picked --csv -', 0, 'operation,problem,variant', 'nbody,16')
expect('clopt bench potential --law alpb-salt --size 70 --picked --csv -', 0, 'potential,70x70 float32 alpb-salt,', ',ok,')
operations = set(re.findall(r'^\W*([a-z-]+)/', expect('clopt list', 0), re.M))
for command in 'bench', 'list':
    expect('clopt help ' + command, 0, 'tree-nbody or all', *operations)
# Also behind options that are right.
for line in 'nbody --steps 1 --frobnicate', 'clopt-gem --grid 2 --frobnicate', 'clopt plan --dry --frobnicate':
    expect(line, 2, "unrecognized option '--frobnicate'")
expect('nbody --steps 1 --n', 2, 'requires an argument')
expect('nbody --quiet --s 1', 2, 'ambiguous')
expect('clopt bench --frobnicate', 2, "unrecognized option '--frobnicate'", '!did you mean')
expect('nbody --stpes 3', 2, "did you mean --steps?")
expect('clopt-gem --vertises v m.pqr', 2, "did you mean --vertices?")

# Sizes.
expect('clopt explain matmul 1e3 1.5K 2', 0, 'matmul 1000 x 1536 x 2 float32', ': chosen')
expect('clopt plan matmul -5 10 10', 2, 'clopt plan: size -5: it must not be negative')
expect('clopt plan matmul 10 10 -- -1e3', 2, 'size -1e3: it must be a whole number from 1')
expect('clopt bench --size -7', 2, "--size '-7': it must be a whole number")
for size in ('0', '1.5', '1e-3', 'x', '3Q', '1e30', '18446744073709551616', 'K'):
    expect('clopt plan transpose 3 ' + size, 2, 'size ' + size + ': it must be a whole number from 1, as 4096, 1e6 or 64K')
expect('clopt plan transpose 10 10 --elem-bytes 3', 2, 'clopt plan: --elem-bytes 3: it must be 1, 2, 4, 8 or 16')
expect('clopt plan transpose 10 10 --elem-bytes 32', 2, '--elem-bytes 32: it must')
expect('nbody --n 1.5', 2, "--n '1.5': it must be a whole number")

if shutil.which('ffmpeg'):
    with tempfile.TemporaryDirectory() as folder:
        expect('nbody --model two --steps 4 --every 1 --size 64 --film %s/a.txt' % folder, 1,
               "a.txt: ffmpeg ", ": Unable to find", '!clopt.tmp', '![')
        expect('nbody --model two --steps 4 --every 2 --size 17 --film %s/a.mp4' % folder, 0)
        wrong(Path(folder, 'a.mp4').read_bytes()[4:8] != b'ftyp', 'programs: ffmpeg makes no film')

# Without ffmpeg a film is a failure that names the pictures, also with --quiet.  PoCL needs a linker.
with tempfile.TemporaryDirectory() as folder:
    Path(folder, 'bin').mkdir()
    Path(folder, 'bin/ld').symlink_to(shutil.which('ld') or '/usr/bin/ld')
    Path(folder, 'two.pqr').write_text(2 * 'ATOM 1 A X 1 0 0 0 1 2\nATOM 2 B X 2 4 0 0 -1 2\nEND\n')
    for line in ('nbody --model two --steps 4 --every 4 --size 64 --film {0}/f.mp4 --out {0}/end.txt',
                 'clopt-gem --models --size 64 --film {0}/f.mp4 --table {0}/end.txt {0}/two.pqr'):
        told = '{0}/f.mp4 was not made: the program ffmpeg is not found; instead there are {0}/f-00000.png to {0}/f-00001.png'
        for quiet in '', ' --quiet':
            expect(line.format(folder) + quiet, 1, told.format(folder),
                   '!warning' if quiet else 'warning: the program ffmpeg is not found: instead of the film there will be pictures',
                   PATH=folder + '/bin')
            made = sorted(path.name for path in Path(folder).iterdir())
            wrong(made != ['bin', 'end.txt', 'f-00000.png', 'f-00001.png', 'two.pqr'],
                  'programs: without ffmpeg, %s makes' % line, *made)
            for name in 'end.txt', 'f-00000.png', 'f-00001.png':
                Path(folder, name).unlink(missing_ok=True)

    # What ffmpeg gets, here a script: a line of arguments, then all pixels.  If it fails, the film of before stays.
    ffmpeg, film = Path(folder, 'bin/ffmpeg'), Path(folder, 'f.mp4')
    for script, status in ('{ echo "$*"; /bin/cat; } >"${to#file:}"', 0), ('exit 3', 1):
        ffmpeg.write_text('#!/bin/sh\nfor to; do :; done\n%s\n' % script)
        ffmpeg.chmod(0o755)
        for line, size, count in (('nbody --model two --steps 4 --every 2 --size 17 --film {0}/f.mp4', 17, 3),
                                  ('clopt-gem --models --size 60 --film {0}/f.mp4 --csv {0}/%s.csv {0}/two.pqr', 60, 2)):
            film.write_text('old')
            expect(line.format(folder), status, PATH=folder + '/bin')
            told, pixels = (film.read_bytes() + b'\n').split(b'\n', 1)
            wrong((told, pixels) != (b'old', b'') if status else
                  b'-video_size %dx%d ' % (size, size) not in told or len(pixels) != 4 * size * size * count + 1,
                  'programs: %s gives ffmpeg %d bytes after %s' % (line, len(pixels), told))
    # A file that is missing does not keep the others from their results.
    expect('clopt-gem --csv {0}/%s.csv /nonexistent.pqr {0}/two.pqr'.format(folder), 1)
    made = sorted(path.name for path in Path(folder).iterdir())
    wrong(made != ['bin', 'f.mp4', 'two-00001.csv', 'two-00002.csv', 'two.csv', 'two.pqr'], 'programs: made', *made)

expect('nbody --device zorg', 1, 'matches --device "zorg"; the devices')

# Many steps that nobody asked for.
many = 'warning: --until 10001 takes 1000100 steps of 0.01, the default length: give a longer one by --dt'
expect('nbody --device none --in - --until 10001', 1, many, given='0 0 0 0 0 0 1\n')
expect('nbody --device none --in - --until 10001 --dt 0.01', 1, '!warning', given='0 0 0 0 0 0 1\n')

# Plans.
expect('clopt plan transpose 10 10 --dry', 0, 'fits yes')
expect('clopt plan matmul 1e9 1e9 1e9 --dry', 3, 'but not the host', 'more than this machine')
expect('clopt plan matmul 1e9 1e15 1e15 --dry', 3, 'fits no: ', 'a would be')
expect('clopt plan matmul 1e9 1e15 1e15 --dry --json', 3, '"fits": false')
told = expect('clopt plan nbody 1e8 1e8', 0)
wrong(not re.search(r'time +[0-9.]+ (hours|days|years);', told),
      'programs: a long time is not told in hours or days:\n' + told)
for command in ('plan', 'explain'):
    line = 'clopt %s matmul 300 300 300 %s' % (command, '--dry' if command == 'plan' else '')
    expect(line, 0, 'matmul/plain: chosen, forced by', CLOPT_VARIANT='matmul/plain')
    expect(line + ' --variant matmul/plain-1', 0, 'matmul/plain-1: chosen', CLOPT_VARIANT='matmul/plain')
    expect(line, 1, 'clopt %s: CLOPT_VARIANT: variant' % command, CLOPT_VARIANT='matmul/nope')

expect('clopt check matmul', 0, 'matmul/plain-1 ', CLOPT_VARIANT='matmul/plain-1')
expect('clopt check matmul', 1, 'CLOPT_VARIANT: variant', CLOPT_VARIANT='matmul/nope')

# Two devices, which PoCL shows: the files of one, and who did how much.
two = dict(POCL_DEVICES='pthread pthread', CLOPT_SHARE='every')
if subprocess.run([str(PROGRAMS / 'clopt'), 'plan', 'transpose', '9', '9', '--dry', '--device', 'pocl*'],
                  env=environment(**two), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
    print('programs: skipped on two devices, since there is no PoCL')
else:
    for line in 'nbody --n 1000 --steps 3 --out %s', 'clopt-gem --density 0.2 %s/1a0q.pqr --csv %%s' % (ROOT / 'examples/data'):
        with tempfile.TemporaryDirectory() as folder:
            for device, name in ('pocl', 'one'), ('pocl*', 'two'):
                told = expect('%s --json --device %s' % (line % (folder + '/' + name), device), 0, **two)
                shares = [each['share'] for each in json.loads(told)['devices']]
                wrong(len(shares) != 1 + (name == 'two') or abs(sum(shares) - 1) > 1e-9,
                      'programs: %s on %s:\n%s' % (line, device, told))
            wrong(len({Path(folder, name).read_bytes() for name in ('one', 'two')}) != 1,
                  'programs: %s writes other bytes by two devices' % line)
            expect('%s --device pocl*' % (line % (folder + '/two')), 0, ' devices 2, ', **two)

# The standard input and output.
ten = ''.join((ROOT / 'examples/data/1a0q.pqr').read_text().splitlines(True)[:10])
dx = expect('clopt-gem --grid 4 --dx - -', 0, given=ten)
wrong(not re.search(r'^object 1 class gridpositions counts', dx, re.M),
      'programs: clopt-gem --dx - writes no map:\n' + dx)

# Grids of two molecules on the same nodes, as text and binary, compressed and not; the rest of their difference is 0.
# B factors, and the table of several molecules.
with tempfile.TemporaryDirectory() as folder:
    a, b = ('%s/%s.pqr' % (folder, name) for name in 'ab')
    Path(a).write_text(ten)
    Path(b).write_text(''.join(ten.splitlines(True)[:9]))
    nodes = '--spacing 1.5,2,2.5 --origin 50,110,0 --grid 3,4,5'
    expect('clopt-gem %s --dx %s/%%s.dx.gz %s %s' % (nodes, folder, a, b), 0, '60 on a grid of 3 x 4 x 5')
    head = ['object 1 class gridpositions counts 3 4 5', 'origin 5.000000e+01 1.100000e+02 0.000000e+00']
    for name in 'ab':
        lines = gzip.open('%s/%s.dx.gz' % (folder, name), 'rt').read().splitlines()
        wrong(lines[1:3] != head or lines[3].split()[1] != '1.500000e+00',
              'programs: the nodes of %s.dx.gz are not those that were wanted:' % name, *lines[:6], sep='\n')
    expect('clopt-gem --grid-like %s/a.dx.gz --dx %s/c.dxbin --quiet %s' % (folder, folder, a), 0)
    expect('clopt-gem --difference %s/c.dxbin %s' % (folder, a), 0, 'min 0 max 0', '!other parameters')
    # What pdb2pqr, here a script in its place, leaves out, waters apart; chain XX of the mmCIF file is 9 in its input.
    script = Path(folder, 'bin/pdb2pqr30')  # the name that is tried first
    script.parent.mkdir()
    pdb = '%-6s    1  N   %-3s A%4s%s      1.000   2.000   3.000  1.00  0.00\n'
    Path(folder, 'm.pdb').write_text(''.join(pdb % row for row in (
        ('ATOM', 'GLY', 2, ' '), ('ATOM', 'SER', 2, 'B'), ('HETATM', 'CA', 101, ' '), ('HETATM', 'SO4', 102, ' '),
        ('HETATM', 'SO4', 102, ' '), ('HETATM', 'HOH', 103, ' '), ('ATAM', 'SER', 104, ' '))) +
                                     'ENDMDL\n' + pdb % ('ATOM', 'TRP', 9, ' '))
    names = ('group_PDB', 'label_atom_id', 'label_comp_id', 'label_asym_id', 'auth_asym_id', 'auth_seq_id',
             'pdbx_PDB_model_num', 'Cartn_x', 'Cartn_y', 'Cartn_z')
    Path(folder, 'm.cif').write_text('data_m\nloop_\n' + ''.join('_atom_site.%s\n' % n for n in names) +
                                     ''.join(row + ' 1 2 3\n' for row in ('ATOM N GLY A XX 2 1', 'HETATM ZN ZN C XX 7 1',
                                                                    'HETATM O HOH D XX 8 1', 'ATOM N TRP A XX 9 2')))
    for name, chain, *told in ('m.pdb', 'A', 'left out 3 residues, or atoms of them, for lack of parameters or of atoms: '
                              'SER A 2B, CA A 101, SO4 A 102', "lacked: GLY A 2 (1 atoms)", "the first is line 7, 'ATAM'"), \
            ('m.cif', '9', 'for lack of parameters or of atoms: ZN XX 7"', 'lacked: GLY XX 2 (1 atoms)'):
        script.write_text("#!/bin/sh\nfor a in N CA; do printf 'ATOM      1  %%-3s GLY %s   2       %%s.000   2.000   3.000 -.3 1.5\\n' $a ${#a}; "
                          'done >"$5"\n' % chain)
        script.chmod(0o755)
        expect('clopt-gem --json --grid 2 %s/%s' % (folder, name), 0, *told, '"warnings": [ "pdb2pqr left out',
                     'clopt-gem: warning: ' + folder, PATH=folder + '/bin:' + os.environ['PATH'])
    expect('clopt-gem --grid 2 -', 0, '1 atoms of waters count', given='ATOM 1 N GLY 1 0 0 0 1 1\nATOM 2 O HOH 2 0 0 4 1 1\n')
    # Frames 1, 3 and 5 of five, by a package in the place of MDAnalysis.
    core = Path(folder, 'py/MDAnalysis/coordinates/core.py')
    core.parent.mkdir(parents=True)
    core.write_text('import array\nclass Places(array.array):\n    astype = lambda self, kind: self\nclass reader:\n'
                    '    n_atoms, n_frames = 2, 5\n    def __init__(self, name, n_atoms):\n        pass\n'
                    '    def __iter__(self):\n        for i in range(5):\n'
                    '            self.positions = Places("f", [0, 0, 0, i, 9, 9])\n            yield self\n')
    Path(folder, 'two.pqr').write_text('ATOM 1 A X 1 0 0 0 1 1\nATOM 2 B X 1 0 0 4 1 1\n')
    out = expect('clopt-gem --trajectory %s/m.pdb --every 2 --grid 2 --table - --quiet %s/two.pqr' % (folder, folder), 0,
                 PYTHONPATH=folder + '/py')
    wrong(re.findall('two-[0-9]+', out) != ['two-00001', 'two-00003', 'two-00005'],
          'programs: --every 2 of five frames:\n' + out)
    # A byte order mark; members of gzip with other bytes behind them, and without their end.
    given = Path(folder, 'm.pdb').read_bytes()
    for name, data, told in (('mark.pdb', b'\xef\xbb\xbf' + given, None),
                             ('behind.pdb.gz', gzip.compress(given[:90]) + gzip.compress(given[90:]) + b'behind', None),
                             ('short.pdb.gz', gzip.compress(given)[:-9], 'short.pdb.gz: the compressed file ends too early'),
                             ('void.pdb.gz', gzip.compress(b''), 'void.pdb.gz: the file is empty')):
        Path(folder, name).write_bytes(data)
        expect('clopt-gem --grid 2 %s/%s' % (folder, name), 1 if told else 0, told or "the first is line 7, 'ATAM'",
               PATH=folder + '/bin:' + os.environ['PATH'])
    # A full disk under pdb2pqr's input, which a limit on sizes of files stands for.
    Path(folder, 'long.pdb').write_text(pdb % ('ATOM', 'GLY', 2, ' ') * 900)
    done = subprocess.run(['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh', str(PROGRAMS / 'clopt-gem'), folder + '/long.pdb'],
                          stderr=subprocess.PIPE, text=True, env=environment(PATH=folder + '/bin:' + os.environ['PATH'], TMPDIR=folder))
    wrong(done.returncode != 1 or not re.search('/clopt-gem-[^/]*/in.pdb: File too large\n', done.stderr),
          'programs: where pdb2pqr has no room for its input, clopt-gem ends with %d and prints' % done.returncode, done.stderr)
    # A python3 that ends without a word, with each status, and before all its data came.
    python = Path(folder, 'silent/python3')
    python.parent.mkdir()
    for text, name, word in (('exit 0', 'm.pdb', 'm.pdb: python3 gave no molecule'),
                             ('exit 3', 'm.pdb', 'm.pdb: python3 failed: it ended with status 3'),
                             ('kill -9 $$', 'm.cif', 'm.cif: python3 failed: it ended by signal 9'),
                             ('echo "{"', 'm.pdb', 'm.pdb: python3 gave no molecule')):
        python.write_text('#!/bin/sh\n%s\n' % text)
        python.chmod(0o755)
        for option in '', '--models --table - ':
            expect('clopt-gem %s%s/%s' % (option, folder, name), 1, word, PATH='%s:%s' % (python.parent, os.environ['PATH']))
    # Its reason, and not that it gives up; a file without anything; its folder, also where a signal ends all.
    script.write_text('#!/bin/sh\necho ERROR:odd line\necho CRITICAL:no heavy atoms\necho CRITICAL:Giving up.\nexit 1\n')
    expect('clopt-gem %s/m.pdb' % folder, 1, 'pdb2pqr failed: CRITICAL:no heavy atoms',
           PATH='%s:%s' % (script.parent, os.environ['PATH']))
    Path(folder, 'empty.pdb').write_text('\n')
    expect('clopt-gem %s/empty.pdb' % folder, 1, 'empty.pdb: the file is empty')
    script.write_text('#!/bin/sh\n: >"$5"\nexec sleep 60\n')
    into = Path(folder, 'tmp')
    into.mkdir()
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell ignores it for what runs in its background
    for sign in signal.SIGTERM, signal.SIGQUIT, signal.SIGPIPE:
        child = subprocess.Popen([str(PROGRAMS / 'clopt-gem'), folder + '/m.pdb'],
                                 env=environment(PATH='%s:%s' % (script.parent, os.environ['PATH']), TMPDIR=str(into)))
        until = time.monotonic() + 300
        while not list(into.glob('*/out.pqr')) and time.monotonic() < until:
            time.sleep(0.01)
        made = list(into.iterdir())
        child.send_signal(sign)
        wrong(child.wait() != -sign or not made or list(into.iterdir()),
              'programs: ended by signal %d in pdb2pqr, clopt-gem ends with %d and has made %s, of which it leaves %s' %
              (sign, child.returncode, made, list(into.iterdir())))
    # Where the standard output is closed, its number is no pipe's or file's.
    done = subprocess.run(['sh', '-c', '"$@" >&-', 'sh', str(PROGRAMS / 'clopt-gem'), '--csv', folder + '/closed.csv', '--grid', '2',
                           folder + '/two.pqr'], stderr=subprocess.PIPE, text=True, env=environment())
    wrong(done.returncode != 1 or done.stderr != 'clopt-gem: the summary: Bad file descriptor\n' or
          len(Path(folder, 'closed.csv').read_text().splitlines()) != 8, 'programs: without a standard output clopt-gem prints', done.stderr)
    # Nor do the outputs and inputs there become those of /dev/null.
    for line, closed in (('nbody --model two --steps 1 --out -', '>&-'), ('nbody --model two --steps 1 --out /dev/stdout', '>&-'),
                         ('clopt-gem --csv - %s/two.pqr' % folder, '>&-'), ('clopt check --report - transpose', '>&-'),
                         ('clopt bench transpose --small --csv -', '>&-'), ('nbody --model two --steps 1 --json', '>&-'),
                         ('nbody --in - --steps 1', '<&-'), ('clopt-gem -', '<&-')):
        program, *rest = line.split()
        done = subprocess.run(['sh', '-c', '"$@" ' + closed, 'sh', str(PROGRAMS / program), *rest],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment())
        wrong(done.returncode != 1 or 'Bad file descriptor' not in done.stderr,
              "programs: '%s %s' ends with %d: %s" % (line, closed, done.returncode, done.stderr))
    # Files that were begun: a table while the molecule does not come, a film while ffmpeg, here a script, waits.  They
    # go with the program.  Before it starts ffmpeg, nbody makes and removes a file, to see that it can.
    runs = Path(folder, 'runs')
    Path(script.parent, 'ffmpeg').write_text('#!/bin/sh\nfor to; do :; done\n: >"${to#file:}"\n: >%s\nexec sleep 60\n' % runs)
    Path(script.parent, 'ffmpeg').chmod(0o755)
    begun = Path(folder, 'begun')
    begun.mkdir()
    for sign in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(sign, signal.SIG_DFL)  # a shell ignores some for what runs in its background
        for line in 'clopt-gem --table %s/t.csv -', 'nbody --n 3000 --steps 1000000000 --every 1 --size 16 --quiet --film %s/f.mp4':
            program, *rest = (line % begun).split()
            with subprocess.Popen([str(PROGRAMS / program), *rest], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  env=environment(PATH='%s:%s' % (script.parent, os.environ['PATH']))) as child:
                until = time.monotonic() + 300
                while not (runs.exists() if program == 'nbody' else any(begun.iterdir())) and time.monotonic() < until:
                    time.sleep(0.01)
                made = list(begun.iterdir())
                time.sleep(0.1)
                child.send_signal(sign)
            if child.returncode != -sign or not made or list(begun.iterdir()):
                failed += 1
                print('programs: %s ends by signal %d with %d and leaves %s of %s' %
                      (line, sign, child.returncode, list(begun.iterdir()), made))
                for left in begun.iterdir():
                    left.unlink()
            runs.unlink(missing_ok=True)
    # What a run says when it is stopped, and its checkpoint.
    kept = Path(folder, 'run.txt')
    for line, told in ('', ''), ('--integrator blocks --dt 0.1', ''), ('--checkpoint %s' % kept, '; --resume %s goes on from step 0' % kept):
        with subprocess.Popen([str(PROGRAMS / 'nbody'), '--n', '3000', '--steps', '1000000000', *line.split()], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as child:
            while '0.25' not in child.stdout.readline():  # the kinetic energy of step 0
                pass
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            out = child.communicate()[1]
        wrong(child.returncode != -signal.SIGINT or not re.fullmatch(r'nbody: stopped at step \d+ of 1000000000%s\n' % told, out),
              'programs: nbody %s, stopped, ends with %d and says\n%s' % (line, child.returncode, out))
    expect('nbody --resume %s --steps 1' % kept, 0, 'motion 1 steps')
    # Names as long as a file system takes.
    for line in 'clopt-gem --table %s.csv ' + a, 'nbody --model two --steps 1 --quiet --size 16 --film %s.mp4':
        Path(script.parent, 'ffmpeg').write_text('#!/bin/sh\nfor to; do :; done\nexec cat >"${to#file:}"\n')
        for name in 'o' * 251, 'ö' * 125 + 'x':
            expect(line % ('%s/%s' % (begun, name)), 0, PATH='%s:%s' % (script.parent, os.environ['PATH']))
    Path(folder, 'old.mp4').write_text('old')
    Path(folder, 'old.mp4').chmod(0o600)
    Path(folder, 'link.mp4').symlink_to('old.mp4')
    expect('nbody --model two --steps 1 --quiet --size 16 --film %s/link.mp4' % folder, 0,
           PATH='%s:%s' % (script.parent, os.environ['PATH']))
    film = Path(folder, 'old.mp4')
    wrong(film.stat().st_size < 1000 or film.stat().st_mode & 0o777 != 0o600 or not Path(folder, 'link.mp4').is_symlink(),
          'programs: a film of %d bytes replaces one of mode 600 by one of %o' % (film.stat().st_size, film.stat().st_mode))
    wrong(len(list(begun.iterdir())) != 4, 'programs: files with long names:', *begun.iterdir(), sep='\n')
    # In the unit that the map's comment names, 1 kT/e being 0.592485 kcal/mol/e: 25.693 mV.
    lines = gzip.open(folder + '/a.dx.gz', 'rt').read().splitlines(True)
    body = ''.join('%.9e\n' % (float(v) / 0.592485) for line in lines[8:28] for v in line.split())
    for comment, unit, status, told in (
            ('# Data from 3.4.1\n#\n# POTENTIAL (kT/e)\n#\n', 'kcal', 0, 'less the map %s/apbs.dx, in kT/e' % folder),
            ('# clopt-gem, potential in kT/e\n', 'mV', 0, 'less the map %s/apbs.dx, in kT/e' % folder),
            ('# clopt-gem, potential in kT/e, mode alpb, kappa 1\n', 'mV', 0, 'apbs.dx has other parameters than this run: alpb, kappa 1'),
            ('# potential in V\n', 'kcal', 1, 'the potential is in V: it must be in kcal/mol/e, kT/e or mV'),
            ('', 'kT', 0, 'does not name its unit: kT/e is assumed')):
        Path(folder, 'apbs.dx').write_text(comment + ''.join(lines[1:8]) + body)
        out = expect('clopt-gem --difference %s/apbs.dx --units %s --dx %s/d.dx %s' % (folder, unit, folder, a), status, told)
        range_of = re.search('difference min ([-.e0-9]+) +max ([-.e0-9]+)', out)
        wrong(status == 0 and (not range_of or max(abs(float(v)) for v in range_of.groups()) > 1e-3),
              'programs: the difference from the map with %r is not 0:\n%s' % (comment, out))
    wrong('difference of potentials in kT/e, less the map %s/apbs.dx' % folder not in Path(folder, 'd.dx').read_text(),
          'programs: the map of a difference does not say so')
    # Pictures: the kind of pixels, with alpha or without; other views are other pictures.
    pictures = []
    for words, kind in ('', 2), ('--transparent', 6), ('--views', 2), ('--view 0,0,1', 2), ('--view 0,0,-1', 2):
        expect('clopt-gem --quiet --size 200 %s --png %s/p.png %s' % (words, folder, a), 0)
        pictures.append(Path(folder, 'p.png').read_bytes())
        wrong(pictures[-1][25] != kind or pictures[-1] in pictures[:-1],
              'programs: clopt-gem %s writes PNG of type %d, or that of another view' % (words, pictures[-1][25]))
    # A full disk, told by its name, whatever noticed it first.
    for line in '--size 300 --png', '--table', '--grid 20 --dx', '--csv':
        expect('clopt-gem %s /dev/full %s' % (line, a), 1, '/dev/full: cannot write: No space left on device')
    with open('/dev/full', 'w') as full:
        done = subprocess.run([str(PROGRAMS / 'clopt-gem'), a], stdout=full, stderr=subprocess.PIPE, text=True,
                              env=environment())
    wrong(done.returncode != 1 or done.stderr.count('the summary: ') != 1,
          'programs: a summary on a full disk ends with %d and\n%s' % (done.returncode, done.stderr))
    expect('clopt-gem --spacing 1 --origin 0,999,0 ' + a, 1, 'along y the grid begins at 999')
    expect('clopt-gem --mode alpb --energy --quiet --bfactor %s/%%s.pdb --table - %s %s' % (folder, a, b), 0,
           'molecule,atoms,charge,points', ' a,10,', ' b,9,')
    Path(folder, 'old.csv').write_text('old\n')
    expect('clopt-gem --table %s/old.csv %s/none.pqr' % (folder, folder), 1, 'No such file')
    wrong(Path(folder, 'old.csv').read_text() != 'old\n',
          'programs: a table without a molecule replaces the one that is there')
    wrong(not re.search(r'^ATOM      1 .{42}  1\.00[ -][0-9. ]{5}$', Path(folder, 'b.pdb').read_text(), re.M),
          'programs: --bfactor writes\n' + Path(folder, 'b.pdb').read_text())
expect('clopt-gem --mode alpb --radius 3 --grid 4 -', 1, 'no atom has a radius', given='ATOM 1 X X 1 0 0 0 1 0\n')
out = expect('nbody --model two --steps 1 --quiet --out -', 0)
expect('nbody --in - --steps 0 --json', 0, '"bodies": 2', given=out)
for line in 'clopt-gem --mpi -', 'nbody --mpi':
    expect(line, 2, 'built without MPI')
expect('nbody --model two --steps 0 --quiet --out --mpi --format --mpi', 2, "--format '--mpi'", '!built without MPI')
expect('nbody --colour type', 2, '--colour needs --png, --frames or --film')
expect('nbody --colour type --png x.png', 1, '--colour type: the bodies have no types')
expect('nbody --checkpoint same --png ./same', 2, '--checkpoint and --png would both write ./same')
out = subprocess.run([str(PROGRAMS / 'nbody'), '--model', 'two', '--steps', '1', '--checkpoint', '-'], text=True,
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()).stdout
wrong(not out.startswith('# run') or 'centre of mass' in out, 'programs: nbody --checkpoint - writes\n' + out)

# A run of nbody that goes on: the numbers of its files do, too, and a checkpoint that was cut is refused.
with tempfile.TemporaryDirectory() as folder:
    whole, part, cut = (Path(folder, name) for name in ('whole', 'part', 'cut'))
    for place in (whole, part):
        place.mkdir()
    run = 'nbody --quiet --n 20 --every 2 --snapshots %s --frames %s --size 16 --checkpoint ' + folder + '/c.txt '
    expect(run % (whole, whole) + '--steps 6', 0)
    expect(run % (part, part) + '--steps 4', 0)
    expect('nbody --model two --integrator blocks --steps 99 --quiet --checkpoint %s/b.txt' % folder, 0)
    told = expect('nbody --resume %s/b.txt --steps 100' % folder, 0)
    if float(re.search(r'on single bodies, (\S+) for each body', told).group(1)) < 1:  # of the last step, in which each body moves
        failed += 1
        print('programs: nbody --resume --integrator blocks\n' + told)
    expect('nbody --n 20 --steps 6 --every 2 --size 16 --frames %s --snapshots %s/' % (cut, whole), 0, 'units nbody device',
           'wrote 4 snapshots, %s/00000.txt to %s/00003.txt' % (whole, whole),
           'wrote 4 pictures, %s00000.png to %s00003.png' % (cut, cut))
    text = Path(folder, 'c.txt').read_text()
    expect((run % (part, part)).replace('--n 20', '--resume %s/c.txt' % folder) + '--steps 6', 0)
    for place in (whole, part):
        names = sorted(p.name for p in place.iterdir())
        wrong(names != ['%05d.%s' % (i, end) for i in range(4) for end in ('png', 'txt')],
              'programs: nbody wrote', names)
    for file in whole.iterdir():
        other = part / file.name
        wrong(not other.exists() or file.read_bytes() != other.read_bytes(),
              'programs: nbody wrote another %s after --resume' % file.name)
    # By each integrator; 6 steps of 0.1 end at another number than 0, 1 and 5 of them.  A checkpoint is a file of bodies.
    on = '--resume %s/two.run --steps ' % folder
    for how in ('--integrator %s --precision %s' % (i, p) for i in ('leapfrog', 'hermite', 'blocks') for p in ('best', 'float')):
        for name, line in ('one', '--steps 6 '), ('two', '--steps 0 '), ('two', on + '1'), ('two', on + '6'):
            expect('nbody --quiet --every 1 --checkpoint {0}/{1}.run --out {0}/{1} '.format(folder, name) + line +
                   ('' if 'resume' in line else '--model binaries --n 66 --dt 0.1 ' + how), 0)
        wrong(any(Path(folder, 'one' + end).read_bytes() != Path(folder, 'two' + end).read_bytes() for end in ('', '.run')),
              'programs: nbody writes other bits after --resume with ' + how)
    expect('nbody --quiet --in %s/two.run --steps 1' % folder, 0)
    for line, status in ('two.run --dt 1', 2), ('two.run --steps 3', 1), ('two', 1):
        expect('nbody --quiet --resume %s/%s' % (folder, line), status)
    # Gas, dark matter, stars, their properties and units are kept.
    tipsy = Path(folder, 'three.tipsy')
    tipsy.write_bytes(struct.pack('>d6i', 0, 6, 3, 2, 3, 1, 0) + b''.join(
        struct.pack('>%df' % (7 + len(more)), 1, i, i * i, 1, 0, 0, 0, *more)
        for i, more in enumerate(2 * [(1.5, 300, .5, .02, 0)] + 3 * [(.5, 0)] + [(.02, 3, .5, 0)])))
    hdf5 = subprocess.run([str(PROGRAMS / 'nbody'), '--format', 'hdf5', '--out', folder + '/try', '--steps', '0', '--quiet'],
                          stderr=subprocess.DEVNULL, env=environment()).returncode != 2  # there is no h5py
    for form in ('tipsy', 'hdf5') if hdf5 else ('tipsy',):
        run = 'nbody --quiet --every 2 --checkpoint %s/c.txt --out %s/%%s.%s --format %s ' % (folder, folder, form, form)
        expect(run % 'whole' + '--units galactic --steps 4 --in %s' % tipsy, 0)
        expect(run % 'part' + '--units galactic --steps 2 --in %s' % tipsy, 0)
        expect(run % 'part' + '--resume %s/c.txt --steps 4' % folder, 0)
        wrong(Path(folder, 'whole.' + form).read_bytes() != Path(folder, 'part.' + form).read_bytes(),
              'programs: nbody --resume writes another %s file of gas, dark matter and stars' % form)
    expect('nbody --steps 0 --in - --out %s/r.tipsy' % folder, 0, '1 bodies of other types are written as dark matter',
           given='0 0 0 0 0 0 1 5 1 0 0 0\n1 0 0 0 0 0 1 4 2 0 0 0\n')
    # What nbody writes without units moves on by the same g; what has units is converted to others, or refused.
    if hdf5:
        h = folder + '/p.hdf5'
        expect('nbody --quiet --n 50 --steps 1 --format hdf5 --out ' + h, 0)
        expect('nbody --steps 1 --in ' + h, 0, 'softening 0.135721, g 1 units nbody device', '!warning')
        expect('nbody --quiet --units galactic --in %s --steps 0 --out %s --format hdf5' % (tipsy, h), 0)
        expect('nbody --steps 0 --in ' + h, 0, 'units kpc, solar masses, Gyr', 'g 4.4985e-06')
        expect('nbody --steps 0 --units nbody --in ' + h, 1, 'its units are kpc, solar masses, Gyr:')
        # The format that the name ends in; tipsy files lose the units.
        expect('nbody --steps 0 --in %s --out %s/r.tipsy' % (h, folder), 0, 'must be read with --g 4.498')
        expect('nbody --steps 0 --in %s/r.tipsy --out %s/r.hdf5' % (folder, folder), 0, 'units nbody, assumed', '!warning')
        wrong(Path(folder, 'r.hdf5').read_bytes()[1:4] != b'HDF',
              'programs: nbody --out r.hdf5 writes another format')
    table = '# units 3.0856775814913673e24 cm 1.98840987e43 g 3.15576e19 s\n1 2 3 4 5 6 7\n'  # Mpc, 1e10 of the sun, 1000 Gyr
    out = expect('nbody --quiet --steps 0 --in - --units galactic --out -', 0, given=table)
    wrong(any(abs(float(x) / y - 1) > 1e-9 for x, y in zip(out.splitlines()[-1].split(), (1e3, 2e3, 3e3, 4, 5, 6, 7e10))),
          'programs: nbody --units galactic made of Mpc\n' + out)
    for short in (''.join(text.splitlines(True)[:-3]), text[:-1], text[:-2]):
        cut.write_text(short)
        expect('nbody --resume %s' % cut, 1, 'the checkpoint has 20 bodies, but ends in line')
expect('clopt-gem -', 1, 'no radius', given='ATOM 1 N ASP L 1 60.797 122.650 12.260 1.0000\n')


def on_terminals():
    global failed
    # On a terminal a line tells what takes long, here the standard input that does not come; it goes away before
    # anything else is printed.
    for line, told, end in (('clopt-gem -', b'reading /dev/stdin, 1 s', b'\r\x1b[Kclopt-gem: '),
                            ('nbody --in -', b'making or reading the bodies, 1 s', b'\r\x1b[Knbody: ')):
        program, *rest = line.split()
        ours, theirs = pty.openpty()
        child = subprocess.Popen([str(PROGRAMS / program), *rest], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs,
                                 env=environment())
        os.close(theirs)
        text = b''
        while told not in text and select.select([ours], [], [], 300)[0]:
            text += os.read(ours, 4096)
        child.stdin.close()
        while end not in text:
            try:
                more = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            text += more
        child.wait()
        wrong(told not in text or end not in text or child.returncode != 1,
              "programs: on a terminal '%s' ends with %d and prints\n%r" % (line, child.returncode, text))
        os.close(ours)
    # Kernels are compiled, also by PoCL: where that takes long, which of them.
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = pty.openpty()
        with subprocess.Popen([str(PROGRAMS / 'nbody'), '--integrator', 'hermite', '--steps', '1', '--out', folder + '/o'], stdout=subprocess.DEVNULL,
                              stderr=theirs, env=environment(CLOPT_CACHE_DIR='0', POCL_CACHE_DIR=folder)) as child:
            begun = time.monotonic()
        seconds = time.monotonic() - begun
        os.close(theirs)
        text = b''
        try:
            while True:
                text += os.read(ours, 4096)
        except OSError:  # all is read
            os.close(ours)
        wrong(child.returncode or seconds > 2.5 and not re.search(rb'compiling kernels \([12] of 2\), \d s', text),
              'programs: nbody compiles for %.1f s, and tells of it\n%r' % (seconds, text))
    # Steps are told as whole numbers.
    ours, theirs = pty.openpty()
    with subprocess.Popen([str(PROGRAMS / 'nbody'), '--n', '3000', '--steps', '1000000000'], stdout=theirs,
                          stderr=theirs, env=environment()) as child:
        text = b''
        while text.count(b' s to go') < 3 and select.select([ours], [], [], 300)[0]:
            text += os.read(ours, 4096)
        child.kill()
    os.close(theirs)
    os.close(ours)
    wrong(not re.search(rb'step \d+ of 1000000000, \d+ s to go', text) or b'.00 of' in text,
          'programs: nbody tells of its steps\n%r' % text)


try:
    os.close(pty.openpty()[0])
except OSError as error:  # a container may have none
    print('programs: skipped on terminals, since %s' % error)
else:
    on_terminals()
expect('clopt-gem --quiet -', 1, '!reading', given='')
expect('clopt bench --size 99999999', 1, 'clopt bench: not enough memory: the arrays of matmul', '!at most')

# What a bench that is stopped has measured is in the pipe and in the file.
with tempfile.NamedTemporaryFile() as csv, subprocess.Popen(
        [str(PROGRAMS / 'clopt'), 'bench', 'transpose', '--small', '--seconds', '0.01', '--variant', 'transpose/plain',
         '--csv', csv.name], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()) as child:
    tables = 0
    for line in child.stdout:
        tables += line.startswith('transpose ')
        if tables == 2:
            break
    child.kill()
    rows = Path(csv.name).read_text().splitlines()
    wrong(tables < 2 or len(rows) < 2 or not rows[1].startswith('transpose,'),
          'programs: a bench that was stopped left %d tables and these rows:\n%s' % (tables, '\n'.join(rows)))

if failed:
    sys.exit('programs: %d lines are not as they should be' % failed)
print('programs: passed')
