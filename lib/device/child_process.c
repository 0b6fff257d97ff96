/* SPDX-License-Identifier: MIT */
/*
 * child_process.c - runs work that may crash or hang in a child process.
 *
 * The child reports through a pipe; the end of the pipe tells that the child is gone, so the parent
 * needs no signal handler, and the program's SIGCHLD does not matter.  Strictly, the child of a
 * process with several threads may do little more than exec; but C libraries keep malloc, stdio and
 * the linker usable after fork().  A lock held by another thread at fork() stays locked: the child
 * may hang, and the caller must expect this.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* setrlimit, also under -std=c99 */
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

static const char done[] = "done\n";

/* The child resets the program's signal handlers, and a driver's messages do not reach the
 * program's terminal. */
static void settle(double seconds)
{
	static const int signals[] = { SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGABRT, SIGTRAP,
		                       SIGSYS,  SIGPIPE, SIGALRM, SIGTERM, SIGINT,  SIGCHLD };
	const struct rlimit no_core = { 0, 0 };
	struct sigaction standard;
	sigset_t none;
	size_t i;
	int null = open("/dev/null", O_RDWR);

	memset(&standard, 0, sizeof standard);
	standard.sa_handler = SIG_DFL;
	for (i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &standard, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &no_core);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	/* In case the parent dies first. */
	alarm((unsigned)seconds + 2);
}

/* Above the standard descriptors, which may be closed here and are replaced in the child.  Children
 * of the driver must not keep the pipe open. */
static int pipe_open(int ends[2])
{
	int low[2], i;

	if (pipe(low))
		return -1;
	for (i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
		close(low[i]);
	}
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	for (i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return -1;
}

/* Keep the last complete line of the text. */
static void keep_line(const char *text, size_t n, struct child *child)
{
	size_t end = n, start;

	while (end && text[end - 1] != '\n')
		end--;
	for (start = end ? end - 1 : 0; start && text[start - 1] != '\n';)
		start--;
	if (end)
		snprintf(child->doing, sizeof child->doing, "%.*s", (int)(end - start - 1),
		         text + start);
}

/* Read until the pipe ends or time is up.  Returns whether the pipe has ended. */
static int listen_to(int in, double seconds, struct child *child)
{
	double until = clopt__now() + seconds;
	char text[2048];
	size_t used = 0;
	double left;
	ssize_t n;

	while ((left = until - clopt__now()) > 0) {
		struct pollfd p = { in, POLLIN, 0 };

		if (poll(&p, 1, (int)(1000 * left) + 1) <= 0)
			continue; /* a signal, or time is up */
		if (used > sizeof text / 2) { /* lines are short, and the last ones matter */
			memmove(text, text + used - 512, 512);
			used = 512;
		}
		n = read(in, text + used, sizeof text - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 1;
		used += (size_t)n;
		keep_line(text, used, child);
		if (used >= sizeof done - 1 &&
		    !memcmp(text + used - (sizeof done - 1), done, sizeof done - 1)) {
			child->end = CHILD_DONE;
			until = clopt__now() + 1; /* its own children may hold the pipe open */
		}
	}
	return 0;
}

/* Whether the child is gone; the program may have waited for it already (ECHILD). */
static int reap(pid_t pid, int milliseconds, struct child *child)
{
	const struct timespec moment = { 0, 1000000 };
	int status, i;
	pid_t got;

	for (i = 0; i <= milliseconds; i++) {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid && WIFSIGNALED(status))
			child->signal = WTERMSIG(status);
		if (got == pid || (got < 0 && errno != EINTR))
			return 1;
		nanosleep(&moment, NULL);
	}
	return 0;
}

void clopt__child(void (*work)(void *arg, int out), void *arg, double seconds, struct child *child)
{
	int ends[2], ended;
	pid_t pid;

	memset(child, 0, sizeof *child);
	child->end = CHILD_NONE;
	if (pipe_open(ends))
		return;
	pid = fork();
	if (pid == 0) {
		settle(seconds);
		work(arg, ends[1]);
		/* Not exit: the program's exit handlers are not for the child. */
		_exit(write(ends[1], done, sizeof done - 1) < 0);
	}
	close(ends[1]);
	if (pid > 0) {
		child->end = CHILD_CRASHED;
		ended = listen_to(ends[0], seconds, child);
		if (!ended && child->end != CHILD_DONE)
			child->end = CHILD_HUNG;
		/* Kill the child only if it is still there: its number may have been reused.  Do
		 * not wait for a child that survives even this. */
		if (!reap(pid, ended ? 1000 : 0, child)) {
			kill(pid, SIGKILL);
			reap(pid, 1000, child);
		}
	}
	close(ends[0]);
}
