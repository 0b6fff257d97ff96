/* SPDX-License-Identifier: MIT */
/*
 * tidy.h - what goes when a signal (SIGHUP, SIGINT, SIGQUIT, SIGPIPE or SIGTERM) ends the program:
 * files that are not complete, folders of its own, and the programs that write there.  And what is
 * said then.  Once PoCL has loaded LLVM, the first SIGQUIT goes to LLVM, and ends nothing.
 */
#ifndef TIDY_H
#define TIDY_H

#include <sys/types.h>

/* A file, or a folder that is empty once what was added after it is gone.  Beyond 16 they stay. */
void tidy_add(const char *path);
void tidy_drop(const char *path); /* it is gone, or shall stay */

/* A child process that leads a group, which is killed before its files go.  Beyond 4 they go on. */
void tidy_add_child(pid_t child);
void tidy_drop_child(pid_t child); /* it has ended */

/* What goes to standard error when a signal, but for SIGPIPE, ends the program, instead of what was
 * given before. */
void tidy_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
