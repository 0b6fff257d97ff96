/* SPDX-License-Identifier: MIT */
/*
 * progress.h - a line on the terminal while nothing else is printed for a second: what is being
 * done, and for how long.  It goes away before other output.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

/* At the beginning: lines are shown if wanted, and if stderr is a terminal. */
void progress_begin(int wanted);
/* 1 if lines are shown. */
int progress_shown(void);

/* What is being done from now on. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Nothing takes long from now on.  Before anything is printed. */
void progress_hide(void);

#endif
