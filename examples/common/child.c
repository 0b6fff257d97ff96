/* SPDX-License-Identifier: MIT */
/*
 * child.c - see child.h.
 *
 * A child leads a group of processes, so that a signal to the group also ends what it has started.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidy.h"

extern char **environ;

static void own(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* A pipe whose end *theirs becomes the child's file `as`, 0 or 1.  0, or errno. */
static int make_pipe(FILE **ours, int *theirs, int as, posix_spawn_file_actions_t *to)
{
	int ends[2];

	if (pipe(ends))
		return errno;
	own(ends[0]);
	own(ends[1]);
	*theirs = ends[as];
	*ours = fdopen(ends[!as], as ? "rb" : "wb");
	if (!*ours)
		close(ends[!as]);
	return *ours ? posix_spawn_file_actions_adddup2(to, ends[as], as) : ENOMEM;
}

int child_start(struct child *c, const char *const argv[], int pipes)
{
	posix_spawn_file_actions_t to;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int i, theirs[] = { -1, -1 }, rc;

	*c = (struct child){ .said = tmpfile() };
	rc = c->said ? 0 : errno;
	posix_spawn_file_actions_init(&to);
	posix_spawnattr_init(&attributes);
	signal(SIGCHLD, SIG_DFL); /* ignored, children would leave no status */
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE); /* perhaps ignored here, and not there */
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	if (!rc && pipes & CHILD_IN)
		rc = make_pipe(&c->in, &theirs[0], STDIN_FILENO, &to);
	if (!rc && pipes & CHILD_OUT)
		rc = make_pipe(&c->out, &theirs[1], STDOUT_FILENO, &to);
	if (!rc) {
		own(fileno(c->said));
		posix_spawn_file_actions_adddup2(&to, fileno(c->said), STDERR_FILENO);
		rc = posix_spawnp(&c->id, argv[0], &to, &attributes, (char **)(uintptr_t)argv,
		                  environ);
	}
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&to);
	for (i = 0; i < 2; i++)
		if (theirs[i] >= 0)
			close(theirs[i]);
	if (rc) {
		c->id = 0;
		child_free(c);
	} else {
		tidy_add_child(c->id);
	}
	return rc;
}

void child_give(struct child *c, const void *const data[], const size_t size[], size_t n)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	size_t i;

	for (i = 0; i < n; i++)
		fwrite(data[i], 1, size[i], c->in);
	fclose(c->in);
	c->in = NULL;
	signal(SIGPIPE, old);
}

int child_end(struct child *c)
{
	int status = -1;

	if (c->in)
		fclose(c->in);
	if (c->out)
		fclose(c->out);
	c->in = c->out = NULL;
	if (c->id) {
		while (waitpid(c->id, &status, 0) < 0 && errno == EINTR)
			;
		tidy_drop_child(c->id);
	}
	c->id = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

char *child_line(const struct child *c, int last, char *text, size_t room)
{
	char line[1024];

	*text = 0;
	rewind(c->said);
	while ((last || !*text) && fgets(line, sizeof line, c->said)) {
		line[strcspn(line, "\n")] = 0;
		if (line[strspn(line, " \r")])
			snprintf(text, room, "%s", line);
	}
	return text;
}

void child_free(struct child *c)
{
	if (c->id)
		kill(-c->id, SIGTERM);
	child_end(c);
	if (c->said)
		fclose(c->said);
	c->said = NULL;
}

int child_python(struct child *c, const char *script, const char *const words[], int pipes,
                 const char *name, const char *what, struct fault *e)
{
	const char *argv[11] = { "python3", "-c", script };
	int i, rc;

	for (i = 0; i < 7 && words[i]; i++)
		argv[3 + i] = words[i];
	*e->text = 0;
	rc = child_start(c, argv, pipes);
	c->name = name;
	return rc ? fail(e, "%.400s: %s in python3, which cannot be started: %s", name, what,
	                 strerror(rc)) :
	            0;
}

int child_python_end(struct child *c, int rc, struct fault *e)
{
	const int status = child_end(c);
	char text[sizeof e->text];

	if ((status || rc) && !*e->text && *child_line(c, 1, text, sizeof text))
		fail(e, "%s", text);
	else if ((status || rc) && !*e->text)
		fail(e, "%.400s: python3 failed: it ended %s %d", c->name,
		     status < 0 ? "by signal" : "with status", abs(status));
	child_free(c);
	return status || rc ? -1 : 0;
}
