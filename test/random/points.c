/* SPDX-License-Identifier: MIT */
/*
 * points.c - random calls with points as programs keep them: floats or doubles, in arrays, structs
 * or adjacent, results beside them or in them.
 *
 * pair.c judges the results.  In DOUBLE points are any doubles.  In other precisions the library
 * subtracts the centre of the box round all points first, and rounds: so positions lie on a grid,
 * where that is exact, and the bounds are those of the sums alone.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

/* Numbers in memory: those of a point as in REFERENCE_POINT, one more, and results. */
enum {
	WEIGHT = 3,
	SPEED,
	SOFT = REFERENCE_POINT, /* the targets' weight, where targets are sources */
	RESULT,
	SLOTS = RESULT + PAIR_RESULTS
};

enum layout {
	ARRAYS, /* each number has an array */
	STRUCTS, /* in any order, with gaps */
	ADJACENT, /* x, y, z, the weight and the velocity; results as the library computes them */
	LAYOUTS
};

/* Where numbers lie. */
struct store {
	struct host memory;
	enum layout layout;
	int type;
	size_t bytes, stride;
	size_t at[SLOTS]; /* of the first point; in bytes */
};

/* Results, which may lie among points. */
struct results {
	const struct store *store;
	int type; /* as given: 0 is the targets' */
	size_t bytes, stride;
	size_t first; /* the point of the first result */
	size_t slot[PAIR_RESULTS];
};

struct points {
	struct pair p;
	struct store sources, others, out; /* others: targets that are no sources */
	const struct store *targets;
	size_t first; /* the source that is the first target */
	size_t soft; /* the slot of the targets' weights */
	struct results results;
	struct random drawn; /* before the arguments of a call, which are the same again */
	double grid, coarse; /* distances of positions, and of floats; 0: any positions */
};

static size_t bytes_of(int type)
{
	return type == CLOPT_TYPE_FLOAT ? sizeof(float) : sizeof(double);
}

static int draw_type(struct random *r)
{
	return random_one_in(r, 3) ? CLOPT_TYPE_FLOAT : random_one_in(r, 2) ? CLOPT_TYPE_DOUBLE : 0;
}

static double rounded(int type, double x)
{
	return type == CLOPT_TYPE_FLOAT ? (double)(float)x : x;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void put(const struct store *s, size_t slot, size_t i, double x)
{
	const float f = (float)x;

	memcpy((unsigned char *)s->memory.data + s->at[slot] + i * s->stride,
	       s->bytes == sizeof f ? (const void *)&f : &x, s->bytes);
}

static unsigned char *result_at(const struct points *f, size_t k, size_t i)
{
	const struct results *r = &f->results;

	return (unsigned char *)r->store->memory.data + r->store->at[r->slot[k]] +
	       (r->first + i) * r->stride;
}

static void shuffle(struct random *r, size_t *list, size_t n)
{
	size_t i, j, was;

	for (i = 0; i < n; i++) {
		j = i + random_below(r, n - i);
		was = list[i];
		list[i] = list[j];
		list[j] = was;
	}
}

/* Places for n points, whose slots have `room' bytes, or with the numbers of these slots
 * adjacent. */
static void open_store(struct call *c, struct store *s, size_t n, size_t room,
                       const size_t *adjacent, size_t columns)
{
	struct random *r = &c->r;
	const size_t more = random_one_in(r, 2) ? 0 : random_below(r, 12);
	const size_t shift = random_below(r, more + 1), align = random_one_in(r, 4) ? 1 : s->bytes;
	size_t order[SLOTS], bytes, i;

	for (i = 0; i < SLOTS; i++)
		order[i] = i;
	shuffle(r, order, SLOTS);
	if (s->layout == ADJACENT) {
		s->stride = s->bytes * (columns == 7 && random_one_in(r, 2) ? 8 : columns);
		for (i = 0; i < columns; i++)
			s->at[adjacent[i]] = i * s->bytes;
		bytes = n * s->stride;
	} else if (s->layout == STRUCTS) {
		s->stride = SLOTS * room + more;
		for (i = 0; i < SLOTS; i++)
			s->at[i] = order[i] * room + shift;
		bytes = n * s->stride;
	} else {
		s->stride = s->bytes;
		for (i = 0; i < SLOTS; i++)
			s->at[i] = order[i] * (n * room + more) + shift;
		bytes = SLOTS * (n * room + more);
	}
	call_say(c, "; layout %d, type %d, stride %zu, %zu more", (int)s->layout, s->type,
	         s->stride, more);
	host_open(&s->memory, c, bytes, align);
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static double special_number(struct random *r)
{
	static const double some[] = {
		(double)NAN, (double)INFINITY, -(double)INFINITY, 1e30,   -3e38, 1e150,
		1e160,       DBL_MAX,          -DBL_MAX,          1e-300, 0
	};

	return some[random_below(r, sizeof some / sizeof *some)];
}

/* A number among those of points: on the grid or any. */
static double draw_place(const struct points *f, struct random *r, int type, double offset)
{
	const struct pair *p = &f->p;
	const double grid = type == CLOPT_TYPE_FLOAT ? f->coarse : f->grid;
	const double x = p->length * random_between(r, -1, 1);

	return offset + (grid > 0 ? grid * rint(x / grid) : x);
}

static void spoil(struct points *f, struct random *r, double *x)
{
	struct pair *p = &f->p;
	const int any = p->precision == CLOPT_PRECISION_DOUBLE;

	if (any && p->alpb)
		x[random_below(r, 3)] = random_one_in(r, 2) ? 1e30 : 1e6 * p->length;
	else if (any)
		x[random_below(r, REFERENCE_POINT)] = special_number(r);
	else if (!p->alpb) /* the grid stays */
		x[3 + random_below(r, 4)] = random_one_in(r, 2) ? (double)NAN : 0;
}

static void fill_points(struct points *f, double *to, size_t n, int type, const double *offset,
                        int positive, double weight, double speed)
{
	struct pair *p = &f->p;
	struct random *r = &p->c->r;
	const size_t often = (size_t)random_decades(r, 0.5, 3);
	size_t i, k;

	for (i = 0; i < n; i++) {
		double *const x = to + REFERENCE_POINT * i;

		for (k = 0; k < 3; k++)
			x[k] = draw_place(f, r, type, offset[k]);
		x[3] = weight * random_between(r, positive ? 0 : -1, 1);
		for (k = 4; k < REFERENCE_POINT; k++)
			x[k] = speed * random_between(r, -1, 1);
		if (random_one_in(r, 50)) { /* near an earlier point */
			const double *other = to + REFERENCE_POINT * random_below(r, i + 1);
			const int same = random_one_in(r, 3);

			for (k = 0; k < 3; k++)
				x[k] = same        ? other[k] :
				       f->grid > 0 ? other[k] + f->coarse :
				                     other[k] * (1 + 1e-9);
		}
		if (p->special && random_one_in(r, often))
			spoil(f, r, x);
		for (k = 0; k < REFERENCE_POINT; k++)
			x[k] = rounded(type, x[k]);
	}
}

/* Where the library begins to measure positions, in other precisions than DOUBLE. */
static void find_centre(struct pair *p)
{
	size_t i, k;

	for (k = 0; k < 3; k++) {
		double least = (double)INFINITY, most = -(double)INFINITY;

		for (i = 0; i < p->n + p->m; i++) {
			const double x = i < p->n ? p->from[REFERENCE_POINT * i + k] :
			                            p->to[REFERENCE_POINT * (i - p->n) + k];

			least = fmin(least, x);
			most = fmax(most, x);
		}
		p->origin[k] = p->n + p->m ? least / 2 + most / 2 : 0;
	}
}

/* How far from the origin the points are: on a grid where all numbers fit their types. */
static void draw_offset(const struct points *f, double *offset)
{
	const struct pair *p = &f->p;
	struct random *r = &p->c->r;
	const int source_float = f->sources.type == CLOPT_TYPE_FLOAT;
	const int target_float = f->targets->type == CLOPT_TYPE_FLOAT;
	const int bits = source_float || target_float ? 22 : f->grid < f->coarse ? 25 : 40;
	size_t k;

	for (k = 0; k < 3; k++)
		offset[k] = f->grid > 0 ? f->coarse * rint(ldexp(random_between(r, -1, 1), bits)) :
		                          p->length * random_decades(r, -1, 6);
	/* Adjacent floats are used as they are, and then the centre is not subtracted. */
	if (random_one_in(r, 3) || (source_float && target_float && f->results.bytes == 4))
		offset[0] = offset[1] = offset[2] = 0;
}

static void fill_targets(struct points *f, const double *offset, double speed)
{
	struct pair *p = &f->p;
	struct random *r = &p->c->r;
	const int type = f->targets->type;
	const double own = p->length * random_decades(r, -2, 0);
	/* Whose digits floats do not have. */
	const int finer = f->grid < f->coarse && type == CLOPT_TYPE_FLOAT &&
	                  f->sources.type != CLOPT_TYPE_FLOAT;
	size_t i, k;

	if (p->one) {
		memcpy(p->to, p->from + REFERENCE_POINT * f->first,
		       p->m * REFERENCE_POINT * sizeof *p->to);
		for (i = 0; i < p->m && f->soft == SOFT; i++)
			p->to[REFERENCE_POINT * i + WEIGHT] =
			        rounded(type, own * random_between(r, 0, 1));
		return;
	}
	fill_points(f, p->to, p->m, type, offset, 1, own, speed);
	for (i = 0; i < p->m && p->n && !finer; i++)
		if (random_one_in(r, 10)) {
			const double *s = p->from + REFERENCE_POINT * random_below(r, p->n);

			for (k = 0; k < 3; k++)
				p->to[REFERENCE_POINT * i + k] = rounded(type, s[k]);
		}
}

static void fill(struct points *f)
{
	struct pair *p = &f->p;
	struct random *r = &p->c->r;
	const double speed = random_decades(r, -3, 3);
	double offset[3];

	draw_offset(f, offset);
	fill_points(f, p->from, p->n, f->sources.type, offset, p->gravity || random_one_in(r, 3), 1,
	            speed);
	fill_targets(f, offset, speed);
	pair_fill_others(p);
	if (f->grid > 0)
		find_centre(p);
}

/* Only what is read; the rest stays NaN. */
static void store_points(const struct points *f)
{
	const struct pair *p = &f->p;
	const size_t numbers = p->outputs == CLOPT_OUTPUTS_JERK ? REFERENCE_POINT : SPEED;
	size_t i, k;

	for (k = 0; k < numbers; k++) {
		for (i = 0; i < p->n; i++)
			put(&f->sources, k, i, p->from[REFERENCE_POINT * i + k]);
		if (k == WEIGHT && !p->g.target_softening)
			continue;
		for (i = 0; i < p->m; i++)
			put(f->targets, k == WEIGHT ? f->soft : k, f->first + i,
			    p->to[REFERENCE_POINT * i + k]);
	}
}

/* ---- The call ----------------------------------------------------------------------------- */

static int is_read(const struct points *f, const struct store *s, size_t slot)
{
	const struct pair *p = &f->p;

	return slot < WEIGHT || (slot == WEIGHT && s == &f->sources) ||
	       (slot == f->soft && s == f->targets && p->g.target_softening) ||
	       (slot >= SPEED && slot < SOFT && p->outputs == CLOPT_OUTPUTS_JERK);
}

static struct clopt_points points_of(const struct points *f, int target)
{
	const struct pair *pair = &f->p;
	struct random *r = &pair->c->r;
	const struct store *s = target ? f->targets : &f->sources;
	const int none = random_one_in(r, 4);
	struct clopt_points p = CLOPT_POINTS_INIT;
	const void **const to[] = { &p.x, &p.y, &p.z, &p.w, &p.vx, &p.vy, &p.vz };
	size_t k;

	p.n = target ? pair->m : pair->n;
	p.type = s->type;
	p.stride_bytes = s->stride == s->bytes && random_one_in(r, 2) ? 0 : s->stride;
	for (k = 0; k < REFERENCE_POINT; k++) {
		const size_t slot = target && k == WEIGHT ? f->soft : k;
		const int read = k < WEIGHT  ? 1 :
		                 k == WEIGHT ? !target || pair->g.target_softening :
		                               pair->outputs == CLOPT_OUTPUTS_JERK;

		if (none && (!read || !p.n))
			continue;
		*to[k] = (const unsigned char *)s->memory.data + s->at[slot] +
		         (target ? f->first : 0) * s->stride;
	}
	return p;
}

static struct clopt_results results_of(const struct points *f)
{
	const struct results *from = &f->results;
	struct clopt_results r = CLOPT_RESULTS_INIT;
	void **const to[PAIR_RESULTS] = {
		&r.x, &r.y, &r.z, &r.phi, &r.jx, &r.jy, &r.jz, &r.normal
	};
	size_t k;

	r.type = from->type;
	r.stride_bytes =
	        from->stride == from->bytes && random_one_in(&f->p.c->r, 2) ? 0 : from->stride;
	for (k = 0; k < PAIR_RESULTS; k++)
		if (f->p.wanted >> k & 1)
			*to[k] = result_at(f, k, 0);
	return r;
}

static int call_points(struct points *f)
{
	struct pair *p = &f->p;
	const int all = p->one && p->m == p->n && f->soft == WEIGHT;
	struct clopt_potential_options o = p->o;
	struct clopt_points sources, targets, *t;
	struct clopt_results results;

	p->c->r = f->drawn;
	sources = points_of(f, 0);
	targets = points_of(f, 1);
	results = results_of(f);
	t = all && random_one_in(&p->c->r, 2) ? &sources : &targets;
	o.outputs = 77; /* not read */
	return p->gravity ? clopt_gravity(p->c->ctx, &sources, t, &results, &p->g) :
	                    clopt_potential_points(p->c->ctx, &sources, t, &results, &o);
}

static void read_results(struct points *f, struct host *memory)
{
	struct pair *p = &f->p;
	size_t i, k;
	float x;

	for (k = 0; k < PAIR_RESULTS; k++)
		for (i = 0; i < p->m && p->wanted >> k & 1; i++) {
			const unsigned char *at = result_at(f, k, i);
			double *to = &p->got[i * PAIR_RESULTS + k];

			host_judged(memory, at, f->results.bytes);
			if (f->results.bytes == sizeof x) {
				memcpy(&x, at, sizeof x);
				*to = (double)x;
			} else {
				memcpy(to, at, sizeof *to);
			}
		}
}

/* ---- What is called ----------------------------------------------------------------------- */

/* Some of three bits, `least' or more. */
static unsigned some(struct random *r, unsigned least)
{
	return random_one_in(r, 2) ? 7 : least + (unsigned)random_below(r, 8 - least);
}

static void draw_wanted(struct pair *p)
{
	struct random *r = &p->c->r;
	const unsigned phi = 1u << PAIR_PHI, perhaps = random_one_in(r, 2) ? phi : 0;

	switch (p->outputs) {
	case CLOPT_OUTPUTS_PHI:
		p->wanted = phi;
		break;
	case CLOPT_OUTPUTS_PHI_NORMAL:
		p->wanted = 1u << PAIR_NORMAL | perhaps;
		break;
	case CLOPT_OUTPUTS_FIELD_PHI:
		p->wanted = phi | some(r, p->gravity ? 0 : 1);
		break;
	case CLOPT_OUTPUTS_FIELD:
		p->wanted = some(r, 1);
		break;
	default:
		p->wanted = some(r, 0) | perhaps | some(r, 1) << PAIR_JERK;
	}
}

/* What the library makes of the options. */
static void draw_precision(struct points *f)
{
	struct pair *p = &f->p;
	int *asked = p->gravity ? &p->g.precision : &p->o.precision;

	if (random_one_in(&p->c->kernel, 5))
		*asked = CLOPT_PRECISION_DEFAULT;
	p->precision = *asked;
	if (p->precision == CLOPT_PRECISION_DEFAULT)
		p->precision = f->sources.bytes + f->targets->bytes + f->results.bytes == 24 ?
		                       CLOPT_PRECISION_BEST :
		                       CLOPT_PRECISION_FLOAT;
	if (p->precision == CLOPT_PRECISION_BEST)
		p->precision = pair_best(p);
	p->wide = p->precision >= CLOPT_PRECISION_DOUBLE_SINGLE;
	p->narrow = p->wide && f->results.bytes == sizeof(float);
	f->coarse = f->grid = 0;
	if (p->precision != CLOPT_PRECISION_DOUBLE)
		f->coarse = f->grid = ldexp(1, ilogb(p->length) - 19);
	if (p->precision == CLOPT_PRECISION_DOUBLE_SINGLE)
		f->grid = ldexp(f->coarse, -24);
}

/* Lengths beyond float's range, of gravity in DOUBLE. */
static void draw_length(struct points *f)
{
	struct pair *p = &f->p;
	const double by = random_decades(&p->c->r, -56, 56);

	if (!p->gravity || p->precision != CLOPT_PRECISION_DOUBLE || !random_one_in(&p->c->r, 4) ||
	    f->sources.bytes + f->targets->bytes != 16)
		return;
	p->length *= by;
	p->g.softening *= by;
}

static void draw_sizes(struct pair *p)
{
	struct random *r = &p->c->r;

	pair_draw_sizes(p, 1 << 15, 300);
	p->one = random_one_in(r, 3) && !p->c->deep;
	if (p->one && (p->m > p->n || random_one_in(r, 2)))
		p->m = p->n = p->n < p->m ? p->n : p->m;
	p->length = random_one_in(r, 2) ? 10 : random_decades(r, -4, 4);
}

/* Where results go: into a memory of their own, or into slots that are not read. */
static void draw_results(struct points *f)
{
	static const size_t shown[][REFERENCE_POINT] = {
		[CLOPT_OUTPUTS_PHI] = { RESULT + PAIR_PHI },
		[CLOPT_OUTPUTS_PHI_NORMAL] = { RESULT + PAIR_PHI, RESULT + PAIR_NORMAL },
		[CLOPT_OUTPUTS_FIELD_PHI] = { RESULT, RESULT + 1, RESULT + 2, RESULT + 3,
		                              RESULT + 4, RESULT + 5, RESULT + 6 },
	};
	struct pair *p = &f->p;
	struct random *r = &p->c->r;
	struct results *out = &f->results;
	const int few = p->outputs <= CLOPT_OUTPUTS_PHI_NORMAL;
	const size_t columns = p->outputs == CLOPT_OUTPUTS_JERK ? 7 :
	                       few                              ? (size_t)p->outputs + 1 :
	                                                          4;
	const int by_sources = !p->one && p->n >= p->m && random_one_in(r, 3);
	size_t k, slot, unread[SLOTS], count = 0;

	for (k = 0; k < PAIR_RESULTS; k++)
		out->slot[k] = RESULT + k;
	out->store = by_sources ? &f->sources : f->targets;
	if (out->store->layout == ADJACENT || random_one_in(r, 2)) {
		f->out.layout = (enum layout)random_below(r, LAYOUTS);
		f->out.type = out->type ? out->type : f->targets->type;
		f->out.bytes = out->bytes;
		open_store(p->c, &f->out, p->m, out->bytes,
		           shown[few ? p->outputs : CLOPT_OUTPUTS_FIELD_PHI], columns);
		out->store = &f->out;
		out->stride = f->out.stride;
		return;
	}
	out->stride = out->store->layout == STRUCTS ? out->store->stride : out->bytes;
	out->first = p->one ? f->first : by_sources ? random_below(r, p->n - p->m + 1) : 0;
	for (slot = 0; slot < RESULT; slot++)
		if (!is_read(f, out->store, slot))
			unread[count++] = slot;
	shuffle(r, unread, count);
	for (k = 0; k < PAIR_RESULTS && count; k++)
		if (p->wanted >> k & 1 && random_one_in(r, 2))
			out->slot[k] = unread[--count];
	call_say(p->c, "; results in the %s", by_sources ? "sources" : "targets");
}

static void draw_stores(struct points *f)
{
	static const size_t numbers[] = { 0, 1, 2, WEIGHT, SPEED, SPEED + 1, SPEED + 2 };
	struct pair *p = &f->p;
	struct random *r = &p->c->r;
	const size_t columns = p->outputs == CLOPT_OUTPUTS_JERK ? REFERENCE_POINT : SPEED;
	const size_t result = f->results.bytes;

	f->first = p->one ? random_below(r, p->n - p->m + 1) : 0;
	f->soft = p->one && f->sources.layout != ADJACENT && random_one_in(r, 2) ? SOFT : WEIGHT;
	open_store(p->c, &f->sources, p->n, f->sources.bytes > result ? f->sources.bytes : result,
	           numbers, columns);
	open_store(p->c, &f->others, p->one ? 0 : p->m,
	           f->others.bytes > result ? f->others.bytes : result, numbers, columns);
	draw_results(f);
}

static void draw_types(struct points *f)
{
	struct random *r = &f->p.c->r;
	const int alike = random_one_in(r, 2);

	f->sources.type = draw_type(r);
	f->others.type = alike ? f->sources.type : draw_type(r);
	f->sources.layout = (enum layout)random_below(r, LAYOUTS);
	f->others.layout = alike ? f->sources.layout : (enum layout)random_below(r, LAYOUTS);
	f->sources.bytes = bytes_of(f->sources.type);
	f->others.bytes = bytes_of(f->others.type);
	f->targets = f->p.one ? &f->sources : &f->others;
	f->results.type = alike && random_one_in(r, 2) ? f->targets->type : draw_type(r);
	f->results.bytes = bytes_of(f->results.type ? f->results.type : f->targets->type);
}

static void draw(struct points *f)
{
	struct pair *p = &f->p;

	draw_sizes(p);
	draw_types(f);
	pair_open(p);
	pair_draw_options(p);
	if (p->gravity && random_one_in(&p->c->kernel, 2))
		p->outputs = CLOPT_OUTPUTS_JERK;
	draw_precision(f);
	draw_length(f);
	draw_wanted(p);
	pair_say(p);
	call_say(p->c, ", results %#x", p->wanted);
	draw_stores(f);
	call_say(p->c, "; first %zu, weights in %zu", f->first, f->soft);
}

static void uncut(struct points *f, struct host *memory)
{
	struct pair *p = &f->p;
	double *was = malloc(p->m * PAIR_RESULTS * sizeof *was);
	int same;

	ck_assert_ptr_nonnull(was);
	memcpy(was, p->got, p->m * PAIR_RESULTS * sizeof *was);
	same = call_uncut(p->c);
	if (same && call_succeeded(p->c, call_points(f))) {
		read_results(f, memory);
		pair_same(p, was, "uncut");
	}
	free(was);
}

void random_points(struct call *c)
{
	static struct points f;
	struct pair *const p = &f.p;
	struct host *const all[] = { &f.sources.memory, &f.others.memory, &f.out.memory, &p->depths,
		                     &p->normals };
	static const char *const names[] = { "sources", "targets", "results" };
	struct clopt_problem problem;
	size_t i;
	int rc;

	memset(&f, 0, sizeof f);
	p->c = c;
	c->form = FORM_HOST; /* there is no other */
	draw(&f);
	problem = pair_problem(p);
	c->type = f.results.bytes == 4 ? CLOPT_TYPE_FLOAT : CLOPT_TYPE_DOUBLE;
	if (!call_force(c, &problem))
		goto close;
	fill(&f);
	store_points(&f);
	f.drawn = c->r;
	for (i = 0; i < 5; i++)
		if (all[i]->block)
			host_ready(all[i]);
	do
		rc = call_points(&f);
	while (call_again(c, rc));
	for (i = 0; call_succeeded(c, rc) && i < 3; i++)
		if (&f.results.store->memory == all[i]) {
			read_results(&f, all[i]);
			pair_judge(p);
			if (p->m && p->n && !c->row)
				uncut(&f, all[i]);
		}
close:
	call_unforce(c);
	for (i = 0; i < 3; i++)
		if (all[i]->block)
			host_close(all[i], names[i]);
	pair_close(p);
}
