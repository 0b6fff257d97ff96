/* SPDX-License-Identifier: MIT */
/*
 * child.c - see child.h.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidy.h"

extern char **environ;

static void own(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int child_start(struct child *c, const char *const argv[], int in, int out)
{
	posix_spawn_file_actions_t to;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int ends[2], theirs = in == CHILD_PIPE ? 0 : 1, rc = 0;
	const int piped = in == CHILD_PIPE || out == CHILD_PIPE;

	*c = (struct child){ .said = tmpfile() };
	if (!c->said || (piped && pipe(ends))) {
		rc = errno;
		child_free(c);
		return rc;
	}
	posix_spawn_file_actions_init(&to);
	posix_spawnattr_init(&attributes);
	signal(SIGCHLD, SIG_DFL); /* ignored, children would leave no status */
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE); /* perhaps ignored here, and not there */
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	own(fileno(c->said));
	if (piped) {
		own(ends[0]);
		own(ends[1]);
		c->pipe = fdopen(ends[!theirs], theirs ? "rb" : "wb");
		posix_spawn_file_actions_adddup2(&to, ends[theirs], theirs);
	}
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&to, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&to, fileno(c->said), STDERR_FILENO);
	if (out == CHILD_SAID)
		posix_spawn_file_actions_adddup2(&to, fileno(c->said), STDOUT_FILENO);
	rc = piped && !c->pipe ? ENOMEM :
	                         posix_spawnp(&c->id, argv[0], &to, &attributes,
	                                      (char **)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&to);
	if (piped)
		close(ends[theirs]);
	if (piped && !c->pipe)
		close(ends[!theirs]);
	if (rc) {
		c->id = 0;
		child_free(c);
	} else {
		tidy_add_child(c->id);
	}
	return rc;
}

FILE *child_input(const void *const data[], const size_t size[], size_t n)
{
	FILE *f = tmpfile();
	size_t i;
	int bad = !f;

	for (i = 0; i < n && !bad; i++)
		bad = fwrite(data[i], 1, size[i], f) != size[i];
	if (!bad && fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0)
		return f;
	if (f)
		fclose(f);
	return NULL;
}

int child_end(struct child *c)
{
	int status = -1;

	if (c->pipe)
		fclose(c->pipe);
	c->pipe = NULL;
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
		kill(c->id, SIGTERM);
	child_end(c);
	if (c->said)
		fclose(c->said);
	c->said = NULL;
}
