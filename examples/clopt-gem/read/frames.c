/* SPDX-License-Identifier: MIT */
/*
 * frames.c - a molecule in the frames of a trajectory, which the Python package MDAnalysis reads
 * (Michaud-Agrawal et al., J. Comput. Chem. 32, 2319, 2011).
 *
 * A process of Python writes to a pipe: for each frame a + and its coordinates as floats, in
 * angstroms, and at the end a -, with a reason if it failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/tidy.h"
#include "read.h"

static const char script[] =
        "import sys\n"
        "sys.path = [p for p in sys.path if p]\n"
        "out, reason = sys.stdout.buffer, ''\n"
        "try:\n"
        "    from MDAnalysis.coordinates.core import reader\n"
        "    n = int(sys.argv[2])\n"
        "    frames, done = reader(sys.argv[1], n_atoms=n), 0\n"
        "    if frames.n_atoms != n:\n"
        "        reason = ('it has %d atoms, the molecule %d: both must have the same, in one '\n"
        "                  'order' % (frames.n_atoms, n))\n"
        "    else:\n"
        "        for frame in frames:\n"
        "            out.write(b'+' + frame.positions.astype('=f4').tobytes())\n"
        "            done += 1\n"
        "        if done < frames.n_frames:\n"
        "            reason = 'it ends within frame %d of %d' % (done + 1, frames.n_frames)\n"
        "except ImportError as e:\n"
        "    reason = ('trajectories are read by the Python package MDAnalysis (%s): install it '\n"
        "              '(Debian: apt install python3-mdanalysis; elsewhere: pip install '\n"
        "              'MDAnalysis)' % e)\n"
        "except Exception as e:\n"
        "    reason = 'MDAnalysis failed: ' + str(e).strip().split('\\n')[0]\n"
        "out.write(b'-' + ''.join(c if c.isprintable() else '?' for c in reason).encode())\n";

extern char **environ;

int gem_frames_open(struct gem_frames *f, const char *name, size_t atoms, struct fault *e)
{
	char count[24];
	const char *const argv[] = { "python3", "-c", script, name, count, NULL };
	posix_spawn_file_actions_t to;
	int end[2], rc;

	*f = (struct gem_frames){ .name = name };
	snprintf(count, sizeof count, "%zu", atoms);
	if (pipe(end))
		return fail(e, "%.400s: %s", name, strerror(errno));
	f->from = fdopen(end[0], "rb");
	rc = !f->from || fcntl(end[0], F_SETFD, FD_CLOEXEC) || posix_spawn_file_actions_init(&to);
	if (rc == 0) {
		rc = posix_spawn_file_actions_adddup2(&to, end[1], STDOUT_FILENO);
		rc = rc ? rc : posix_spawn_file_actions_addclose(&to, end[1]);
		rc = rc    ? rc : /* warnings of Python; errors are written to the pipe */
		             posix_spawn_file_actions_addopen(&to, STDERR_FILENO, "/dev/null",
		                                              O_WRONLY, 0);
		rc = rc ? rc :
		          posix_spawnp(&f->child, argv[0], &to, NULL, (char **)(uintptr_t)argv,
		                       environ);
		posix_spawn_file_actions_destroy(&to);
	}
	close(end[1]);
	if (!f->from)
		close(end[0]);
	if (rc) {
		f->child = 0;
		gem_frames_close(f);
		return fail(e,
		            "%.400s: trajectories are read by MDAnalysis in python3, which "
		            "cannot be started: %s",
		            name, strerror(rc));
	}
	tidy_add_child(f->child);
	return 0;
}

int gem_frames_next(struct gem_molecule *to, struct gem_frames *f, const struct gem_molecule *m,
                    struct fault *e)
{
	float(*at)[3] = malloc(m->n * sizeof *at);
	char reason[300] = "";
	size_t i, len;
	int k, mark = at ? getc(f->from) : 0, rc = 1;

	*to = *m;
	to->atom = malloc(m->n * sizeof *m->atom);
	f->done += mark == '+';
	if (!at || !to->atom) {
		rc = fail(e, "out of memory for %zu atoms", m->n);
	} else if (mark != '+') {
		len = mark == '-' ? fread(reason, 1, sizeof reason - 1, f->from) : 0;
		rc = mark != '-' ? fail(e, "%.400s: python3 failed", f->name) :
		     len         ? fail(e, "%.400s: %s", f->name, reason) :
		     !f->done    ? fail(e, "%.400s: the trajectory has no frames", f->name) :
		                   0;
	} else if (fread(at, sizeof *at, m->n, f->from) < m->n) {
		rc = fail(e, "%.400s: python3 failed in frame %zu", f->name, f->done);
	}
	for (i = 0; rc > 0 && i < 3 * m->n; i++) {
		const double x = (double)at[i / 3][k = (int)(i % 3)];

		if (!(fabs(x) <= GEM_LARGEST))
			rc = fail(e,
			          "%.400s: frame %zu: atom %zu: the coordinate %g is out of "
			          "range",
			          f->name, f->done, i / 3 + 1, x);
		if (k == 0)
			to->atom[i / 3] = m->atom[i / 3];
		to->atom[i / 3].at[k] = x;
	}
	free(at);
	if (rc > 0 && gem_molecule_sums(to, f->name, e))
		rc = -1;
	if (f->done > 1)
		to->lost_residues = to->added_to = 0; /* they have been told */
	if (rc <= 0)
		gem_molecule_free(to);
	return rc;
}

void gem_frames_close(struct gem_frames *f)
{
	if (f->from)
		fclose(f->from);
	if (f->child) {
		kill(f->child, SIGTERM); /* if not all frames were read */
		while (waitpid(f->child, NULL, 0) < 0 && errno == EINTR)
			;
		tidy_drop_child(f->child);
	}
	*f = (struct gem_frames){ .name = NULL };
}
