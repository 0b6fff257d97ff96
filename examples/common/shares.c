/* SPDX-License-Identifier: MIT */
/*
 * shares.c - see shares.h.
 */
#include "shares.h"

#include <stdio.h>
#include <string.h>

#include "json_text.h"

static void look(struct shares *s, struct clopt *ctx)
{
	size_t i;

	for (i = 0; i < SHARES_MOST; i++)
		s->last[i].size = sizeof s->last[i];
	if (clopt_last_shares(ctx, s->last, SHARES_MOST, &s->lasts) != CLOPT_OK)
		s->lasts = 0;
	if (s->lasts > SHARES_MOST)
		s->lasts = SHARES_MOST;
}

void shares_begin(struct shares *s, struct clopt *ctx)
{
	struct clopt_device_info info = { .size = sizeof info };
	size_t i;

	memset(s, 0, sizeof *s);
	s->members = clopt_members(ctx);
	if (s->members > SHARES_MOST)
		s->members = SHARES_MOST;
	for (i = 0; i < s->members; i++)
		if (clopt_device_get(clopt_member(ctx, i), &info) == CLOPT_OK)
			snprintf(s->device[i], sizeof s->device[i], "%s", info.name);
	look(s, ctx);
}

/* A call that is too short stays on the first device and leaves the numbers of an earlier one,
 * which have the same nanoseconds. */
int shares_add(struct shares *s, struct clopt *ctx, double work)
{
	double before[SHARES_MOST];
	const size_t befores = s->lasts;
	size_t i;
	int shared;

	for (i = 0; i < befores; i++)
		before[i] = s->last[i].seconds;
	look(s, ctx);
	shared = s->lasts != befores;
	for (i = 0; i < befores && i < s->lasts; i++)
		shared |= s->last[i].seconds < before[i] || s->last[i].seconds > before[i];
	for (i = 0; shared && i < s->lasts; i++)
		s->work[i] += s->last[i].share * work;
	if (!shared)
		s->work[0] += work;
	s->all += work;
	return shared;
}

double shares_of(const struct shares *s, size_t i)
{
	return s->all > 0 ? s->work[i] / s->all : 0;
}

void shares_text(const struct shares *s, char *text, size_t room)
{
	size_t i, used;

	snprintf(text, room, "%zu", s->members);
	for (i = 0; i < s->members; i++) {
		used = strlen(text);
		snprintf(text + used, room - used, ", %s %.1f %%", s->device[i],
		         100 * shares_of(s, i));
	}
}

json_t *shares_json(const struct shares *s)
{
	json_t *list = json_array();
	struct sheet one, all = { NULL, 0 };
	size_t i;

	for (i = 0; i < s->members; i++) {
		one = sheet_new();
		sheet_text(&one, "device", s->device[i]);
		sheet_number(&one, "share", shares_of(s, i));
		sheet_append(&all, list, &one);
	}
	if (all.bad) {
		json_decref(list);
		list = NULL;
	}
	return list;
}
