/* SPDX-License-Identifier: MIT */
/*
 * parameters.c - parameters of kernels: the values that tuning tries, and rows made with them.
 *
 * Kernels refuse settings that do not fit together, so tuning may try any combination.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "table.h"

#define VALUE_SIZE 16
#define NAME_SIZE 160

struct made {
	struct variant v;
	char options[256];
	const struct variant *row;
	struct point point;
	struct made *next;
};

/* Parameters of the row's file; NULL: none. */
static const struct parameters *of(const struct variant *row)
{
	const struct parameters *p = clopt__ops[row->op]->parameters;

	while (p && p->file && strcmp(p->file, row->file))
		p++;
	return p && p->file ? p : NULL;
}

unsigned clopt__axes(const struct variant *row)
{
	const struct parameters *g = of(row);
	unsigned n = 0;

	while (g && n < MOST_AXES && g->axis[n].name)
		n++;
	return n;
}

/* Value i, from 1 on; "" after the last. */
static void value(const struct axis *axis, unsigned i, char *text)
{
	const char *at = axis->values;
	size_t n;

	for (; i > 1 && *at; i--) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	n = strcspn(at, " ");
	memcpy(text, at, n);
	text[n] = '\0';
}

unsigned clopt__values(const struct variant *row, unsigned axis)
{
	char text[VALUE_SIZE];
	unsigned n = 0;

	do
		value(&of(row)->axis[axis], ++n, text);
	while (*text);
	return n - 1;
}

/* The value after "-DNAME=" in the options; NULL: no such option. */
static const char *option(const char *options, const char *name)
{
	const size_t n = strlen(name);

	for (; options; options = strchr(options, ' ')) {
		options += *options == ' ';
		if (!strncmp(options, "-D", 2) && !strncmp(options + 2, name, n) &&
		    options[2 + n] == '=')
			return options + n + 3;
	}
	return NULL;
}

size_t clopt__option_number(const struct variant *row, const char *name)
{
	const char *at = option(row->options, name);

	return at ? strtoul(at, NULL, 10) : 0;
}

static size_t *extent(struct variant *v, const char *name)
{
	return !strcmp(name, "wg") ? v->wg : !strcmp(name, "out") ? v->out : NULL;
}

/* The row's own value. */
static void own(const struct variant *row, const char *name, char *text)
{
	struct variant v = *row;
	const size_t *x = extent(&v, name);
	const char *at = option(row->options, name);

	text[0] = '\0';
	if (x)
		snprintf(text, VALUE_SIZE, "%zux%zu", x[0], x[1]);
	else if (at)
		snprintf(text, VALUE_SIZE, "%.*s", (int)strcspn(at, " "), at);
}

/* Set one parameter of a made row.  Nonzero: no such parameter, or no room. */
static int set(struct made *m, const char *name, const char *text)
{
	size_t *x = extent(&m->v, name);
	const char *at = option(m->options, name);
	char rest[sizeof m->options];
	int n;

	if (x)
		return sscanf(text, "%zux%zu", &x[0], &x[1]) != 2;
	if (!at)
		return 1;
	snprintf(rest, sizeof rest, "%s", at + strcspn(at, " "));
	n = snprintf(m->options + (at - m->options), sizeof m->options - (size_t)(at - m->options),
	             "%s%s", text, rest);
	return n < 0 || (size_t)n >= sizeof m->options - (size_t)(at - m->options);
}

/* Write the values that differ from the row into name and row.  Nonzero: no memory, or no room. */
static int make(struct made *m)
{
	const struct parameters *g = of(m->row);
	const unsigned axes = clopt__axes(m->row);
	char name[NAME_SIZE], text[VALUE_SIZE];
	size_t used;
	unsigned i;

	m->v = *m->row;
	used = (size_t)snprintf(name, sizeof name, "%s", m->row->name);
	snprintf(m->options, sizeof m->options, "%s", m->row->options);
	for (i = 0; i < axes; i++) {
		if (!m->point.at[i])
			continue;
		value(&g->axis[i], m->point.at[i], text);
		if (set(m, g->axis[i].name, text))
			return 1;
		used += (size_t)snprintf(name + used, sizeof name - used, ":%s=%s", g->axis[i].name,
		                         text);
	}
	m->v.options = m->options;
	/* Reports name the row, also after the context is closed. */
	return !(m->v.name = clopt__interned(name));
}

/* A unique form of the point: 0 for the row's own values, and for parameters that the row lacks. */
static struct point settle(const struct variant *row, const struct point *point)
{
	const struct parameters *g = of(row);
	const unsigned axes = clopt__axes(row);
	char mine[VALUE_SIZE], text[VALUE_SIZE];
	struct point p = *point;
	unsigned i;

	for (i = 0; i < MOST_AXES; i++) {
		if (i >= axes) {
			p.at[i] = 0;
			continue;
		}
		own(row, g->axis[i].name, mine);
		value(&g->axis[i], p.at[i], text);
		if (!*mine || !strcmp(mine, text))
			p.at[i] = 0;
	}
	return p;
}

const struct variant *clopt__made(struct clopt *ctx, const struct variant *row,
                                  const struct point *point)
{
	const struct point p = settle(row, point), none = { { 0 } };
	struct made *m;

	if (!memcmp(&p, &none, sizeof p))
		return row;
	for (m = ctx->made; m; m = m->next)
		if (m->row == row && !memcmp(&m->point, &p, sizeof p))
			return &m->v;
	if (!(m = calloc(1, sizeof *m)))
		return NULL;
	m->row = row;
	m->point = p;
	if (make(m)) {
		free(m);
		return NULL;
	}
	m->next = ctx->made;
	ctx->made = m;
	return &m->v;
}

const struct variant *clopt__origin(const struct clopt *ctx, const struct variant *v,
                                    struct point *point)
{
	const struct made *m;

	memset(point, 0, sizeof *point);
	for (m = ctx->made; m; m = m->next)
		if (&m->v == v) {
			*point = m->point;
			return m->row;
		}
	return v;
}

void clopt__made_free(struct clopt *ctx)
{
	struct made *m;

	while ((m = ctx->made)) {
		ctx->made = m->next;
		free(m);
	}
}

static const struct variant *row(const char *name, size_t length)
{
	const struct variant *v;

	for (v = clopt__variant(0); v; v = clopt__next_variant(v))
		if (strlen(v->name) == length && !strncmp(v->name, name, length))
			return v;
	return NULL;
}

/* Read one "NAME=value" into the point.  Zero: no such parameter or value. */
static int read_setting(const struct variant *v, const char *text, size_t length, struct point *p)
{
	const struct parameters *g = of(v);
	const unsigned axes = clopt__axes(v);
	char one[VALUE_SIZE], both[64];
	unsigned i, j;

	for (i = 0; i < axes; i++) {
		own(v, g->axis[i].name, one);
		if (!*one)
			continue; /* the row lacks this parameter */
		for (j = 0; j == 0 || *one; j++) {
			if (j > 0)
				value(&g->axis[i], j, one);
			snprintf(both, sizeof both, "%s=%s", g->axis[i].name, one);
			if (strlen(both) == length && !strncmp(both, text, length)) {
				p->at[i] = j;
				return 1;
			}
		}
	}
	return 0;
}

const struct variant *clopt__named(struct clopt *ctx, const char *name, size_t length, char *why,
                                   size_t size)
{
	const char *end = name + length, *at = memchr(name, ':', length);
	const struct variant *v = row(name, at ? (size_t)(at - name) : length);
	struct point p = { { 0 } };

	if (!v) {
		snprintf(why, size, "variant \"%.*s\" does not exist: `clopt list` prints all",
		         (int)((at ? at : end) - name), name);
		return NULL;
	}
	while (at && at < end) {
		const char *colon = memchr(at + 1, ':', (size_t)(end - at - 1));
		const char *next = colon ? colon : end;

		if (!read_setting(v, at + 1, (size_t)(next - at - 1), &p)) {
			snprintf(why, size, "%s has no setting \"%.*s\": `clopt list` prints all",
			         v->name, (int)(next - at - 1), at + 1);
			return NULL;
		}
		at = colon;
	}
	v = clopt__made(ctx, v, &p);
	if (!v)
		snprintf(why, size, "no memory for \"%.*s\"", (int)length, name);
	return v;
}
