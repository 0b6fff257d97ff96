/* SPDX-License-Identifier: MIT */
/*
 * sized.h - public structs that begin with their size.  The caller's struct may be shorter than the
 * library's (an older header) or longer (a newer one).
 */
#ifndef CLOPT_BASE_SIZED_H
#define CLOPT_BASE_SIZED_H

#include "status.h"

/* Copy the caller's struct `given`, unless NULL, over the defaults in `to`, whose size stays
 * `known`.  CLOPT_EINVAL for a size that no header gives, or if bytes unknown to this library are
 * not 0. */
int clopt__sized_read(const struct clopt *ctx, const char *name, const void *given, void *to,
                      size_t known);
/* Whether the struct has its first `end` bytes.  It has none if its size is not set. */
int clopt__sized_has(const void *given, size_t end);
/* CLOPT_EINVAL unless the value of the field is in the range. */
int clopt__check_number(const struct clopt *ctx, const char *field, int value, int least, int most);
/* Copy a result into the caller's struct.  Bytes unknown to this library become 0. */
int clopt__sized_give(const struct clopt *ctx, const char *name, void *to, const void *result,
                      size_t known);

/* The same for lists: all entries have the size that the first one gives. */
int clopt__sized_list(const struct clopt *ctx, const char *name, const void *list, size_t max);
/* The same for the list of a function without a context, of which neither may be NULL; *count
 * becomes 0. */
int clopt__list_begin(const char *function, const char *name, const void *list, size_t max,
                      size_t *count);
void clopt__sized_entry(void *list, size_t i, const void *result, size_t known);

#endif
