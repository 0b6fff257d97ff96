/* SPDX-License-Identifier: MIT */
/*
 * shares.h - who computed how much, where calls are shared over several devices.
 */
#ifndef SHARES_H
#define SHARES_H

#include <jansson.h>

#include "clopt_device.h"

enum {
	SHARES_MOST = 64 /* devices */
};

struct shares {
	size_t members; /* of the context; 0 before shares_begin */
	char device[SHARES_MOST][128]; /* their names */
	double work[SHARES_MOST], all; /* of all calls since, in the caller's unit */
	struct clopt_member_share last[SHARES_MOST]; /* of the last call that was shared */
	size_t lasts; /* 0: none was */
};

/* Before the first call. */
void shares_begin(struct shares *s, struct clopt *ctx);

/* After a call of so much work.  1 if it was shared. */
int shares_add(struct shares *s, struct clopt *ctx, double work);

/* The part of a device, 0 to 1. */
double shares_of(const struct shares *s, size_t i);

/* "2, NVIDIA H200 50.1 %, NVIDIA H200 49.9 %", and [{"device": ..., "share": 0.501}, ...], which is
 * NULL for want of memory. */
void shares_text(const struct shares *s, char *text, size_t room);
json_t *shares_json(const struct shares *s);

#endif
