/* SPDX-License-Identifier: MIT */
/*
 * refused.c - options that are refused before anything in them is followed: a number out of its range
 * before pointers that lead nowhere, or a size that ends inside a field.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "random.h"

enum {
	INT,
	REAL,
	POINTER
};

enum {
	POTENTIAL,
	NBODY,
	LEAPFROG,
	EVOLVE,
	ENTRIES
};

union options {
	size_t size;
	struct clopt_potential_options potential;
	struct clopt_nbody_options nbody;
	struct clopt_evolve_options evolve;
};

#define FIELD(entry, kind, name, field) \
	{ \
		entry, kind, offsetof(struct clopt_##name##_options, field), #field \
	}
/* Integers other than these have a range in which 77 is not; reals one without NaN. */
static const struct field {
	int entry, kind;
	size_t at;
	const char *name;
} fields[] = {
	FIELD(POTENTIAL, INT, potential, law),
	FIELD(POTENTIAL, INT, potential, part),
	FIELD(POTENTIAL, INT, potential, outputs),
	FIELD(POTENTIAL, INT, potential, precision),
	FIELD(POTENTIAL, INT, potential, gem_compat),
	FIELD(POTENTIAL, INT, potential, reserved),
	FIELD(POTENTIAL, INT, potential, order),
	FIELD(POTENTIAL, INT, potential, tree_reserved),
	FIELD(POTENTIAL, REAL, potential, scale),
	FIELD(POTENTIAL, REAL, potential, tolerance),
	FIELD(POTENTIAL, POINTER, potential, normals),
	FIELD(POTENTIAL, POINTER, potential, depths),
	FIELD(POTENTIAL, POINTER, potential, charge),
	FIELD(POTENTIAL, POINTER, potential, group),
	FIELD(NBODY, INT, nbody, precision),
	FIELD(NBODY, INT, nbody, target_softening),
	FIELD(NBODY, INT, nbody, potential),
	FIELD(NBODY, INT, nbody, reserved),
	FIELD(NBODY, INT, nbody, order),
	FIELD(NBODY, INT, nbody, tree_reserved),
	FIELD(NBODY, REAL, nbody, g),
	FIELD(NBODY, REAL, nbody, softening),
	FIELD(NBODY, REAL, nbody, tolerance),
	FIELD(NBODY, POINTER, nbody, group),
	FIELD(EVOLVE, INT, evolve, integrator),
	FIELD(EVOLVE, INT, evolve, precision),
	FIELD(EVOLVE, INT, evolve, order),
	FIELD(EVOLVE, INT, evolve, tree_reserved),
	FIELD(EVOLVE, INT, evolve, resume),
	FIELD(EVOLVE, INT, evolve, rates_reserved),
	FIELD(EVOLVE, REAL, evolve, g),
	FIELD(EVOLVE, REAL, evolve, softening),
	FIELD(EVOLVE, REAL, evolve, tolerance),
	FIELD(EVOLVE, POINTER, evolve, group),
	FIELD(EVOLVE, POINTER, evolve, rates),
};
#define FIELDS (sizeof fields / sizeof *fields)

void random_refused(struct call *c)
{
	static const int bad_ints[] = { 77, -1 };
	const double nan = (double)NAN;
	struct random *r = &c->r;
	const int entry = (int)random_below(r, ENTRIES), kind = entry == LEAPFROG ? NBODY : entry;
	const int size = random_one_in(r, 3), bad_int = bad_ints[random_below(r, 2)];
	const void *const nowhere = (const void *)(uintptr_t)random_bits(r);
	const struct field *bad;
	float a[8] = { 0, 0, 0, 1, 1, 1, 1, 1 }, b[8] = { 0 };
	double x[8] = { 0, 0, 0, 1, 1, 1, 1, 1 }, v[8] = { 0 };
	union options o;
	size_t i;
	int rc;

	memset(&o, 0, sizeof o);
	o.size = kind == POTENTIAL ? sizeof o.potential :
	         kind == NBODY     ? sizeof o.nbody :
	                             sizeof o.evolve;
	do
		bad = &fields[random_below(r, FIELDS)];
	while (bad->entry != kind || bad->kind == POINTER);
	for (i = 0; i < FIELDS && !size; i++)
		if (fields[i].entry == kind && fields[i].kind == POINTER && random_one_in(r, 2))
			memcpy((char *)&o + fields[i].at, &nowhere, sizeof nowhere);
	if (size)
		o.size -= 1 + random_below(r, sizeof(size_t) - 1) +
		          sizeof(size_t) * random_below(r, o.size / sizeof(size_t) - 1);
	else if (bad->kind == INT)
		memcpy((char *)&o + bad->at, &bad_int, sizeof bad_int);
	else
		memcpy((char *)&o + bad->at, &nan, sizeof nan);
	call_say(c, ": entry %d, size %zu, %s", entry, o.size, size ? "no number" : bad->name);
	rc = entry == POTENTIAL ? clopt_potential(c->ctx, 2, a, 2, a, b, &o.potential) :
	     entry == NBODY     ? clopt_nbody(c->ctx, 2, a, 2, a, b, &o.nbody) :
	     entry == LEAPFROG  ? clopt_nbody_leapfrog(c->ctx, 2, a, b, 0.1, 1, &o.nbody) :
	                          clopt_nbody_evolve(c->ctx, 2, x, v, 0.1, 1, &o.evolve);
	if (rc != CLOPT_EINVAL)
		call_wrong(c, "%s: %s", clopt_strerror(rc), rc ? clopt_error(c->ctx) : "");
}
