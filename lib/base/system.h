/* SPDX-License-Identifier: MIT */
/*
 * system.h - what the library uses of the operating system besides C and pthread: files, a folder,
 * memory, processors, and threads without signals.
 *
 * system_posix.c is for Linux, macOS and other Unixes, system_windows.c for Windows by mingw-w64.
 * Paths have the encoding of the system's fopen.
 */
#ifndef CLOPT_BASE_SYSTEM_H
#define CLOPT_BASE_SYSTEM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Marks a function that formats like printf.  The format "printf" of mingw-w64 lacks C99's %zu. */
#ifdef __MINGW_PRINTF_FORMAT
#define PRINTF_LIKE(format_at, first) \
	__attribute__((format(__MINGW_PRINTF_FORMAT, format_at, first)))
#else
#define PRINTF_LIKE(format_at, first) __attribute__((format(printf, format_at, first)))
#endif

/* ---- Files ---------------------------------------------------------------- */

enum open_how {
	OPEN_READ,
	OPEN_WRITE, /* an existing file */
	OPEN_STREAM, /* the same, but waits until a pipe is read */
	OPEN_NEW, /* for writing; fails if the file exists */
	OPEN_APPEND /* each write is appended whole; a new file is private to this user */
};
/* A descriptor for read, write and close, which child programs do not inherit; -1: errno. */
int clopt__open(const char *path, enum open_how how);
/* Close a file that was read, or whose failure is known.  Ignores failures of close. */
void clopt__close(int file);
/* Rename a file; replaces an existing one.  Nonzero: errno. */
int clopt__replace(const char *from, const char *to);
int clopt__is_absolute(const char *path);
/* The absolute path, for free(); NULL without memory. */
char *clopt__full_path(const char *path);
/* Make the folders above the file `path`, for this user.  Ignores errors (EEXIST, no permission):
 * the caller sees whether the file opens. */
void clopt__make_folders(char *path);
/* Whether the process's limit allows a file of this size.  A write beyond it raises a signal that
 * would end the program. */
int clopt__file_may_grow(uint64_t bytes);

/* ---- A folder whose files are trusted */

/* The folder that was opened, even if another gets its name. */
struct folder {
	intptr_t handle; /* -1: not open */
	const char *path; /* the caller's */
};

struct about {
	uint64_t bytes;
	int64_t seconds; /* time of the last change, since 1970 */
	long nanoseconds;
};

/* Why an existing folder is not trusted ("it is a link"), or NULL. */
const char *clopt__distrusted(const char *path);
/* Nonzero: errno, EPERM for a folder that is not trusted. */
int clopt__folder_open(struct folder *folder, const char *path);
void clopt__folder_close(struct folder *folder);
/* Call `seen` for each name in the folder until it returns nonzero. */
void clopt__folder_names(const struct folder *folder, int (*seen)(void *arg, const char *name),
                         void *arg);
/* A descriptor of an ordinary trusted file, or -1. */
int clopt__folder_file(const struct folder *folder, const char *name, struct about *about);
/* A descriptor of a new file that is private to this user; -1: errno, EEXIST if the name exists. */
int clopt__folder_new(const struct folder *folder, const char *name);
/* Set the time of the last change to now, if the user may. */
void clopt__touch(int file);
/* Nonzero: errno. */
int clopt__folder_about(const struct folder *folder, const char *name, struct about *about);
int clopt__folder_remove(const struct folder *folder, const char *name);
int clopt__folder_replace(const struct folder *folder, const char *from, const char *to);

/* The variables of the environment, NAME=VALUE each; NULL ends them. */
char **clopt__environment(void);

/* ---- The machine ---------------------------------------------------------------- */

/* pthread_create for a thread that takes no signals. */
int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument);
/* Allow or forbid cancellation of this thread.  Returns whether it was allowed. */
int clopt__cancellation(int may);
/* Make this thread's writes beyond the limit on the size of files fail without a signal.  Returns
 * the argument of clopt__loud_files, which undoes it. */
int clopt__quiet_files(void);
void clopt__loud_files(int before);
long clopt__processors_online(void); /* less than 1: unknown */
/* A number that differs in a child of this process, without a system call. */
unsigned long clopt__lineage(void);
size_t clopt__host_memory(void); /* bytes; 0: unknown */
/* Memory aligned at `align`, a power of two; NULL without memory. */
void *clopt__aligned(size_t align, size_t bytes);
void clopt__aligned_free(void *memory);

#endif
