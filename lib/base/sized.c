/* SPDX-License-Identifier: MIT */
/*
 * sized.c - see sized.h.
 */
#include <string.h>

#include "sized.h"

static size_t size_of(const void *given)
{
	size_t size;

	memcpy(&size, given, sizeof size);
	return size;
}

/* Larger than the struct of any header: the size is not set.  The size of a pointer is a misuse of
 * sizeof. */
#define MOST_SIZE 65536

static int check(const struct clopt *ctx, const char *name, const void *given)
{
	const size_t size = size_of(given);

	/* A size that is no multiple ends inside a field, and sizeof never gives it. */
	if (size <= sizeof size || size > MOST_SIZE || size % sizeof size)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "size of struct %s is %zu: set it to sizeof(struct %s)", name,
		                   size, name);
	return CLOPT_OK;
}

int clopt__sized_has(const void *given, size_t end)
{
	return given && size_of(given) >= end && size_of(given) <= MOST_SIZE;
}

int clopt__check_number(const struct clopt *ctx, const char *field, int value, int least, int most)
{
	if (value >= least && value <= most)
		return CLOPT_OK;
	if (least == most)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is %d: it must be %d", field, value,
		                   least);
	return clopt__fail(ctx, CLOPT_EINVAL, "%s is %d: it must be from %d to %d", field, value,
	                   least, most);
}

static void copy(void *to, size_t size, const void *from, size_t known)
{
	memset(to, 0, size);
	memcpy(to, from, size < known ? size : known);
	memcpy(to, &size, sizeof size);
}

int clopt__sized_read(const struct clopt *ctx, const char *name, const void *given, void *to,
                      size_t known)
{
	const unsigned char *const bytes = given;
	size_t size, i;
	int rc = CLOPT_OK;

	if (!given)
		return CLOPT_OK;
	TRY(check(ctx, name, given));
	size = size_of(given);
	for (i = known; i < size; i++)
		if (bytes[i])
			return clopt__fail(
			        ctx, CLOPT_EINVAL,
			        "size of struct %s is %zu: this library knows %zu bytes, and byte "
			        "%zu is not 0; link a library as new as the header",
			        name, size, known, i);
	memcpy(to, given, size < known ? size : known);
	memcpy(to, &known, sizeof known); /* the size of `to` */
out:
	return rc;
}

int clopt__sized_give(const struct clopt *ctx, const char *name, void *to, const void *result,
                      size_t known)
{
	const int rc = check(ctx, name, to);

	if (rc == CLOPT_OK)
		copy(to, size_of(to), result, known);
	return rc;
}

int clopt__sized_list(const struct clopt *ctx, const char *name, const void *list, size_t max)
{
	size_t size, i;
	int rc = CLOPT_OK;

	if (max == 0)
		return CLOPT_OK;
	TRY(check(ctx, name, list));
	size = size_of(list);
	for (i = 0; i < max; i++)
		if (size_of((const char *)list + i * size) != size)
			return clopt__fail(ctx, CLOPT_EINVAL,
			                   "size of struct %s is %zu in entry 0 and %zu in entry "
			                   "%zu: set each to sizeof(struct %s)",
			                   name, size, size_of((const char *)list + i * size), i,
			                   name);
out:
	return rc;
}

int clopt__list_begin(const char *function, const char *name, const void *list, size_t max,
                      size_t *count)
{
	if (!count || (max && !list))
		return clopt__fail(NULL, CLOPT_EINVAL, "%s: %s is NULL", function,
		                   count ? "list" : "count");
	*count = 0;
	return clopt__sized_list(NULL, name, list, max);
}

void clopt__sized_entry(void *list, size_t i, const void *result, size_t known)
{
	const size_t size = size_of(list);

	copy((char *)list + i * size, size, result, known);
}
