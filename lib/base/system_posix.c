/* SPDX-License-Identifier: MIT */
/*
 * system_posix.c - Linux, macOS and other Unixes.
 */
#if !defined _FILE_OFFSET_BITS && __SIZEOF_LONG__ < 8
#define _FILE_OFFSET_BITS 64 /* otherwise 32-bit systems refuse files with larger inode numbers */
#endif
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* openat and similar functions, _SC_PHYS_PAGES, also under -std=c99 */
#endif
#ifndef _DARWIN_C_SOURCE
#define _DARWIN_C_SOURCE /* the same on macOS */
#endif
#include "numbers.h"
#include "system.h"

#ifndef _WIN32
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#endif

/* ---- Files ---------------------------------------------------------------- */

int clopt__open(const char *path, enum open_how how)
{
	static const int flags[] = {
		[OPEN_READ] = O_RDONLY | O_NONBLOCK,
		[OPEN_WRITE] = O_WRONLY | O_NONBLOCK,
		[OPEN_STREAM] = O_WRONLY,
		[OPEN_NEW] = O_WRONLY | O_CREAT | O_EXCL,
		[OPEN_APPEND] = O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK,
	};

	return open(path, flags[how] | O_CLOEXEC, how == OPEN_APPEND ? 0600 : 0666);
}

void clopt__close(int file)
{
	close(file);
}

int clopt__replace(const char *from, const char *to)
{
	return rename(from, to);
}

int clopt__is_absolute(const char *path)
{
	return *path == '/';
}

char *clopt__full_path(const char *path)
{
	char here[4096], *full;
	size_t room;

	if (clopt__is_absolute(path) || !getcwd(here, sizeof here))
		*here = '\0';
	room = strlen(here) + strlen(path) + 2;
	full = malloc(room);
	if (full)
		snprintf(full, room, "%s%s%s", here, *here ? "/" : "", path);
	return full;
}

void clopt__make_folders(char *path)
{
	char *at;

	for (at = path + 1; *path && (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

int clopt__file_may_grow(uint64_t bytes)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

/* ---- A folder whose files are trusted */

static const char *distrust(const struct stat *s)
{
	return S_ISLNK(s->st_mode)              ? "it is a symbolic link" :
	       s->st_uid != geteuid()           ? "another user owns it" :
	       s->st_mode & (S_IWGRP | S_IWOTH) ? "other users may write to it" :
	                                          NULL;
}

const char *clopt__distrusted(const char *path)
{
	struct stat s;

	return lstat(path, &s) ? NULL : distrust(&s);
}

int clopt__folder_open(struct folder *folder, const char *path)
{
	const int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat s;

	*folder = (struct folder){ -1, path };
	if (file < 0)
		return -1;
	if (fstat(file, &s) || distrust(&s)) {
		clopt__close(file);
		errno = EPERM;
		return -1;
	}
	folder->handle = file;
	return 0;
}

void clopt__folder_close(struct folder *folder)
{
	if (folder->handle >= 0)
		clopt__close((int)folder->handle);
	folder->handle = -1;
}

void clopt__folder_names(const struct folder *folder, int (*seen)(void *arg, const char *name),
                         void *arg)
{
	const int again = openat((int)folder->handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = again < 0 ? NULL : fdopendir(again);
	struct dirent *d;

	if (!names && again >= 0)
		clopt__close(again);
	while (names && (d = readdir(names)) && !seen(arg, d->d_name))
		;
	if (names)
		closedir(names);
}

static struct about about_of(const struct stat *s)
{
#ifdef __APPLE__
	const struct timespec changed = s->st_mtimespec;
#else
	const struct timespec changed = s->st_mtim;
#endif

	return (struct about){ (uint64_t)s->st_size, changed.tv_sec, changed.tv_nsec };
}

/* Ordinary files only: opening a pipe could wait. */
int clopt__folder_file(const struct folder *folder, const char *name, struct about *about)
{
	const int file =
	        openat((int)folder->handle, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat s;

	if (file < 0)
		return -1;
	if (fstat(file, &s) || !S_ISREG(s.st_mode) || distrust(&s)) {
		clopt__close(file);
		return -1;
	}
	*about = about_of(&s);
	return file;
}

int clopt__folder_new(const struct folder *folder, const char *name)
{
	return openat((int)folder->handle, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

void clopt__touch(int file)
{
	futimens(file, NULL);
}

int clopt__folder_about(const struct folder *folder, const char *name, struct about *about)
{
	struct stat s;

	if (fstatat((int)folder->handle, name, &s, AT_SYMLINK_NOFOLLOW))
		return -1;
	*about = about_of(&s);
	return 0;
}

int clopt__folder_remove(const struct folder *folder, const char *name)
{
	return unlinkat((int)folder->handle, name, 0);
}

int clopt__folder_replace(const struct folder *folder, const char *from, const char *to)
{
	return renameat((int)folder->handle, from, (int)folder->handle, to);
}

/* ---- The machine ---------------------------------------------------------------- */

int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(thread, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

int clopt__cancellation(int may)
{
	int before;

	pthread_setcancelstate(may ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, &before);
	return before == PTHREAD_CANCEL_ENABLE;
}

/* State of the signal before it was blocked. */
enum {
	OPEN_SIGNAL = 1,
	PENDING_SIGNAL = 2
};

static sigset_t file_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	return set;
}

int clopt__quiet_files(void)
{
	const sigset_t set = file_signal();
	sigset_t before, pending;

	pthread_sigmask(SIG_BLOCK, &set, &before);
	if (!sigismember(&before, SIGXFSZ))
		return OPEN_SIGNAL;
	sigpending(&pending);
	return sigismember(&pending, SIGXFSZ) ? PENDING_SIGNAL : 0;
}

/* A signal that is pending now, and was not before, came from a driver. */
void clopt__loud_files(int before)
{
	const sigset_t set = file_signal();
	sigset_t pending;
	int signal;

	sigpending(&pending);
	if (before != PENDING_SIGNAL && sigismember(&pending, SIGXFSZ))
		sigwait(&set, &signal);
	if (before == OPEN_SIGNAL)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Number of forks from the process of the first call to this one. */
static unsigned long forks;
static int counted;

static void count_fork(void)
{
	forks++;
}

static void begin_to_count(void)
{
	counted = pthread_atfork(NULL, NULL, count_fork) == 0;
}

unsigned long clopt__lineage(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin_to_count);
	return counted ? forks : (unsigned long)getpid();
}

char **clopt__environment(void)
{
#ifdef __APPLE__
	return *_NSGetEnviron();
#else
	extern char **environ;

	return environ;
#endif
}

long clopt__processors_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

size_t clopt__host_memory(void)
{
#ifdef _SC_PHYS_PAGES
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	if (pages > 0 && page > 0)
		return clopt__times((size_t)pages, (size_t)page);
#endif
	return 0;
}

void *clopt__aligned(size_t align, size_t bytes)
{
	void *memory = NULL;

	return posix_memalign(&memory, align, bytes) ? NULL : memory;
}

void clopt__aligned_free(void *memory)
{
	free(memory);
}
#endif
