/* SPDX-License-Identifier: MIT */
/*
 * child_process.c - runs work that may crash or hang in a child process.
 *
 * The child reports in memory that it shares with the parent.  The parent asks whether the child is
 * still there, so it needs no signal handler, and the program's SIGCHLD does not matter.  Strictly,
 * the child of a process with several threads may do little more than exec; but C libraries keep
 * malloc, stdio and the linker usable after fork().  A lock held by another thread at fork() stays
 * locked: the child may hang, and the caller must expect this.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* setrlimit and MAP_ANONYMOUS, also under -std=c99 */
#endif
#include "probe.h"

#if CAN_PROBE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
	char doing[CHILD_TEXT];
	volatile int done;
};

/* The child resets the program's signal handlers, and a driver's messages do not reach the
 * program's terminal. */
static void settle(double seconds)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t none;
	int i, null = open("/dev/null", O_RDWR);

	for (i = 1; i < 32; i++)
		signal(i, SIG_DFL);
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

/* Wait until the child is gone, or (NULL: never) done; the program may have waited for it already
 * (ECHILD).  Returns whether it is gone. */
static int await(pid_t pid, double seconds, const struct shared *shared, struct child *child)
{
	const struct timespec moment = { 0, 1000000 };
	const double until = clopt__now() + seconds;
	int status;
	pid_t got;

	do {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid && WIFSIGNALED(status))
			child->signal = WTERMSIG(status);
		if (got == pid || (got < 0 && errno != EINTR))
			return 1;
		nanosleep(&moment, NULL);
	} while (!(shared && shared->done) && clopt__now() < until);
	return 0;
}

void clopt__child(void (*work)(void *arg, char *doing), void *arg, double seconds,
                  struct child *child)
{
	struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
	                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int gone;
	pid_t pid;

	memset(child, 0, sizeof *child);
	child->end = CHILD_NONE;
	if (shared == MAP_FAILED)
		return;
	pid = fork();
	if (pid == 0) {
		settle(seconds);
		work(arg, shared->doing);
		shared->done = 1;
		_exit(0); /* not exit: the program's exit handlers are not for the child */
	}
	if (pid > 0) {
		gone = await(pid, seconds, shared, child);
		child->end = shared->done ? CHILD_DONE : gone ? CHILD_CRASHED : CHILD_HUNG;
		/* Kill the child only if it is still there: its number may have been reused.  Do
		 * not wait for a child that survives even this. */
		if (!gone && !await(pid, shared->done ? 1 : 0, NULL, child)) {
			kill(pid, SIGKILL);
			await(pid, 1, NULL, child);
		}
		memcpy(child->doing, shared->doing, sizeof child->doing - 1);
	}
	munmap(shared, sizeof *shared);
}
#endif
