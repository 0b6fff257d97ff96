/* SPDX-License-Identifier: MIT */
/*
 * opening.h - why a device could not be opened, for who wrote a command line.
 */
#ifndef OPENING_H
#define OPENING_H

#include <stddef.h>

/* The library's reason (of clopt_error), with the option's name in place of that of
 * the field in struct clopt_options, into text of room bytes, cut if too long. */
void opening_reason(const char *why, char *text, size_t room);

#endif
