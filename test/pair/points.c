/* SPDX-License-Identifier: MIT */
/*
 * points.c - clopt_gravity and clopt_potential_points: each layout, precision and row against sums
 * in long double.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/traits.h"
#include "physics.h"
#include "table/table.h"

#define G 1.3
#define EPS 0.01
enum {
	N = 300
};

/* As REBOUND keeps a particle. */
struct particle {
	double x, y, z, vx, vy, vz, ax, ay, az, m;
	double phi, jx, jy, jz;
};

enum storage {
	STRUCTS, /* results in the structs of the points */
	ARRAYS, /* an array for each number */
	DOUBLE4, /* adjacent x, y, z, m */
	FLOAT4, /* the same of floats; points are rounded to floats */
	LAYOUTS
};

/* n bodies, and the same in a layout. */
struct bodies {
	size_t n;
	double eps; /* softening */
	struct particle *p;
	void *places, *out; /* of layouts other than STRUCTS */
	struct clopt_points points;
	struct clopt_results results;
};

static void *room(size_t n, size_t bytes)
{
	void *memory = calloc(n + 1, bytes);

	ck_assert_ptr_nonnull(memory);
	return memory;
}

/* Bodies in a box, far from the origin, so that rounded positions would show. */
static void open_bodies(struct bodies *b, size_t n)
{
	size_t i;

	memset(b, 0, sizeof *b);
	b->n = n;
	b->eps = EPS;
	b->p = room(n, sizeof *b->p);
	for (i = 0; i < n; i++) {
		struct particle *p = &b->p[i];

		p->x = 10 + scene_number() + scene_number() / 3e7;
		p->y = -7 + scene_number() + scene_number() / 3e7;
		p->z = scene_number() / 3;
		p->vx = scene_number() - 0.5;
		p->vy = scene_number() - 0.5;
		p->vz = 2 * scene_number();
		p->m = 0.5 + scene_number();
	}
}

static void close_bodies(struct bodies *b)
{
	free(b->p);
	free(b->places);
	free(b->out);
}

static void set_layout(struct bodies *b, enum storage layout)
{
	const size_t n = b->n, number = layout == FLOAT4 ? sizeof(float) : sizeof(double);
	const int together = layout != ARRAYS;
	const size_t step = (together ? 1 : n) * number, out = (together ? 1 : n) * number;
	struct clopt_points *s = &b->points;
	struct clopt_results *r = &b->results;
	double *d;
	float *f;
	size_t i, c;

	clopt_points_init(s, sizeof *s);
	clopt_results_init(r, sizeof *r);
	s->n = n;
	s->type = r->type = layout == FLOAT4 ? CLOPT_TYPE_FLOAT : CLOPT_TYPE_DOUBLE;
	if (layout == STRUCTS) {
		s->x = &b->p->x, s->y = &b->p->y, s->z = &b->p->z, s->w = &b->p->m;
		s->vx = &b->p->vx, s->vy = &b->p->vy, s->vz = &b->p->vz;
		r->x = &b->p->ax, r->y = &b->p->ay, r->z = &b->p->az, r->phi = &b->p->phi;
		r->jx = &b->p->jx, r->jy = &b->p->jy, r->jz = &b->p->jz;
		s->stride_bytes = r->stride_bytes = sizeof *b->p;
		return;
	}
	b->places = d = room(7 * n, sizeof *d);
	f = b->places;
	b->out = room(7 * n, sizeof *d);
	for (i = 0; i < n; i++) {
		struct particle *p = &b->p[i];
		double *const from[] = { &p->x, &p->y, &p->z, &p->m, &p->vx, &p->vy, &p->vz };

		for (c = 0; c < (together ? 4u : 7u); c++)
			if (layout == FLOAT4)
				*from[c] = (double)(f[4 * i + c] = (float)*from[c]);
			else
				d[together ? 4 * i + c : c * n + i] = *from[c];
	}
	s->x = b->places;
	s->y = (char *)b->places + step;
	s->z = (char *)b->places + 2 * step;
	s->w = (char *)b->places + 3 * step;
	r->x = b->out;
	r->y = (char *)b->out + out;
	r->z = (char *)b->out + 2 * out;
	r->phi = (char *)b->out + 3 * out;
	s->stride_bytes = r->stride_bytes = together ? 4 * number : 0;
	if (together)
		return;
	s->vx = d + 4 * n, s->vy = d + 5 * n, s->vz = d + 6 * n;
	r->jx = (double *)b->out + 4 * n, r->jy = (double *)b->out + 5 * n;
	r->jz = (double *)b->out + 6 * n;
}

/* Result c of body i: acceleration, potential, jerk. */
static double result(const struct bodies *b, size_t i, unsigned c)
{
	const struct clopt_results *r = &b->results;
	const void *const at[] = { r->x, r->y, r->z, r->phi, r->jx, r->jy, r->jz };
	const int single = r->type == CLOPT_TYPE_FLOAT;
	const size_t number = single ? sizeof(float) : sizeof(double);
	const char *from = (const char *)at[c] + i * (r->stride_bytes ? r->stride_bytes : number);
	double d;
	float f;

	memcpy(single ? (void *)&f : &d, from, number);
	return single ? (double)f : d;
}

/* a, phi and jerk of body i. */
static void right(const struct bodies *b, size_t i, long double *want)
{
	const struct particle *t = &b->p[i];
	size_t j;
	int c;

	memset(want, 0, 7 * sizeof *want);
	for (j = 0; j < b->n; j++) {
		const struct particle *s = &b->p[j];
		const long double d[3] = { (long double)s->x - t->x, (long double)s->y - t->y,
			                   (long double)s->z - t->z };
		const long double u[3] = { (long double)s->vx - t->vx, (long double)s->vy - t->vy,
			                   (long double)s->vz - t->vz };
		const long double bare = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
		const long double r2 = bare + (long double)b->eps * b->eps, r = sqrtl(r2);
		const long double m = (long double)G * s->m / (r2 * r);
		const long double along = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];

		if (bare == 0)
			continue;
		want[3] -= (long double)G * s->m / r;
		for (c = 0; c < 3; c++) {
			want[c] += m * d[c];
			want[4 + c] += m * (u[c] - 3 * along / r2 * d[c]);
		}
	}
}

static double length(const long double *x)
{
	return (double)sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Every number within `share` of its vector; of the jerk, five times as much. */
static void expect_near(const struct bodies *b, int jerk, double share, const char *what)
{
	long double want[7];
	size_t i;
	unsigned c;

	for (i = 0; i < b->n; i++) {
		right(b, i, want);
		for (c = 0; c < (jerk ? 7u : 4u); c++) {
			const double size = c == 3 ? fabs((double)want[3]) :
			                    c < 3  ? length(want) :
			                             5 * length(want + 4);
			const double got = result(b, i, c);

			ck_assert_msg(fabs((double)(got - want[c])) <= share * size,
			              "%s: number %u of body %zu is %.17g, right is %.17g", what, c,
			              i, got, (double)want[c]);
		}
	}
}

static struct clopt_nbody_options gravity_options(int precision)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.g = G;
	o.softening = EPS;
	o.precision = precision;
	return o;
}

static int has_double(struct clopt *ctx)
{
	return (ctx->device.traits & T_FP64) != 0;
}

/* The precisions' errors, with room for those of other devices. */
static const double shares[] = { 0, 1e-4, 1e-4, 1e-11, 1e-14 };

/* Each layout in each precision, all results checked by the library too. */
START_TEST(layouts)
{
	static const char *const names[] = { "structs", "arrays", "double4", "float4" };
	const enum storage layout = (enum storage)_i;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_nbody_options o;
	struct bodies b;
	struct clopt *ctx;
	int precision;

	options.check = CLOPT_CHECK_ALWAYS;
	ctx = test_open(&options);
	open_bodies(&b, N);
	set_layout(&b, layout);
	for (precision = CLOPT_PRECISION_FLOAT; precision <= CLOPT_PRECISION_DOUBLE; precision++) {
		if (precision == CLOPT_PRECISION_DOUBLE && !has_double(ctx))
			continue;
		o = gravity_options(precision);
		CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &b.points, &b.results, &o));
		expect_near(&b, layout < DOUBLE4,
		            layout == FLOAT4 ? shares[CLOPT_PRECISION_FLOAT] : shares[precision],
		            names[layout]);
	}
	/* Doubles are summed in the best precision by default. */
	o = gravity_options(CLOPT_PRECISION_DEFAULT);
	CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &b.points, &b.results, &o));
	expect_near(&b, layout < DOUBLE4, layout == FLOAT4 ? shares[1] : shares[3], names[layout]);
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

/* Adjacent floats give clopt_nbody's results, and points of floats keep their digits in DOUBLE. */
START_TEST(floats)
{
	struct clopt_nbody_options o = gravity_options(0);
	struct clopt *ctx = test_open(NULL);
	struct bodies b;
	float *want = room(4 * N, sizeof *want);
	double *exact = room(4 * N, sizeof *exact);

	open_bodies(&b, N);
	set_layout(&b, FLOAT4);
	o.potential = 1;
	CHECK_OK(ctx, clopt_nbody(ctx, N, b.places, N, b.places, want, &o));
	CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &b.points, &b.results, &o));
	ck_assert_mem_eq(want, b.out, 4 * N * sizeof *want);
	b.results.type = CLOPT_TYPE_DOUBLE;
	b.results.stride_bytes = 4 * sizeof *exact;
	b.results.x = exact, b.results.y = exact + 1, b.results.z = exact + 2;
	b.results.phi = exact + 3;
	o.precision = CLOPT_PRECISION_BEST;
	CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &b.points, &b.results, &o));
	expect_near(&b, 0, shares[has_double(ctx) ? 4 : 3], "floats in, doubles out");
	free(want);
	free(exact);
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

/* Sources and targets are cut, and sums keep their precision. */
START_TEST(cut)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	struct clopt_plan_info plan;
	struct clopt_nbody_options o;
	struct bodies b;
	struct clopt *ctx;
	char text[160];
	int precision;

	options.mem_limit_bytes = 100000;
	ctx = test_open(&options);
	open_bodies(&b, 2500);
	set_layout(&b, STRUCTS);
	for (precision = CLOPT_PRECISION_FLOAT; precision <= CLOPT_PRECISION_DOUBLE; precision++) {
		if (precision == CLOPT_PRECISION_DOUBLE && !has_double(ctx))
			continue;
		o = gravity_options(precision);
		CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &b.points, &b.results, &o));
		expect_near(&b, 1, shares[precision], "cut");
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		ck_assert_uint_gt(report.bands, 1);
		if (precision >= CLOPT_PRECISION_DOUBLE_SINGLE)
			ck_assert_uint_gt(report.sum_parts, 1);
		/* The same problem, asked about. */
		problem.op = CLOPT_OP_NBODY;
		problem.dim[0] = problem.dim[1] = b.n;
		problem.outputs = CLOPT_OUTPUTS_JERK;
		problem.precision = precision;
		problem.elem_bytes = precision >= CLOPT_PRECISION_DOUBLE_SINGLE ? 8 : 4;
		clopt_plan_info_init(&plan, sizeof plan);
		CHECK_OK(ctx, clopt_plan(ctx, &problem, &plan));
		ck_assert_str_eq(plan.variant, report.variant);
		ck_assert_uint_eq(plan.up_bytes, report.up_bytes);
		ck_assert_uint_eq(plan.sum_parts, report.sum_parts);
		CHECK_OK(ctx, clopt_problem_class(ctx, &problem, text, sizeof text));
		ck_assert_ptr_nonnull(strstr(text, "jerk"));
		ck_assert_int_eq(strstr(text, "wide") != NULL, problem.elem_bytes == 8);
	}
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

/* The jerk is the change of the acceleration in time. */
START_TEST(difference)
{
	const double h = 1e-5;
	struct clopt *ctx = test_open(NULL);
	const struct clopt_nbody_options o = gravity_options(CLOPT_PRECISION_BEST);
	struct bodies now, then[2];
	size_t i;
	unsigned c, k;

	open_bodies(&now, 50);
	set_layout(&now, STRUCTS);
	for (k = 0; k < 2; k++) {
		const double dt = k ? h : -h;

		open_bodies(&then[k], now.n);
		memcpy(then[k].p, now.p, now.n * sizeof *now.p);
		set_layout(&then[k], STRUCTS);
		for (i = 0; i < now.n; i++) {
			struct particle *p = &then[k].p[i];

			p->x += dt * p->vx, p->y += dt * p->vy, p->z += dt * p->vz;
		}
		CHECK_OK(ctx, clopt_gravity(ctx, &then[k].points, &then[k].points, &then[k].results,
		                            &o));
	}
	CHECK_OK(ctx, clopt_gravity(ctx, &now.points, &now.points, &now.results, &o));
	for (i = 0; i < now.n; i++)
		for (c = 0; c < 3; c++) {
			const struct particle *p = &now.p[i];
			const double size = fabs(p->jx) + fabs(p->jy) + fabs(p->jz);
			const double change = result(&then[1], i, c) - result(&then[0], i, c);

			ck_assert_msg(fabs(change / (2 * h) - result(&now, i, 4 + c)) <=
			                      1e-3 * size,
			              "body %zu: %g, the accelerations change by %g", i,
			              result(&now, i, 4 + c), change / (2 * h));
		}
	close_bodies(&now);
	close_bodies(&then[0]);
	close_bodies(&then[1]);
	test_close(ctx);
}
END_TEST

/* ---- The potential ------------------------------------------------------------ */

/* clopt_pairs.h's formula at a target t with normal v, all charges of the ball. */
static long double potential_at(const struct clopt_potential_options *o, const double *p, size_t n,
                                const double *t, const double *v, long double *terms)
{
	const long double pr = o->projection, a = o->radius, b = o->ion_radius, r = a + pr,
	                  f = a + b;
	const long double beta = o->eps_in / (long double)o->eps_out, al = o->alpha;
	const long double cc = 1 / (o->eps_out * (1 + al * beta)), kappa = o->kappa;
	const long double l = kappa > 0 ? 1 / kappa : 0;
	const long double g =
	        (1 / (long double)o->eps_in - 1 / (long double)o->eps_out) / (1 + al * beta);
	long double sum = 0, q = 0, common = 0;
	size_t j;
	int c;

	*terms = 0;
	for (j = 0; j < n; j++) {
		const double *s = p + 4 * j;
		long double d = 0, e = 0, term;

		for (c = 0; c < 3; c++) {
			d += powl(t[c] + pr * v[c] - s[c], 2);
			e += powl(t[c] + b * v[c] - s[c], 2);
		}
		d = sqrtl(d);
		e = sqrtl(e);
		if (o->law == CLOPT_LAW_COULOMB)
			term = 1 / (o->eps_in * d);
		else if (o->law == CLOPT_LAW_DISTANCE4)
			term = 1 / (4 * d * d);
		else if (o->law == CLOPT_LAW_DEBYE)
			term = expl(-kappa * d) / (o->eps_in * d);
		else if (pr < 0) {
			const long double r0 = a / 2, h = (a * a - r0 * r0) * (a * a - r * r);

			term = 1 / (o->eps_in * d) - g / sqrtl(d * d + h / (a * a)) -
			       (l > 0 ? cc * (1 + al) / (l + e) : 0);
		} else if (l > 0 && r > f)
			term = cc * (1 + al) * l * expl(-kappa * (d - e)) / (d * (l + e));
		else
			term = cc * (1 + al) * (1 / d - (l > 0 ? 1 / (l + e) : 0));
		sum += s[3] * term;
		*terms += fabsl(s[3]) * 2 / (o->eps_in * d);
		q += s[3];
	}
	if (o->law == CLOPT_LAW_ALPB && pr < 0)
		common = -g * al * beta * q / a + (l > 0 ? cc * al * (1 - beta) * q / (l + f) : 0);
	else if (o->law == CLOPT_LAW_ALPB && l > 0 && r > f)
		common = -al * (1 - beta) * q * cc * l * expl(-kappa * (r - f)) / (r * (l + f));
	else if (o->law == CLOPT_LAW_ALPB)
		common = -cc * al * (1 - beta) * q * (1 / r - (l > 0 ? 1 / (l + f) : 0));
	*terms = o->scale * (*terms + fabsl(common));
	return o->scale * (sum + common);
}

/* Every law: the potential against the formula, and the field against the potential's slope along a
 * step of the target for laws whose field is that. */
START_TEST(laws)
{
	const struct setting *set = &settings[_i];
	/* Lengths of normals do not count. */
	static const float directions[][4] = {
		{ 3, 4, 0 }, { 0, 0, 2 }, { 1, -2, 2 }, { -1, 0, 0 }
	};
	const size_t n = 131, m = 77;
	struct clopt *ctx = test_open(NULL);
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_points sources = CLOPT_POINTS_INIT, targets = CLOPT_POINTS_INIT;
	struct clopt_results results = CLOPT_RESULTS_INIT;
	double *p = room(4 * n, sizeof *p), *t = room(3 * m, sizeof *t),
	       *out = room(4 * m, sizeof *t);
	float *normals = room(4 * m, sizeof *normals), *fp = room(4 * n, sizeof *fp);
	float *ft = room(4 * m, sizeof *ft), *fout = room(4 * m, sizeof *fout);
	const int precision = has_double(ctx)              ? CLOPT_PRECISION_DOUBLE :
	                      clopt__laws[set->law].radial ? CLOPT_PRECISION_DOUBLE_SINGLE :
	                                                     CLOPT_PRECISION_FLOAT;
	size_t i, c;

	o.law = set->mode;
	o.scale = 1.7;
	o.eps_in = 4;
	o.eps_out = 80;
	o.radius = 10;
	o.ion_radius = 2;
	o.alpha = 0.571412;
	o.kappa = set->kappa;
	o.projection = set->projection;
	o.normals = normals;
	o.precision = precision;
	for (i = 0; i < n; i++) {
		for (c = 0; c < 3; c++)
			p[4 * i + c] = 100 + 8 * (scene_number() - 0.5);
		p[4 * i + 3] = 2 * scene_number() - 1;
		for (c = 0; c < 4; c++)
			fp[4 * i + c] = (float)(p[4 * i + c] - (c < 3 ? 100 : 0));
	}
	for (i = 0; i < m; i++) {
		double size = 0;

		memcpy(normals + 4 * i, directions[i % 4], sizeof directions[0]);
		for (c = 0; c < 3; c++)
			size += (double)normals[4 * i + c] * (double)normals[4 * i + c];
		for (c = 0; c < 3; c++) {
			t[c * m + i] = 100 + 10 * (double)normals[4 * i + c] / sqrt(size) +
			               scene_number() / 10;
			ft[4 * i + c] = (float)(t[c * m + i] - 100);
		}
	}
	sources.n = n, sources.x = p, sources.y = p + 1, sources.z = p + 2, sources.w = p + 3;
	sources.stride_bytes = 4 * sizeof *p;
	targets.n = m, targets.x = t, targets.y = t + m, targets.z = t + 2 * m;
	results.phi = out;
	CHECK_OK(ctx, clopt_potential_points(ctx, &sources, &targets, &results, &o));
	for (i = 0; i < m; i++) {
		const double at[3] = { t[i], t[m + i], t[2 * m + i] };
		const double share = precision == CLOPT_PRECISION_DOUBLE ? 1e-14 :
		                     precision == CLOPT_PRECISION_FLOAT  ? 1e-4 :
		                                                           1e-6;
		double v[3], size = 0;
		long double want, terms;

		for (c = 0; c < 3; c++)
			size += (double)normals[4 * i + c] * (double)normals[4 * i + c];
		for (c = 0; c < 3; c++)
			v[c] = (double)normals[4 * i + c] / sqrt(size);
		want = potential_at(&o, p, n, at, v, &terms);
		ck_assert_msg(fabs((double)(out[i] - want)) <= share * (double)terms,
		              "%s: phi[%zu] is %.17g, right is %.17g", set->name, i, out[i],
		              (double)want);
	}
	/* The field, against that of floats. */
	results.x = out, results.y = out + m, results.z = out + 2 * m, results.phi = NULL;
	CHECK_OK(ctx, clopt_potential_points(ctx, &sources, &targets, &results, &o));
	o.outputs = CLOPT_OUTPUTS_FIELD;
	o.precision = CLOPT_PRECISION_FLOAT;
	CHECK_OK(ctx, clopt_potential(ctx, n, fp, m, ft, fout, &o));
	for (i = 0; i < m; i++)
		for (c = 0; c < 3; c++)
			ck_assert_msg(fabs((double)fout[4 * i + c] - out[c * m + i]) < 2e-4,
			              "%s: the field's %zu at %zu is %g, in float32 %g", set->name,
			              c, i, out[c * m + i], (double)fout[4 * i + c]);
	/* And along the normals. */
	o.precision = precision;
	results.x = results.y = results.z = NULL;
	results.normal = out + 3 * m;
	CHECK_OK(ctx, clopt_potential_points(ctx, &sources, &targets, &results, &o));
	for (i = 0; i < m; i++) {
		double size = 0, along = 0;

		for (c = 0; c < 3; c++) {
			const double v = (double)normals[4 * i + c];

			size += v * v;
			along += v * out[c * m + i];
		}
		ck_assert_msg(fabs(along / sqrt(size) - out[3 * m + i]) < 1e-6,
		              "%s: along normal %zu it is %g, of the field %g", set->name, i,
		              out[3 * m + i], along / sqrt(size));
	}
	free(p), free(t), free(out), free(normals), free(fp), free(ft), free(fout);
	test_close(ctx);
}
END_TEST

/* ---- Devices without double, and refusals -------------------------------------- */

START_TEST(without_double)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_nbody_options o = gravity_options(CLOPT_PRECISION_DOUBLE);
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct bodies b;

	ctx->device.traits &= ~(unsigned)T_FP64;
	open_bodies(&b, N);
	set_layout(&b, STRUCTS);
	expect_refused(clopt_gravity(ctx, &b.points, &b.points, &b.results, &o), CLOPT_EUNSUPPORTED,
	               ctx, "fp64");
	o.precision = CLOPT_PRECISION_DEFAULT;
	CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &b.points, &b.results, &o));
	expect_near(&b, 1, shares[CLOPT_PRECISION_DOUBLE_SINGLE], "without double");
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_msg(!strncmp(report.variant, "nbody/exact", 11), "%s ran", report.variant);
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

/* A source at the place of a target adds nothing, whatever its velocity. */
START_TEST(same_place)
{
	const int precision = CLOPT_PRECISION_FLOAT + _i;
	const struct clopt_nbody_options o = gravity_options(precision);
	struct clopt *ctx = test_open(NULL);
	struct particle target;
	struct clopt_points targets;
	struct bodies b;
	long double want[7];
	unsigned c;

	if (precision == CLOPT_PRECISION_DOUBLE && !has_double(ctx)) {
		test_close(ctx);
		return;
	}
	open_bodies(&b, N);
	set_layout(&b, STRUCTS);
	right(&b, 0, want);
	target = b.p[0];
	targets = b.points;
	targets.n = 1;
	targets.x = &target.x, targets.y = &target.y, targets.z = &target.z;
	targets.vx = &target.vx, targets.vy = &target.vy, targets.vz = &target.vz;
	b.p[0].vy = (double)NAN;
	CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &targets, &b.results, &o));
	for (c = 0; c < 7; c++)
		ck_assert_msg(fabs((double)(result(&b, 0, c) - want[c])) <=
		                      1e-4 * length(want + (c < 4 ? 0 : 4)) +
		                              1e-4 * fabs((double)want[3]),
		              "number %u is %g, right is %g", c, result(&b, 0, c), (double)want[c]);
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

/* A target's own softening that is NaN gives NaN, also where no source adds anything, and the
 * library's check agrees. */
START_TEST(nan_softening)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_nbody_options o = gravity_options(CLOPT_PRECISION_FLOAT + _i);
	struct clopt *ctx;
	struct bodies b;
	double softening = (double)NAN;
	struct clopt_points targets;
	unsigned c;

	options.check = CLOPT_CHECK_ALWAYS;
	ctx = test_open(&options);
	if (o.precision == CLOPT_PRECISION_DOUBLE && !has_double(ctx)) {
		test_close(ctx);
		return;
	}
	open_bodies(&b, 1);
	set_layout(&b, STRUCTS);
	targets = b.points;
	targets.w = &softening;
	o.target_softening = 1;
	CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &targets, &b.results, &o));
	for (c = 0; c < 7; c++)
		ck_assert_msg(isnan(result(&b, 0, c)), "number %u is %g", c, result(&b, 0, c));
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

/* By default doubles have double's range: lengths of galaxies in metres, and of nuclei. */
START_TEST(lengths)
{
	const double unit = _i ? 1e-25 : 1e25;
	struct clopt *ctx = test_open(NULL);
	struct clopt_nbody_options o = gravity_options(CLOPT_PRECISION_DEFAULT);
	struct bodies b;
	size_t i;

	open_bodies(&b, N);
	set_layout(&b, STRUCTS);
	for (i = 0; i < b.n; i++)
		b.p[i].x *= unit, b.p[i].y *= unit, b.p[i].z *= unit;
	o.softening = b.eps = EPS * unit;
	if (has_double(ctx)) {
		CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &b.points, &b.results, &o));
		expect_near(&b, 1, shares[CLOPT_PRECISION_DOUBLE], "lengths");
	}
	o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	expect_refused(clopt_gravity(ctx, &b.points, &b.points, &b.results, &o), CLOPT_EINVAL, ctx,
	               "softening");
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

START_TEST(nothing_to_do)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_points s;
	struct bodies b;

	open_bodies(&b, N);
	set_layout(&b, STRUCTS);
	s = b.points;
	s.n = 0;
	CHECK_OK(ctx, clopt_gravity(ctx, &b.points, &s, &b.results, NULL));
	ck_assert(b.p[0].ax == 0);
	b.p[0].ax = 5;
	CHECK_OK(ctx, clopt_gravity(ctx, &s, &b.points, &b.results, NULL));
	ck_assert(b.p[0].ax == 0 && b.p[N - 1].jz == 0);
	close_bodies(&b);
	test_close(ctx);
}
END_TEST

SUITE(points, long)
{
	tcase_add_loop_test(c, layouts, 0, LAYOUTS);
	tcase_add_test(c, floats);
	tcase_add_test(c, cut);
	tcase_add_test(c, difference);
	tcase_add_loop_test(c, laws, 0, SETTINGS);
	tcase_add_test(c, without_double);
	tcase_add_loop_test(c, same_place, 0, 4);
	tcase_add_loop_test(c, nan_softening, 0, 4);
	tcase_add_loop_test(c, lengths, 0, 2);
	tcase_add_test(c, nothing_to_do);
}
