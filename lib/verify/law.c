/* SPDX-License-Identifier: MIT */
/*
 * law.c - the sum of a target over its sources in double: the laws of cl/pair/ on the inputs of
 * kernels, and bounds of the kernels' errors.  A term in float32 is off by UNITS units of rounding,
 * and by more at short distances.  A distance has the absolute error of the positions, so a term's
 * relative error grows as source and target come close (blur).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

/* Units of error of one term: three differences, a square, a root (2 to 4 units), an exponential
 * (3), and products. */
#define UNITS 32

struct target {
	double at[3], normal[3];
	double foot[3]; /* the position plus the reach of ions */
	double along, radius; /* projection; distance from the centre */
	double softening2, size;
	double speed[3]; /* for the jerk */
};

/* The term of a source of weight 1, and the magnitudes of its summands. */
struct term {
	double phi, f, n; /* f: times the difference of positions; n: along the normal */
	double phi_size, f_size;
	double blur;
};

struct total {
	double phi, field[3], n, jerk[3];
	double phi_size, field_size, n_size, jerk_size; /* of the terms, blurred */
	double common; /* magnitude of the constants added once */
	double tiny; /* bound of losses by underflow */
	int beyond; /* a term leaves the range, so the sum cannot be judged */
};

/* As pair/target.clh: do not normalize a normal whose length is 1 within float32's digits. */
static void read_normal(const float *normal, double *to)
{
	double square = 0, by;
	int i;

	for (i = 0; i < 3; i++)
		square += (double)normal[i] * (double)normal[i];
	by = fabs(square - 1) <= 1e-6 ? 1 : square > 0 ? 1 / sqrt(square) : 0;
	for (i = 0; i < 3; i++)
		to[i] = by * (double)normal[i];
}

/* Read point i: x, y, z, weight and, for the jerk, its velocity. */
static void read_point(const struct pair_sum *p, const void *points, size_t i, double *to)
{
	const int precision = clopt__point_precision(p->problem);
	const size_t numbers = clopt__point_numbers(p->problem);
	size_t c;

	for (c = 0; c < numbers; c++)
		to[c] = clopt__number_at(precision, points, i * numbers + c);
}

static struct target read_target(const struct pair_sum *p, const void *given, const float *normal)
{
	double target[8] = { 0 };
	const double *k = p->real;
	const int own = p->problem->law == CLOPT_LAW_GRAVITY_OWN;
	const int softened = own || p->problem->law == CLOPT_LAW_GRAVITY;
	struct target t = { .along = k[REAL_PROJECTION] };
	int i;

	read_point(p, given, 0, target);
	memcpy(t.speed, target + 4, sizeof t.speed);
	if (normal) {
		read_normal(normal, t.normal);
		t.along += (double)normal[3];
	}
	for (i = 0; i < 3; i++) {
		t.at[i] = target[i] + t.along * t.normal[i];
		t.foot[i] = target[i] + k[REAL_REACH] * t.normal[i];
		t.size += fabs(target[i]) + fabs(t.along) + fabs(k[REAL_REACH]);
	}
	t.radius = k[REAL_RADIUS] + t.along;
	t.softening2 = softened ? k[REAL_SOFTENING2] : 0;
	t.softening2 += own ? target[3] * target[3] : 0;
	return t;
}

static double distance(const double *from, const double *to)
{
	double square = 0;
	int i;

	for (i = 0; i < 3; i++)
		square += (to[i] - from[i]) * (to[i] - from[i]);
	return sqrt(square);
}

static struct term simple(double phi, double f, double blur)
{
	return (struct term){ phi, f, 0, fabs(phi), fabs(f), blur };
}

/* Add a summand of the potential. */
static void more(struct term *r, double phi, double f)
{
	r->phi += phi;
	r->f += f;
	r->phi_size += fabs(phi);
	r->f_size += fabs(f);
}

/* ALPB, by the formulas of pair/alpb.clh. */
static struct term alpb(const struct pair_sum *p, const struct target *t, const double *s,
                        double depth, double d)
{
	const double *k = p->real, root = 1 / d, foot = distance(t->foot, s);
	const double length = k[REAL_LAMBDA] + foot, a = k[REAL_RADIUS];
	const int law = p->problem->law;
	struct term r = simple(k[REAL_A] * root, k[REAL_A] * root * root * root, 1);

	if (law == CLOPT_LAW_ALPB_FAR) {
		const double e = exp(k[REAL_B] * (foot - d)) * root / length;

		more(&r, e, e * root * (k[REAL_B] + root));
		r.blur += k[REAL_B] * (d + foot + t->size);
		return r;
	}
	if (law == CLOPT_LAW_ALPB_INSIDE || law == CLOPT_LAW_ALPB_INSIDE_SALT) {
		const double inner = p->depths ? depth * (2 * a - depth) : k[REAL_INNER];
		const double h = -t->along * (2 * a + t->along) / (a * a);
		const double image = 1 / sqrt(d * d + inner * h);

		more(&r, -k[REAL_B] * image, -k[REAL_B] * image * image * image);
		r.n = inner * image * image * image;
	}
	if (law == CLOPT_LAW_ALPB_SALT)
		more(&r, -1 / length, 0);
	if (law == CLOPT_LAW_ALPB_INSIDE_SALT)
		more(&r, -k[REAL_C] / length, 0);
	return r;
}

/* d: the softened distance. */
static struct term term_of(const struct pair_sum *p, const struct target *t, const double *s,
                           double depth, double d)
{
	const double root = 1 / d, kappa = p->real[REAL_A], screened = exp(-kappa * d) * root;

	switch (p->problem->law) {
	case CLOPT_LAW_COULOMB:
	case CLOPT_LAW_GRAVITY:
	case CLOPT_LAW_GRAVITY_OWN:
		return simple(root, root * root * root, 1);
	case CLOPT_LAW_DISTANCE4:
		return simple(root * root, 2 * root * root * root * root, 1);
	case CLOPT_LAW_DEBYE:
		return simple(screened, screened * root * (kappa + root),
		              1 + kappa * (d + t->size));
	default:
		return alpb(p, t, s, depth, d);
	}
}

/* Whether float32 holds the square of the distance.  Kernels may count other pairs or skip them. */
static int in_range(const struct pair_sum *p, double bare, double d)
{
	return p->problem->precision == CLOPT_PRECISION_DOUBLE ||
	       (bare * bare > 4 * FLT_MIN && d * d < FLT_MAX / 4);
}

static void add(struct total *sum, const struct pair_sum *p, const struct target *t,
                const double *s, double depth)
{
	const double w = s[3], weight = fabs(w), bare = distance(t->at, s);
	const double d = sqrt(bare * bare + t->softening2);
	struct term r;
	double blur;
	int i;

	/* If the softening is NaN, a kernel adds NaN even at distance 0. */
	if (bare == 0 && !isnan(d))
		return;
	sum->beyond |= !in_range(p, bare, d);
	r = term_of(p, t, s, depth, d);
	blur = r.blur * (1 + (t->size + bare) / d);
	sum->phi += w * r.phi;
	sum->n += w * r.n;
	for (i = 0; i < 3; i++)
		sum->field[i] += w * r.f * (t->at[i] - s[i]);
	if (p->problem->outputs == CLOPT_OUTPUTS_JERK) {
		double u[3], along = 0, speed = 0;

		for (i = 0; i < 3; i++) {
			u[i] = s[4 + i] - t->speed[i];
			along += u[i] * (s[i] - t->at[i]);
			speed += fabs(s[4 + i]) + fabs(t->speed[i]);
		}
		for (i = 0; i < 3; i++)
			sum->jerk[i] -= w * r.f * (u[i] - 3 * along / (d * d) * (s[i] - t->at[i]));
		sum->jerk_size += 4 * weight * r.f_size * speed * blur;
	}
	sum->phi_size += weight * r.phi_size * blur;
	sum->field_size += weight * r.f_size * bare * blur;
	sum->n_size += weight * fabs(r.n) * blur;
	sum->tiny += (1 + weight) * (1 + bare) * FLT_MIN;
	sum->beyond |= !((1 + weight) * (r.f_size + r.phi_size) < FLT_MAX / 4);
}

static double dot(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Add the expansion of 1 / r up to a degree: series for powers of r^2 = a - 2 b x + c x^2, by
 * recurrence.  x runs from the place (0) to the source (1). */
static void add_expanded(struct total *sum, const struct pair_sum *p, const struct target *t,
                         const struct expanded *e)
{
	const double w = e->weight, weight = fabs(w), bare = distance(t->at, e->place);
	const double d[3] = { t->at[0] - e->place[0], t->at[1] - e->place[1],
		              t->at[2] - e->place[2] };
	const double a = bare * bare + t->softening2, b = dot(d, e->from),
	             c = dot(e->from, e->from);
	const double blur = 2 + (t->size + bare) / sqrt(a);
	double phi[3] = { 0, 0, 1 / sqrt(a) },
	       f[3] = { 0, 0, 1 / (a * sqrt(a)) }; /* the current term last */
	size_t k;
	int i;

	for (k = 0; k <= p->problem->dim[2]; k++) {
		if (k > 0) {
			memmove(phi, phi + 1, 2 * sizeof *phi);
			memmove(f, f + 1, 2 * sizeof *f);
			phi[2] = ((2 * (double)k - 1) * b * phi[1] - ((double)k - 1) * c * phi[0]) /
			         ((double)k * a);
			f[2] = ((2 * (double)k + 1) * b * f[1] - ((double)k + 1) * c * f[0]) /
			       ((double)k * a);
		}
		sum->phi += w * phi[2];
		for (i = 0; i < 3; i++)
			sum->field[i] += w * (f[2] * d[i] - f[1] * e->from[i]);
		sum->phi_size += weight * fabs(phi[2]) * blur;
		sum->field_size += weight * (fabs(f[2]) * bare + fabs(f[1]) * sqrt(c)) * blur;
	}
	sum->tiny += (1 + weight) * (1 + bare) * FLT_MIN;
}

static double term(double (*of)[TREE_MOST_LOCAL + 1], int i, int j)
{
	return i < 0 || j < 0 ? 0 : of[i][j];
}

/* Coefficients of u^i v^j in Q^exponent, where Q is the sum of q[i][j] u^i v^j with i + j <= 2.
 * The recurrence: (Q^exponent)' Q = exponent Q^exponent Q', derived by u or by v. */
static void power_series(double (*q)[3], double exponent, double (*power)[TREE_MOST_LOCAL + 1])
{
	int i, j, a, b;

	for (i = 0; i <= TREE_MOST_LOCAL; i++)
		for (j = 0; j <= TREE_MOST_LOCAL; j++) {
			const int n = i > 0 ? i : j;
			double sum = 0;

			power[i][j] = pow(q[0][0], exponent);
			for (a = 0; a < 3; a++)
				for (b = 0; b < 3 - a; b++) {
					const int down = i > 0 ? a : b;

					if (a + b > 0)
						sum += (exponent * down - (n - down)) * q[a][b] *
						       term(power, i - a, j - b);
				}
			if (n > 0)
				power[i][j] = sum / (n * q[0][0]);
		}
}

/* Add the expansion about both middles: powers of |R + u y - v s| as a series in u and v.  R: from
 * the middle of the sources to that of the targets; y, s: target and source from their middles. */
static void add_local(struct total *sum, const struct pair_sum *p, const struct target *t,
                      const struct expanded *e)
{
	const double w = e->weight, *s = e->from, *m = p->middle[e->local - 1];
	const double R[3] = { m[0] - e->place[0], m[1] - e->place[1], m[2] - e->place[2] };
	const double y[3] = { t->at[0] - m[0], t->at[1] - m[1], t->at[2] - m[2] };
	const double size = sqrt(dot(R, R)), blur = 2 + (t->size + size) / size;
	double q[3][3] = { { dot(R, R) + t->softening2, -2 * dot(R, s), dot(s, s) },
		           { 2 * dot(R, y), -2 * dot(y, s), 0 },
		           { dot(y, y), 0, 0 } };
	double phi[TREE_MOST_LOCAL + 1][TREE_MOST_LOCAL + 1];
	double f[TREE_MOST_LOCAL + 1][TREE_MOST_LOCAL + 1];
	int i, j, c;

	power_series(q, -0.5, phi);
	power_series(q, -1.5, f);
	for (i = 0; i <= TREE_MOST_LOCAL; i++)
		for (j = 0; j <= TREE_MOST_LOCAL - i && j <= (int)p->problem->dim[2]; j++) {
			const double of_R = term(f, i - 1, j), of_y = term(f, i - 2, j),
			             of_s = term(f, i - 1, j - 1);

			sum->phi += w * phi[i][j];
			sum->phi_size += fabs(w * phi[i][j]) * blur;
			for (c = 0; c < 3; c++)
				sum->field[c] += w * (of_R * R[c] + of_y * y[c] - of_s * s[c]);
			sum->field_size += fabs(w) * blur *
			                   (fabs(of_R) * size + fabs(of_y) * sqrt(dot(y, y)) +
			                    fabs(of_s) * sqrt(dot(s, s)));
		}
	sum->tiny += (1 + fabs(w)) * (1 + size) * FLT_MIN;
}

/* Scale the sums and add constants as result_store in pair/sum.clh, and scale the magnitudes. */
static void finish(const struct pair_sum *p, const struct target *t, struct total *s)
{
	const double *k = p->real, scale = k[REAL_SCALE], r = t->radius;
	const double from = r - (k[REAL_RADIUS] + k[REAL_REACH]);
	const double inner =
	        k[REAL_RADIUS] > 0 ? scale * k[REAL_B] * r / (k[REAL_RADIUS] * k[REAL_RADIUS]) : 0;
	double over_r = 0, along = 0;
	int i;

	if (k[REAL_OVER_R] != 0) {
		over_r = k[REAL_OVER_R] * exp(-k[REAL_KAPPA_R] * from) / r;
		along = over_r * (k[REAL_KAPPA_R] + 1 / r);
	}
	s->common = (fabs(k[REAL_CONSTANT]) + fabs(over_r) + fabs(along)) *
	            (1 + k[REAL_KAPPA_R] * (fabs(r) + fabs(from)));
	along += inner * s->n;
	s->phi = scale * s->phi + k[REAL_CONSTANT] + over_r;
	s->phi_size *= fabs(scale);
	s->field_size = fabs(scale) * s->field_size + fabs(inner) * s->n_size;
	s->jerk_size *= fabs(scale);
	for (i = 0; i < 3; i++) {
		s->field[i] = scale * s->field[i] + along * t->normal[i];
		s->jerk[i] *= scale;
	}
}

/* Append a value and the bound of its error. */
static void put(const struct pair_sum *p, const struct total *s, struct pair_values *r,
                double value, double size)
{
	const int precision = p->problem->precision;
	const double sum = precision == CLOPT_PRECISION_FLOAT ? 2 * clopt__sum_units(p->n) : 0;
	const double unit = precision >= CLOPT_PRECISION_DOUBLE_SINGLE ? 0x1p-40 : ROUND_FLOAT;
	/* Results are floats, or have the precision of the sums.  In double-single constants are
	 * floats. */
	const double stored = p->problem->elem_bytes == 8 ? unit : ROUND_FLOAT;
	const double constants = precision == CLOPT_PRECISION_DOUBLE ? stored : ROUND_FLOAT;

	r->value[r->count] = value;
	r->bound[r->count++] = s->beyond || !(fabs(value) + s->common + size < FLT_MAX / 4) ?
	                               (double)INFINITY :
	                               ((UNITS + sum) * unit + p->by_tree) * size +
	                                       2 * stored * fabs(value) +
	                                       UNITS * constants * s->common +
	                                       (1 + fabs(p->real[REAL_SCALE])) * s->tiny + FLT_MIN;
}

void clopt__pair_values(const struct pair_sum *p, const void *target, const float *normal,
                        struct pair_values *r)
{
	const struct target t = read_target(p, target, normal);
	const int outputs = p->problem->outputs;
	struct total s;
	double along = 0, source[8];
	size_t j;
	int i;

	memset(&s, 0, sizeof s);
	memset(r, 0, sizeof *r);
	for (j = 0; j < p->n; j++) {
		read_point(p, p->sources, j, source);
		add(&s, p, &t, source, p->depths ? (double)p->depths[j] : 0);
	}
	for (j = 0; j < p->nfar; j++)
		(p->far[j].local ? add_local : add_expanded)(&s, p, &t, &p->far[j]);
	finish(p, &t, &s);
	if (outputs >= CLOPT_OUTPUTS_FIELD_PHI)
		for (i = 0; i < 3; i++)
			put(p, &s, r, s.field[i], s.field_size);
	if (outputs == CLOPT_OUTPUTS_FIELD)
		r->count++; /* a zero */
	else
		put(p, &s, r, s.phi, s.phi_size);
	if (outputs == CLOPT_OUTPUTS_JERK) {
		for (i = 0; i < 3; i++)
			put(p, &s, r, s.jerk[i], s.jerk_size);
		r->count++; /* a zero */
	}
	if (outputs == CLOPT_OUTPUTS_PHI_NORMAL) {
		/* The sum of the field's components, in float32 at least. */
		for (i = 0; i < 3; i++) {
			along += s.field[i] * t.normal[i];
			s.common += fabs(s.field[i]);
		}
		put(p, &s, r, along, 2 * s.field_size);
	}
}
