#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# docs.py - the code that readers copy compiles and runs: each block of code in README.md, docs/*.md
# and in the comments of the public headers.  Also: functions and files that documents name exist.
#
#     test/docs.py [PAGE...]      after make; all pages, without PAGE
#
# A block is fenced, with its language, or indented by four blanks: then it is shell, CMake if it begins
# with a call, and of a header C.  A fence without a language is a program's output.  An HTML comment above a block helps:
#
#     <!-- block c: text before
#     ...
#     text after -->              the language, and what the block (at ...) needs round it to run
#     <!-- not run: REASON -->
#
# A fence `output` is the end of what the block before it printed.  Where the page's last whole program
# has the line NEXT, blocks of C that are no whole programs go above it and stay there.  Those of README.md
# run with an open context and small arrays (TASKS).  The lines of the tables of docs/calls.md compile, and
# each function of the headers is there.
#
# Lines of shell run in one folder a page, where the names of the repository's top level are links, and
# the files of `fixtures` are there.  A file NAME.c that is not there is the page's last whole
# program, or examples/matmul.c.  make looks for its targets; what takes long shows its help, so its
# options are checked; sudo, pip and apt do nothing.
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build'
FFI = ROOT / 'examples/ffi'
HEADERS = ['clopt.h', 'clopt_pairs.h', 'clopt_device.h', 'clopt_tune.h', 'clopt_cl.h', 'clopt.hpp', 'clopt.f90']
NEXT = '\t/* the next step goes here */'
LEAST = 30  # blocks that run, when all pages are asked for

INCLUDES = """#include <clopt.h>
#include <clopt_device.h>
#include <clopt_tune.h>
#include <stdio.h>
#include <stdlib.h>
"""
OPENED = INCLUDES + """int main(void)
{
	struct clopt *ctx;
	int rc = clopt_open(&ctx, NULL);

	if (rc)
		return fprintf(stderr, "%s\\n", clopt_error(NULL)), 1;
"""
CLOSED = """

	if (rc)
		return fprintf(stderr, "%s\\n", clopt_error(ctx)), 1;
	clopt_close(ctx);
	return 0;
}
"""
# What a block of a header needs to run: text before and after, and what a reader puts in for an ellipsis.
# Arrays have any type, and zeros in them.
SOME = (OPENED + '''	size_t m = 8, n = 8, k = 8, bytes = 256;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_call *call;
	%s;
{
''' % ';\n\t'.join('void *%s = calloc(1, 1 << 25)' % name for name in (
    'a b c in out charges points phi bodies velocities places speeds acc atoms').split()), '\n}' + CLOSED,
    {'...\n': '', '"gpu*"': '"*"', 'clopt_close(ctx);': 'clopt_close(ctx);\nctx = NULL;'})
# What the lines of docs/calls.md and the tasks of README.md need.  The lines are compiled without MPI.
CALLS = INCLUDES + r'''#include <math.h>
#include <clopt_cl.h>
typedef int MPI_Comm;
#define MPI_COMM_WORLD 0
#include <clopt_mpi.h>
#define ROW CLOPT_LAYOUT_ROW_MAJOR
#define NO CLOPT_TRANS_NO
#define YES CLOPT_TRANS_YES
#define CONJ CLOPT_TRANS_CONJ
#define LOWER CLOPT_UPLO_LOWER
#define FLOAT CLOPT_TYPE_FLOAT
#define COMPLEX CLOPT_TYPE_COMPLEX_FLOAT
struct clopt *ctx, *members[2];
struct clopt_options options;
struct clopt_gemm_desc gemm;
struct clopt_potential_options water;
struct clopt_evolve_options evolve;
struct clopt_conserved sums;
struct clopt_points charges, targets_at;
struct clopt_results results;
struct clopt_tree *tree;
struct clopt_map_desc map;
struct clopt_call *call;
struct clopt_buffer *buffer, *view;
struct clopt_queue *queue;
struct clopt_event *event;
struct clopt_device_info list[8], info;
struct clopt_member_share shares[8];
struct clopt_mpi *mpi;
struct clopt_skipped_driver drivers[8];
struct clopt_report report;
struct clopt_problem problem;
struct clopt_plan_info plan;
struct clopt_resources use;
struct clopt_occupancy_info waves;
struct clopt_cache_entry entries[8];
cl_kernel kernel;
cl_context context;
cl_device_id device;
cl_mem mem;
int rc, (*progress)(void *, double);
unsigned flops;
char why[999];
const char *text;
void *memory;
float a[64], b[64], c[64], points[64], targets[64], velocities[64], phi[64], acc[64], radii[64], before[64];
double x[64], y[64], z[64], dt, radius, kappa, seconds;
const float one[2] = { 1, 0 }, zero[2] = { 0, 0 };
size_t m, n, k, rows, cols, batch, steps, bytes, offset, count;
void lines(void)
{
'''
TASKS = INCLUDES + r'''int main(void)
{
	struct clopt *ctx;
	float a[] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 1, 1, 1, 1, 1, 1 }, t[6], *big = calloc(1000, sizeof *big);
	double x[] = { 1, 2, 3, 4, 5, 6 }, y[6] = { 1, 1, 1, 1, 1, 1 }, z[4];
	float atoms[] = { 0, 0, 0, 1 }, points[] = { 2, 0, 0, 0 }, phi[1];
	float bodies[8] = { 0, 0, 0, 1, 1, 0, 0, 1 }, acc[8];
	size_t m = 2, n = 2, k = 3, rows = 2, cols = 3, natoms = 1, npoints = 1, nbodies = 2, items = 1000;
	int rc = clopt_open(&ctx, NULL);

	(void)m, (void)n, (void)k, (void)rows, (void)cols, (void)natoms, (void)npoints, (void)nbodies, (void)items;
	(void)a, (void)b, (void)t, (void)big, (void)x, (void)y, (void)z, (void)atoms, (void)points, (void)phi;
	(void)bodies, (void)acc;
	if (rc)
		return fprintf(stderr, "%s\n", clopt_error(NULL)), 1;
'''
# The same for blocks that need other text, found by a line of theirs.
AROUND = {
    'clopt_gravity(ctx, &s, &s, &r, NULL)':
        (OPENED + 'size_t n = 2;\n', '\nfree(p);' + CLOSED, {'} *p;': '} *p = calloc(2, sizeof *p);'}),
    'clopt_tune(ctx, &p, NULL, ':
        (SOME[0] + 'struct clopt_tune_options quick = CLOPT_TUNE_OPTIONS_INIT;\nquick.dry = quick.rows_only = 1;\n'
         'quick.budget_seconds = 1;\n', SOME[1], {'&p, NULL': '&p, &quick', '1024': '64'}),
    'clopt_selfcheck(ctx, NULL)':
        (SOME[0] + 'struct clopt_selfcheck_options few = CLOPT_SELFCHECK_OPTIONS_INIT;\nfew.ops = 1;\n', SOME[1],
         {'ctx, NULL': 'ctx, &few'}),
    'clopt_open_cl(':
        ('#include <clopt_cl.h>\n' + SOME[0] + 'cl_context context = clopt_cl_context(ctx);\n'
         'cl_device_id device = clopt_cl_device(ctx);\nstruct clopt_buffer *buffer = NULL;\n'
         'cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);\n',
         '\nclopt_buffer_free(buffer);\n' + SOME[1], SOME[2]),
    'clopt_buffer_write(a, 0, bytes, host, NULL)':
        (OPENED + 'struct clopt *c = ctx;\nsize_t bytes = 64 * 64 * 4, lda = 64, ldb = 64, ldd = 64;\n'
         'struct clopt_buffer *a, *b, *d;\nfloat *host = calloc(1, bytes), *result = malloc(bytes);\n'
         'rc = clopt_buffer_new(c, bytes, &b) || clopt_buffer_new(c, bytes, &d);\n',
         '\nfree(host), free(result);\nclopt_buffer_free(a), clopt_buffer_free(b), clopt_buffer_free(d);' + CLOSED,
         {');  ...': ');', 'c, ...,': 'c, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 64, 64, 64, 1,'}),
    'clopt_tree_new(c, natoms, atoms, &tree)':
        (OPENED + 'struct clopt *c = ctx;\nsize_t natoms = 8, i, surfaces = 1, n[] = {4};\n'
         'float atoms[32] = {0}, points[16] = {1}, *vertices[] = {points}, out[4], *phi[] = {out};\n'
         'struct clopt_potential_options options = CLOPT_POTENTIAL_OPTIONS_INIT;\nstruct clopt_tree *tree;\n',
         CLOSED, {'clopt_tree_new(': 'rc = clopt_tree_new('}),
    'map.name = "hypot2"':
        (OPENED + 'struct clopt *c = ctx;\nfloat *x = calloc(8, 4 * 1000), *y = x + 4000;\n',
         '\nfree(x);' + CLOSED, {'100000000000': '1000', 'clopt_map(c': 'rc = clopt_map(c'}),
    'clopt_options_init(&options, sizeof options)':
        (INCLUDES + 'int main(void)\n{\nstruct clopt_options options;\nstruct clopt *ctx;\n',
         '\nclopt_close(ctx);\nreturn 0;\n}\n', {'"gpu*"': '"*"', 'clopt_open(': 'if (clopt_open(',
                                                   '&ctx, &options);': '&ctx, &options)) return 1;'}),
    'clopt_plan(ctx, &p, &plan)':
        (OPENED, CLOSED, {}),
    'clopt_prepare(c, &problem)':
        (OPENED + 'struct clopt *c = ctx;\nstruct clopt_problem problem = CLOPT_PROBLEM_INIT;\n'
         'problem.dim[0] = problem.dim[1] = problem.dim[2] = 8;\n', CLOSED, {'clopt_prepare': 'rc = clopt_prepare'}),
    'group.exchange = get_others':
        (SOME[0].replace('int main', 'static int get_others(void *user, void *rows, size_t row_bytes)\n{\n'
                         '\t(void)user, (void)rows, (void)row_bytes;\n\treturn 0;\n}\nint main'), SOME[1], SOME[2]),
    'clopt_occupancy("sm_90"':
        (INCLUDES + 'int main(void)\n{\n', '\nreturn o.waves == 0;\n}\n', {}),
    'clo::rows(a, m, k)':
        ('#include <clopt.hpp>\nint main()\n{\nconst std::size_t m = 2, n = 3, k = 4;\n', '\n}\n', {}),
    'clo::points(p, ':
        ('#include <clopt.hpp>\nint main()\n{\nclo::context ctx;\nconst std::size_t n = 2;\n', '\n}\n', {}),
    'call ctx%matmul(a, b, c)':
        ('', '', {}),
}
# Lines of shell that take long or need what no machine has: their help is asked for instead.
LONG = re.compile(r'(?:^|[ /])(clopt (?:tune|bench|check)|clopt occupancy [a-z]+|nbody) ')

blocks = []  # (page, line, language, text, before, after, reason not to run)
failures = []


def fail(place, text):
    failures.append(place)
    print('docs: %s: %s' % (place, text))


def dedent(lines):
    depth = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
    return '\n'.join(l[depth:] for l in lines).rstrip() + '\n'


def markdown(page):
    """The blocks of a page."""
    lines = (ROOT / page).read_text().split('\n')
    mark, i = None, 0
    while i < len(lines):
        line = lines[i]
        opened = re.match(r'( *)```+ *(\S*)', line)
        start = i + 1
        if '<!-- block ' in line or '<!-- not run: ' in line:
            text = line
            while '-->' not in text:
                i += 1
                text += '\n' + lines[i]
            mark = text.strip()[len('<!-- '):-len('-->')]
        elif opened:
            i += 1
            body = []
            while not lines[i].strip().startswith('```'):
                body.append(lines[i])
                i += 1
            add(page, start, opened.group(2), dedent(body), mark)
            mark = None
        elif (re.match(r'(    |\t)', line) and (mark or not lines[i - 1].strip())
              and len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip()) >= 4 + in_list(lines, i)):
            body = []
            depth = len(line) - len(line.lstrip())
            while i < len(lines) and (lines[i].startswith(' ' * depth) or not lines[i].strip()):
                body.append(lines[i])
                i += 1
            text = dedent(body)
            add(page, start, 'cmake' if re.match(r'\w+\(', text) else 'sh', text, mark)
            mark = None
            continue
        elif line.strip():
            mark = None
        i += 1


def in_list(lines, i):
    """How far the text of the list's item is indented that an indented line goes on with; 0: none."""
    while i and (not lines[i].strip() or lines[i].startswith(' ')):
        i -= 1
    item = re.match(r'(\d+\.|[-*]) ', lines[i])
    return len(item.group(0)) if item else 0


def add(page, line, language, text, mark):
    before = after = ''
    reason = None if language and language != 'text' else 'output or a formula'
    if mark and mark.startswith('not run:'):
        reason = mark.split(':', 1)[1].strip()
    elif mark:
        language, rest = mark[len('block '):].split(':', 1)
        before, _, after = rest.partition('...')
        reason = None
    if page == 'README.md' and language == 'c' and not before + after and 'int main(' not in text:
        before, after = TASKS, '\nfree(big);' + CLOSED
    blocks.append((page, line, language, text, before, after, reason))


def header(name):
    """The blocks of a header: lines of a comment that begin with a tab and are code."""
    comment = re.compile(r'(?: \*|!)(?:\t|     )(.*)')
    lines = (ROOT / 'include' / name).read_text().split('\n')
    i = 0
    while i < len(lines):
        start, body = i + 1, []
        while i < len(lines) and (comment.match(lines[i]) or (body and lines[i] in (' *', '!'))):
            found = comment.match(lines[i])
            # Behind a wide gap stands what the line does, in words.
            body.append(re.sub(r'(;|\)) {4,}.*', r'\1', found.group(1)) if found else '')
            body[-1] = re.sub(r' \*/$', '', body[-1])
            i += 1
        text = '\n'.join(body)
        if re.search(r'\);$|^call ', text, re.M):
            page = 'include/' + name
            language = {'hpp': 'c++', 'f90': 'fortran'}.get(name.split('.')[1], 'c')
            before, after, changes = next((v for k, v in AROUND.items() if k in text), SOME)
            if 'int main(' in text:  # a whole program
                changes = {}
            elif before.startswith(SOME[0]):  # its calls succeed
                text = re.sub(r'^(clopt_(?!close|cancel|call_free)\w+\(ctx)', r'rc = rc ? rc : \1', text, flags=re.M)
            for old, new in changes.items():
                text = text.replace(old, new)
            blocks.append((page, start, language, text, before, after, None))
        i += not body


def command(words, folder, **extra):
    done = subprocess.run(words, cwd=folder, env=dict(os.environ, **extra), text=True, errors='replace',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    command.printed = done.stdout
    return None if done.returncode == 0 else done.stdout[-3000:] or 'status %d' % done.returncode


def tool(name):
    """rustup has a rustc that may be without a compiler."""
    runs = shutil.which(name) and any(command([name, option], '.') is None for option in ('--version', '-v'))
    return None if runs else 'no %s that runs' % name


def has_packages(python):
    return command([python, '-c', 'import numpy, matplotlib'], ROOT) is None


# A python3 of the user's own may come first, and lack what Debian's has.
PYTHON = next(filter(has_packages, filter(shutil.which, ('python3', '/usr/bin/python3'))), 'python3')
CC = os.environ.get('CC', 'cc').split()
CXX = os.environ.get('CXX', 'c++').split()
LINK = ['-I', str(ROOT / 'include'), '-L', str(BUILD), '-lclopt', '-Wl,-rpath,' + str(BUILD), '-lOpenCL', '-lm']
STRICT = ['-Wall', '-Wextra', '-Werror', '-Wno-unused-parameter']


def c(folder, text, before, after):
    """A whole program, a step of one, a unit with what stands round it, or declarations."""
    last = folder / 'whole.c'
    if 'int main(' not in text + before and last.exists() and NEXT in last.read_text():
        text = last.read_text().replace(NEXT, text + NEXT)
    whole = 'int main(' in text
    if text.startswith('__kernel'):  # the kernel's text, then C
        kernel, text = text.split('\n\n', 1)
        quoted = kernel.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n"\n"')
        text = 'const char *source = "%s\\n";\n%s' % (quoted, text)
    source = folder / 'block.c'
    source.write_text(text if whole else before + text + after)
    made = ['-o', 'block'] if whole or 'int main(' in before else ['-c']
    wrong = command(CC + ['-std=c99'] + STRICT + ['-Wno-unused-variable', '-Wno-missing-field-initializers', '-Wno-misleading-indentation', 'block.c'] + made +
                    ['-I', str(ROOT / 'lib')] + LINK, folder)
    if whole:
        shutil.copy(source, last)
    return wrong or (command(['./block'], folder) if '-o' in made else None)


def cxx(folder, text, before, after):
    (folder / 'block.cc').write_text(before + text + after)
    return (command(CXX + ['-std=c++17'] + STRICT + ['block.cc', '-o', 'block'] + LINK, folder) or
            command(['./block'], folder))


def fortran(folder, text, before, after):
    """The parts of a program, in the order that Fortran asks for."""
    lines = [l for l in text.split('\n') if not re.match('dir=|gfortran ', l)]
    used = [l for l in lines if l.startswith('use ')] or ['use clopt']
    declared = [l for l in lines if '::' in l]
    rest = [l for l in lines if l not in used + declared]
    (folder / 'block.f90').write_text('\n'.join(
        ['program one'] + used + ['implicit none'] + declared +
        ['real :: a(2, 3) = 1, b(3, 4) = 1, c(2, 4)', before] + rest + [after, 'if (c(2, 4) /= 3) error stop', 'end']))
    return (command(['gfortran', '-O0', '-I', str(BUILD), str(ROOT / 'include/clopt.f90'), 'block.f90', '-o', 'block'] +
                    LINK, folder) or command(['./block'], folder))


def lua(folder, text, before, after):
    (folder / 'block.lua').write_text(before + text + after)
    return command(['luajit', 'block.lua'], folder, CLOPT_INCLUDE=str(ROOT / 'include'),
                   LUA_PATH=str(FFI / '?.lua'))


def r(folder, text, before, after):
    for name in 'clopt.R', 'clopt_r.c':
        shutil.copy(FFI / name, folder)
    (folder / 'block.R').write_text(before + text + after)
    return (command(['R', 'CMD', 'SHLIB', 'clopt_r.c'], folder, PKG_CPPFLAGS='-I%s/include' % ROOT,
                    PKG_LIBS='-L%s -lclopt' % BUILD) or command(['Rscript', '--vanilla', 'block.R'], folder))


def rust(folder, text, before, after):
    for path in FFI / 'clopt.rs', BUILD / 'clopt_c.rs':
        shutil.copy(path, folder)
    (folder / 'block.rs').write_text(before + text + after)
    return (command(['rustc', '--edition', '2021', '-A', 'warnings', '-L', str(BUILD), '-l', 'clopt', 'block.rs'], folder) or
            command(['./block'], folder))


def python(folder, text, before, after):
    (folder / 'block.py').write_text(before + text + after)
    return command([PYTHON, 'block.py'], folder)


def shell(folder, text, before, after):
    """The lines, with stand-ins for what would take long or change the machine."""
    lines = re.sub(r'\\\n *', ' ', text).split('\n')
    run = []
    for line in lines:
        line = re.sub(r'(^| +)# .*', '', line).replace('/usr/local/lib/', str(BUILD) + '/')
        # make check compiles these together (bare.so), which takes long.
        line = line.replace('lib/*/*.c build/sources.c', str(BUILD / 'libclopt.a'))
        if LONG.search(line + ' '):
            line += ' --help'
        for name in re.findall(r'\b\w+\.c\b', line):
            if '/' + name not in line and not (folder / name).exists():
                if (folder / 'whole.c').exists():
                    (folder / name).symlink_to('whole.c')  # as it grows
                else:
                    shutil.copy(ROOT / 'examples/matmul.c', folder / name)
        run.append(line)
    stand_ins = '''set -e
# With -n make still runs lines that call make: in a shell that does nothing.
make() { command make --no-print-directory -n -C "$ROOT" "$@" SHELL=/bin/true >make.log; }
sudo() { case $1 in make) "$@" ;; *) return 0 ;; esac; }
python3() { case "$1 $2" in "-m pip") return 0 ;; *) command "$PYTHON" "$@" ;; esac; }
apt() { :; }
apt-get() { :; }
'''
    return command(['bash', '-c', stand_ins + before + '\n'.join(run) + after], folder,
                   PATH='%s/examples:%s' % (BUILD, os.environ['PATH']), ROOT=str(ROOT),
                   PKG_CONFIG_PATH=str(folder.parent / 'installed/lib/pkgconfig'))


def output(folder, text, before, after):
    return None if command.printed.endswith(text) else 'but this was printed:\n' + command.printed[-3000:]


def cmake(folder, text, before, after):
    """The target `yours` with the package, or (not built: source.sh does that) with the source tree."""
    shutil.rmtree(folder / 'project', ignore_errors=True)
    (folder / 'project').mkdir()
    (folder / 'project/libclopt').symlink_to(ROOT)
    text = re.sub(r'URL libclopt-\S*', 'SOURCE_DIR ${CMAKE_SOURCE_DIR}/libclopt', text)
    (folder / 'project/CMakeLists.txt').write_text(
        'cmake_minimum_required(VERSION 3.18)\nproject(yours C)\nadd_executable(yours %s/examples/matmul.c)\n%s'
        % (ROOT, before + text + after))
    wrong = command(['cmake', '-S', 'project', '-B', 'project/made',
                     '-DCMAKE_PREFIX_PATH=%s/installed' % folder.parent], folder)
    if wrong or not text.startswith('find_package'):
        return wrong
    return command(['cmake', '--build', 'project/made'], folder) or command(['project/made/yours'], folder)


def fixtures(folder):
    """The files that readers have: a molecule, its surface, a trajectory, a program, a time line."""
    for name in 'include', 'lib', 'examples', 'docs', 'test', 'cl', 'build', 'Makefile', 'README.md':
        (folder / name).symlink_to(ROOT / name)
    atom = 'ATOM  %5d  C   ALA A%4d    %8.3f%8.3f%8.3f %7.4f %6.4f\n'
    atoms = [atom % (i, 1 + i // 3, i % 3 * 1.5, i // 3 * 1.5, 0, (-1) ** i * .3, 1.7) for i in range(6)]
    for name in 'm.pqr', 'a.pqr', 'b.pqr':
        (folder / name).write_text(''.join(atoms) + 'END\n')
    (folder / 'mutant.pqr').write_text(''.join(atoms).replace('.3000', '.2000') + 'END\n')
    (folder / 'trajectory.pqr').write_text(''.join('MODEL %d\n%sENDMDL\n' % (m, ''.join(atoms)) for m in (1, 2)))
    ways = [(x, y, z) for x, y, z in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))]
    (folder / 'm.vert').write_text('# an octahedron\n#vertex #sphere density probe_r\n6 6 1.0 1.5\n' + ''.join(
        '%9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %7d %7d %2d\n' % (1.5 + 4 * x, .75 + 4 * y, 4 * z, x, y, z, 0, 1, 0)
        for x, y, z in ways))
    faces = [(1, 3, 5), (3, 2, 5), (2, 4, 5), (4, 1, 5), (3, 1, 6), (2, 3, 6), (4, 2, 6), (1, 4, 6)]
    (folder / 'm.face').write_text('# an octahedron\n#faces #sphere density probe_r\n8 6 1.0 1.5\n' + ''.join(
        '%6d %6d %6d %2d %6d\n' % (*f, 1, 0) for f in faces))
    (folder / 'model.py').write_text('print("a model")\n')
    return c(folder, INCLUDES + '''int main(void)
{
	struct clopt *ctx;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	static float a[64 * 64], c[64 * 64];

	options.profile = 1;
	return clopt_open(&ctx, &options) || clopt_trace_start(ctx) || clopt_matmul(ctx, 64, 64, 64, a, a, c) ||
	       clopt_trace_json(ctx, "line.json");
}
''', '', '') or (folder / 'whole.c').unlink()


RUN = {'c': (c, CC[0]), 'c++': (cxx, CXX[0]), 'fortran': (fortran, 'gfortran'), 'lua': (lua, 'luajit'),
       'r': (r, 'R'), 'rust': (rust, 'rustc'), 'python': (python, 'python3'), 'sh': (shell, 'bash'),
       'bash': (shell, 'bash'), 'cmake': (cmake, 'cmake'), 'julia': (None, 'julia'),
       'output': (output, None)}


def calls():
    """docs/calls.md has each public function, and its lines are right C."""
    text = (ROOT / 'docs/calls.md').read_text()
    named = set(re.findall(r'clopt_\w+', text))
    for header in sorted((ROOT / 'include').glob('*.h')):
        for name in re.findall(r'CLOPT_API [^;()]*?(clopt_\w+)\(', header.read_text()):
            if name not in named and not name.endswith('_init') and re.sub('_(start|buffers)$', '', name) not in named:
                fail('docs/calls.md', '%s of %s is not there' % (name, header.name))
    lines = re.findall(r'^\|[^|]*\| `([^`]*;)` \|', text, re.M)
    if len(lines) < LEAST:
        fail('docs/calls.md', 'only %d lines of C' % len(lines))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / 'mpi.h').write_text('')
        (Path(folder) / 'calls.c').write_text(CALLS + '\n'.join(lines) + '\n}\n')
        wrong = command(CC + ['-std=c99'] + STRICT + ['-c', 'calls.c', '-I.', '-I', str(ROOT / 'include')], folder)
        if wrong:
            fail('docs/calls.md', wrong)


def names(pages):
    """Functions and files that documents name exist."""
    public = ''.join((ROOT / 'include' / h).read_text() for h in HEADERS + ['clopt_mpi.h'])
    private = ''.join(p.read_text() for p in [*FFI.glob('*'), *ROOT.glob('lib/blas/src/*.[ch]')])
    known = set(re.findall(r'\w+', public + private))
    for page in pages:
        if page == 'docs/NEWS.md':  # it has names of old
            continue
        for n, line in enumerate((ROOT / page).read_text().split('\n'), 1):
            for name in re.findall(r'`(clopt_[a-z0-9][a-z0-9_]+)\b(?!/)', line):
                if name not in known and not any(k.startswith(name) for k in known):
                    fail('%s:%d' % (page, n), name + ' is in no header')
            for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', line):
                if not (ROOT / page).parent.joinpath(link).exists():
                    fail('%s:%d' % (page, n), link + ' is not there')


def main():
    asked = sys.argv[1:]
    pages = asked or ['README.md'] + sorted('docs/' + p.name for p in (ROOT / 'docs').glob('*.md'))
    for page in pages:
        if page.endswith('.md'):
            markdown(page)
    for name in HEADERS:
        if not asked or 'include/' + name in asked:
            header(name)
    names([p for p in pages if p.endswith('.md')])
    if 'docs/calls.md' in pages:
        calls()
    os.environ.update(LD_LIBRARY_PATH=str(BUILD), PYTHONPATH=str(BUILD / 'python'), PYTHONDONTWRITEBYTECODE='1')
    numpy = has_packages(PYTHON)
    os.environ['PYTHON'] = PYTHON
    ran, told, folders, skipped = 0, [], {}, None
    with tempfile.TemporaryDirectory() as top:
        top = Path(top)
        os.environ['CLOPT_CACHE_DIR'] = str(top / 'cache')
        wrong = command(['make', 'install', 'PREFIX=%s/installed' % top], ROOT, MAKEFLAGS='')
        if wrong:
            fail('make install', wrong)
        for page, line, language, text, before, after, reason in blocks:
            place = '%s:%d' % (page, line)
            if not reason and language not in RUN:
                fail(place, 'no rule for the language "%s": mark the block' % language)
                continue
            if language == 'output':
                reason = skipped  # as the block that prints it
            else:
                reason = reason or tool(RUN[language][1]) or ('numpy' in text and not numpy and 'no numpy')
            skipped = reason
            if reason:
                told.append('%s: not run, %s' % (place, reason))
                continue
            if page not in folders:
                folders[page] = top / str(len(folders))
                folders[page].mkdir()
                wrong = fixtures(folders[page])
                if wrong:
                    fail(place, 'fixtures: ' + wrong)
            wrong = RUN[language][0](folders[page], text, before, after)
            if wrong:
                fail(place, '%s\n%s' % (text, wrong))
            else:
                ran += 1
    print('\n'.join(told))
    print('docs: %d blocks ran, %d did not, %d failed' % (ran, len(told), len(failures)))
    if not asked and ran + sum('no ' in t.split('not run, ')[1][:3] for t in told) < LEAST:
        fail('docs', 'fewer than %d blocks ran' % LEAST)
    sys.exit(bool(failures))


main()
