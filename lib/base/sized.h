/* SPDX-License-Identifier: MIT */
/*
 * sized.h - public structs that begin with their size.  The caller's may be shorter than the
 * library's (an older header) or longer (a newer one).
 */
#ifndef CLOPT_BASE_SIZED_H
#define CLOPT_BASE_SIZED_H

#include "status.h"

/* Copy the caller's struct `given` over the defaults in `to`, whose size stays `known`; NULL: they
 * stay.  CLOPT_EINVAL for a size that no header's struct has, and if bytes that this library does
 * not know are not 0. */
int clopt__sized_read(const struct clopt *ctx, const char *name, const void *given, void *to,
                      size_t known);
/* Whether the struct has its first `end` bytes; not if nobody set its size. */
int clopt__sized_has(const void *given, size_t end);
/* CLOPT_EINVAL unless a field, of this name, is in the range. */
int clopt__check_number(const struct clopt *ctx, const char *field, int value, int least, int most);
/* Copy a result into the caller's struct; what the library does not know becomes 0. */
int clopt__sized_give(const struct clopt *ctx, const char *name, void *to, const void *result,
                      size_t known);

/* The same for lists: the caller's entries lie at a distance of the size that the first one says,
 * and all say the same. */
int clopt__sized_list(const char *name, const void *list, size_t max);
void clopt__sized_entry(void *list, size_t i, const void *result, size_t known);

#endif
