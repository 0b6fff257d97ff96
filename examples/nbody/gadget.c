/* SPDX-License-Identifier: MIT */
/*
 * gadget.c - bodies in GADGET's binary files, SnapFormat 1 and 2.
 *
 * Blocks stand between two 4-byte numbers, the bytes of the block: the header with 256, POS, VEL,
 * ID, MASS of those whose type has none in the header, and others, which are not needed.  In format
 * 2 a block of 8 bytes before each has its name; in format 1 the order tells it.  Numbers are
 * floats or doubles, IDs have 4 or 8 bytes, as the size of the block says; the first size also says
 * the order of bytes.
 *
 * Source: GADGET-2's user guide, section 6.  yt and pynbody, in Python, are the kept readers.
 */
#include <math.h>
#include <string.h>

#include "snapshot.h"

#define HEADER 256
#define TYPES 6
#define BLOCKS 4

static const char names[BLOCKS][5] = { "POS ", "VEL ", "ID  ", "MASS" };

static uint64_t get(const struct part *p, size_t at, size_t bytes)
{
	const unsigned char *b = (const unsigned char *)p->text->data + at;
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		v = v << 8 | b[p->big ? i : bytes - 1 - i];
	return v;
}

static double number(const struct part *p, size_t at, size_t bytes)
{
	const uint64_t v = get(p, at, bytes);
	const uint32_t w = (uint32_t)v;
	double d;
	float f;

	memcpy(&d, &v, sizeof d);
	memcpy(&f, &w, sizeof f);
	return bytes == 8 ? d : (double)f;
}

/* The first size, by either order of bytes: 256, or 8 in format 2; else 0. */
static size_t first_size(struct part *p)
{
	size_t size;

	for (p->big = 0; p->big < 2 && p->text->size >= HEADER + 8; p->big++) {
		size = (size_t)get(p, 0, 4);
		if ((size == HEADER || size == 8) && get(p, 4 + size, 4) == size)
			return size;
	}
	return 0;
}

static int is(const struct text *t)
{
	struct part p = { .text = t };

	return first_size(&p) != 0;
}

/* The block at *at: where its bytes begin; *at goes behind it.  0 if it does not end in its size.
 */
static size_t block(const struct part *p, size_t *at, size_t *size)
{
	const size_t left = p->text->size - *at, begin = *at + 4;

	*size = left < 8 ? 0 : (size_t)get(p, *at, 4);
	if (left < 8 || *size > left - 8 || get(p, begin + *size, 4) != *size)
		return 0;
	*at = begin + *size + 4;
	return begin;
}

static void header(struct part *p, size_t at)
{
	int type;

	for (type = 0; type < TYPES; type++) {
		const size_t k = (size_t)type;

		p->count[type] = (double)get(p, at + 4 * k, 4);
		p->mass[type] = number(p, at + 24 + 8 * k, 8);
		p->total[type] = (double)get(p, at + 96 + 4 * k, 4) +
		                 0x1p32 * (double)get(p, at + 168 + 4 * k, 4);
	}
	p->time = number(p, at + 72, 8);
	p->redshift = number(p, at + 80, 8);
	p->files = (double)get(p, at + 124, 4);
	p->box = number(p, at + 128, 8);
	p->hubble = number(p, at + 152, 8);
	p->comoving = -1;
	p->scale = nb_scale_gadget;
}

/* What the block of a name has to have; the size of its numbers, or 0. */
static int sized(struct part *p, int k, size_t begin, size_t size, struct fault *e)
{
	double n = 0;
	size_t want;
	int type;

	for (type = 0; type < TYPES; type++)
		n += k == 3 && p->mass[type] != 0 ? 0 : p->count[type];
	want = (size_t)n * (k < 2 ? 3 : 1);
	p->block[k] = begin;
	p->size[k] = size == 4 * want ? 4 : 8;
	return size == p->size[k] * want ?
	               0 :
	               fail(e,
	                    "%.400s: block %.4s has %zu bytes: it must have 4 or 8 for each of "
	                    "%zu numbers",
	                    p->text->name, names[k], size, want);
}

static int open_part(struct part *p, struct fault *e)
{
	const char *const file = p->text->name;
	const int format = first_size(p) == 8 ? 2 : 1;
	double own = 0;
	size_t at = 0, begin, size, order = 0;
	char label[5] = "HEAD";
	int k, type;

	while (at < p->text->size) {
		if (format == 2) {
			begin = block(p, &at, &size);
			if (begin && size == 8)
				memcpy(label, p->text->data + begin, 4);
			else
				return fail(e,
				            "%.400s: byte %zu: no name of a block of GADGET's "
				            "format 2",
				            file, at);
		}
		begin = block(p, &at, &size);
		if (!begin)
			return fail(e,
			            "%.400s: byte %zu: a block must end in its number of bytes, as "
			            "it begins; the file is cut or has bytes too many",
			            file, at);
		if (order++ == 0) {
			if (size != HEADER || memcmp(label, "HEAD", 4) != 0)
				return fail(e, "%.400s: the header must have 256 bytes", file);
			header(p, begin);
			for (type = 0; type < TYPES; type++)
				own += p->mass[type] == 0 ? p->count[type] : 0;
			continue;
		}
		for (k = 0; k < BLOCKS; k++)
			if (format == 2 ? memcmp(label, names[k], 4) == 0 :
			                  order == (size_t)k + 2 && (k < 3 || own > 0))
				if (sized(p, k, begin, size, e))
					return -1;
	}
	for (k = 0; k < BLOCKS && order > 1; k++)
		if (!p->block[k] && k != 2 && (k < 3 || own > 0))
			return fail(e, "%.400s: the file has no block %.4s", file, names[k]);
	p->empty = order == 1;
	return 0;
}

static int units(struct nb_system *s, const struct part *p, struct fault *e)
{
	(void)p, (void)e;
	s->assumed = 1;
	s->units = nb_units_gadget;
	s->g = nb_units_g(&s->units);
	return 0;
}

static int particles(struct nb_system *s, struct part *p, int type, size_t first, struct fault *e)
{
	size_t i, at = 0, massive = 0, k;
	double v[7];
	int other;

	for (other = 0; other < type; other++) {
		at += (size_t)p->count[other];
		massive += p->mass[other] != 0 ? 0 : (size_t)p->count[other];
	}
	for (i = 0; i < (size_t)p->count[type]; i++, at++) {
		for (k = 0; k < 3; k++) {
			v[k] = number(p, p->block[0] + p->size[0] * (3 * at + k), p->size[0]);
			v[3 + k] = number(p, p->block[1] + p->size[1] * (3 * at + k), p->size[1]);
		}
		v[6] = p->mass[type];
		if (v[6] == 0)
			v[6] = number(p, p->block[3] + p->size[3] * (massive + i), p->size[3]);
		if (p->block[2])
			s->id[first + i] = get(p, p->block[2] + p->size[2] * at, p->size[2]);
		if (snapshot_put(s, p, type, i, first + i, v, e))
			return -1;
	}
	if (!p->block[2])
		nb_system_note(s, "%.300s: type %d has no IDs: its bodies are numbered",
		               p->text->name, type);
	return 0;
}

static void close_part(struct part *p)
{
	(void)p;
}

static const struct layout layout = { is, open_part, units, particles, close_part };

int nb_gadget_is(const struct text *t)
{
	return is(t);
}

int nb_gadget_parse(struct nb_system *s, const struct text *t, int named, struct fault *e)
{
	return snapshot_parse(s, t, named, &layout, e);
}
