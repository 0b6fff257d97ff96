/* SPDX-License-Identifier: MIT */
/*
 * nbody_example.c - what the program nbody makes, reads and writes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nb.h"
#include "suites.h"

static struct nb_error error;

static struct nb_system made(const char *model, size_t n, uint64_t seed)
{
	struct nb_system s;

	ck_assert_msg(nb_model(model)->make(&s, n, seed, &error) == 0, "%s", error.text);
	ck_assert_int_eq(s.n, n);
	return s;
}

/* Of bodies from to end: mass, mean place, mean velocity, energies about those. */
struct part {
	double mass, at[3], speed[3], kinetic, potential;
};

static double apart(const double *a, const double *b)
{
	const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];

	return sqrt(x * x + y * y + z * z);
}

static struct part part(const struct nb_system *s, size_t from, size_t end)
{
	struct part p = { 0 };
	const double *x, *v;
	size_t i, j;
	int k;

	for (i = from; i < end; i++)
		p.mass += s->body[4 * i + 3];
	for (i = from; i < end; i++)
		for (k = 0; k < 3; k++) {
			p.at[k] += s->body[4 * i + 3] * s->body[4 * i + (size_t)k] / p.mass;
			p.speed[k] += s->body[4 * i + 3] * s->velocity[4 * i + (size_t)k] / p.mass;
		}
	for (i = from; i < end; i++) {
		x = s->body + 4 * i;
		v = s->velocity + 4 * i;
		p.kinetic += x[3] * pow(apart(v, p.speed), 2) / 2;
		for (j = from; j < i; j++)
			p.potential -= x[3] * s->body[4 * j + 3] / apart(x, s->body + 4 * j);
	}
	return p;
}

static void expect_centred(const struct part *p)
{
	static const double none[3] = { 0, 0, 0 };

	ck_assert_msg(apart(p->at, none) < 1e-12, "the centre is off by %g", apart(p->at, none));
	ck_assert_msg(apart(p->speed, none) < 1e-12, "it moves by %g", apart(p->speed, none));
}

static int by_size(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/* Mass 1, energy -1/4 in equilibrium, and half the mass within 1.305 scale lengths
 * of 3 pi / 16, which the scatter of 8 x 1500 bodies lets be told to a few percent. */
START_TEST(plummer)
{
	static const double none[3] = { 0, 0, 0 };
	double kinetic = 0, potential = 0, half = 0, r[1500];
	struct nb_system s;
	struct part p;
	uint64_t seed;
	size_t i;

	for (seed = 1; seed <= 8; seed++) {
		s = made("plummer", 1500, seed);
		p = part(&s, 0, s.n);
		ck_assert(fabs(p.mass - 1) < 1e-12);
		expect_centred(&p);
		kinetic += p.kinetic / 8;
		potential += p.potential / 8;
		for (i = 0; i < s.n; i++)
			r[i] = apart(s.body + 4 * i, none);
		qsort(r, s.n, sizeof *r, by_size);
		half += r[s.n / 2] / 8;
		nb_system_free(&s);
	}
	ck_assert_msg(fabs(kinetic / -potential - 0.5) < 0.015, "T/|W| is %g",
	              kinetic / -potential);
	ck_assert_msg(fabs(kinetic + potential + 0.25) < 0.01, "E is %g", kinetic + potential);
	ck_assert_msg(fabs(half / 0.7686 - 1) < 0.03, "the half-mass radius is %g", half);
}
END_TEST

/* The pull towards the galaxy's centre on its disc, as a part of what the motion
 * round its axis takes. */
static double pull(const struct nb_system *s, size_t from, size_t end, const struct part *p)
{
	double need = 0, have = 0, turn[3], x[3], v[3], a[3], d, r2;
	size_t i, j;
	int k;

	for (i = from + (end - from + 1) / 2; i < end; i++) {
		memset(a, 0, sizeof a);
		for (k = 0; k < 3; k++) {
			x[k] = s->body[4 * i + (size_t)k] - p->at[k];
			v[k] = s->velocity[4 * i + (size_t)k] - p->speed[k];
		}
		for (j = from; j < end; j++) {
			d = pow(pow(apart(s->body + 4 * i, s->body + 4 * j), 2) + 1e-3, 1.5);
			for (k = 0; k < 3; k++)
				a[k] -= s->body[4 * j + 3] *
				        (s->body[4 * i + (size_t)k] - s->body[4 * j + (size_t)k]) /
				        d;
		}
		for (k = 0; k < 3; k++)
			turn[k] = x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3];
		r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
		need += (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]) / r2;
		have -= a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
	}
	return have / need;
}

/* All of it centred; each galaxy near equilibrium, its disc in rotation; and the
 * two, as points, on a parabola. */
START_TEST(galaxies)
{
	const size_t n = 3000;
	struct nb_system s = made("galaxies", n, 7);
	const struct part all = part(&s, 0, n), one = part(&s, 0, NB_FIRST(n)),
	                  two = part(&s, NB_FIRST(n), n);
	const double v2 = pow(apart(one.speed, two.speed), 2), d = apart(one.at, two.at);
	double q;
	int i;

	ck_assert(fabs(all.mass - 1.5) < 1e-12 && fabs(one.mass - 1) < 1e-12);
	expect_centred(&all);
	for (i = 0; i < 2; i++) {
		const struct part *p = i ? &two : &one;

		q = p->kinetic / -p->potential;
		ck_assert_msg(fabs(q - 0.5) < 0.05, "T/|W| of galaxy %d is %g", i, q);
		q = i ? pull(&s, NB_FIRST(n), n, p) : pull(&s, 0, NB_FIRST(n), p);
		ck_assert_msg(fabs(q - 1) < 0.1, "disc %d is pulled %g times what it takes", i, q);
	}
	/* The mean of a halo's bodies scatters round its middle. */
	ck_assert_msg(fabs(v2 / 2 / (1.5 / d) - 1) < 0.15, "%g of the speed of escape",
	              sqrt(v2 * d / 3));
	nb_system_free(&s);
}
END_TEST

/* Energies and angular momenta are known; a seed gives the same bodies again. */
START_TEST(small_models)
{
	struct nb_system s = made("figure-eight", 3, 1), t;
	struct part p = part(&s, 0, 3);
	double spin = 0;
	size_t i;

	expect_centred(&p);
	ck_assert(fabs(p.kinetic + p.potential + 1.287142) < 1e-5);
	for (i = 0; i < 3; i++)
		spin += s.body[4 * i] * s.velocity[4 * i + 1] -
		        s.body[4 * i + 1] * s.velocity[4 * i];
	ck_assert(fabs(spin) < 1e-7);
	nb_system_free(&s);

	s = made("two", 2, 1);
	p = part(&s, 0, 2);
	expect_centred(&p);
	ck_assert(fabs(p.kinetic + p.potential + 0.125) < 1e-12); /* - m1 m2 / 2 a */
	nb_system_free(&s);

	s = made("plummer", 50, 3);
	t = made("plummer", 50, 3);
	ck_assert(memcmp(s.body, t.body, 50 * 4 * sizeof *s.body) == 0);
	nb_system_free(&t);
	t = made("plummer", 50, 4);
	ck_assert(memcmp(s.body, t.body, 50 * 4 * sizeof *s.body) != 0);
	nb_system_free(&t);
	nb_system_free(&s);

	for (i = 0; nb_model_at(i); i++) { /* a body alone has nothing to divide by */
		s = made(nb_model_at(i)->name, nb_model_at(i)->fixed ? nb_model_at(i)->n : 1, 1);
		ck_assert(isfinite(s.body[0]) && isfinite(s.velocity[0]));
		nb_system_free(&s);
	}
	ck_assert_ptr_null(nb_model("sombrero"));
}
END_TEST

/* A folder for the files of a test, left empty or the test fails. */
static char folder[] = "/tmp/clopt-nbody-XXXXXX", path[64];

static void enter(void)
{
	memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/file", folder);
}

static void leave(void)
{
	ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
}

START_TEST(table)
{
	struct nb_system s = made("plummer", 100, 1), t;

	ck_assert_msg(nb_write(path, &s, NB_TABLE, &error) == 0, "%s", error.text);
	ck_assert_msg(nb_read(&t, path, &error) == 0, "%s", error.text);
	unlink(path);
	ck_assert_int_eq(t.n, 100);
	ck_assert(memcmp(s.body, t.body, 100 * 4 * sizeof *s.body) == 0);
	ck_assert(memcmp(s.velocity, t.velocity, 100 * 4 * sizeof *s.body) == 0);
	nb_system_free(&t);
	nb_system_free(&s);
}
END_TEST

static int parse(struct nb_system *s, const char *text)
{
	return nb_parse(s, text, strlen(text), "b.txt", &error);
}

START_TEST(table_text)
{
	struct nb_system s;

	ck_assert_msg(parse(&s, "# x y z\r\n\r\n1 2 3 4 5 6 7\r\n\n"
	                        " -1.5,2e0 , .5\t4 5 6 0 # a tracer\n1 2 3 4 5 6 7#\n"
	                        "1 2 3 4 5 6 +8.") == 0,
	              "%s", error.text);
	ck_assert_int_eq(s.n, 4);
	ck_assert(s.body[0] == 1 && s.body[3] == 7 && s.velocity[2] == 6);
	ck_assert(s.body[4] == -1.5 && s.body[5] == 2 && s.body[6] == 0.5 && s.body[7] == 0);
	ck_assert(s.body[15] == 8 && s.softening < 0 && s.time == 0);
	nb_system_free(&s);
}
END_TEST

/* Each is refused with file, line, reason and the line's text. */
START_TEST(table_errors)
{
	static const struct {
		const char *text, *place, *reason;
	} bad[] = {
		{ "", "b.txt:", "no bodies" },
		{ "# nothing\n\n", "b.txt:", "no bodies" },
		{ "1 2 3 4 5 6\n", "b.txt:1:", "fewer than" },
		{ "1 2 3 4 5 6 7\n1 2 3 4 5 6 7 8\n", "b.txt:2:", "more than" },
		{ "#\n1 2 three 4 5 6 7", "b.txt:2:", "field 3 is" },
		{ "1 2 3 4 5 6 nan\n", "b.txt:1:", "field 7 is" },
		{ "1 2 3 4 5 1e999 1\n", "b.txt:1:", "field 6 is" },
		{ "0x10 2 3 4 5 6 1\n", "b.txt:1:", "field 1 is" },
		{ "1 2 3 4 5 6 1-2\n", "b.txt:1:", "field 7 is" },
		{ "1 2 3 4 5 6 -1\n", "b.txt:1:", "mass is negative" },
		{ "1e19 2 3 4 5 6 1\n", "b.txt:1:", "larger than" },
		{ "1 2 3 4 5 6 \033[2J\n", "b.txt:1:", "'1 2 3 4 5 6 ?[2J'" },
	};
	struct nb_system s;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(parse(&s, bad[i].text) == -1, "taken: %s", bad[i].text);
		ck_assert_ptr_null(s.body);
		ck_assert_msg(strncmp(error.text, bad[i].place, strlen(bad[i].place)) == 0 &&
		                      strstr(error.text, bad[i].reason),
		              "%s -> %s", bad[i].text, error.text);
	}
	ck_assert_int_eq(nb_parse(&s, "1 2\n3\0 4 5\n", 11, "b.txt", &error), -1);
	ck_assert_msg(strstr(error.text, "fewer") != NULL, "%s", error.text);
	ck_assert_int_eq(nb_parse(&s, "\n3\0 4 5\n", 8, "b.txt", &error), -1);
	ck_assert_msg(strstr(error.text, "b.txt:2: a zero byte") != NULL, "%s", error.text);
	ck_assert_int_eq(nb_read(&s, "/nonexistent.txt", &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent.txt"));
	ck_assert_int_eq(nb_read(&s, "/", &error), -1);
}
END_TEST

/* What is written reads back as the floats it became, dark particles all. */
START_TEST(tipsy)
{
	struct nb_system s = made("plummer", 40, 1), t;
	size_t i, k;
	FILE *f;

	s.time = 1.25;
	s.softening = 0.125;
	ck_assert_msg(nb_write(path, &s, NB_TIPSY, &error) == 0, "%s", error.text);
	f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	ck_assert(fgetc(f) == 0x3f && fgetc(f) == 0xf4); /* 1.25, big endian */
	fseek(f, 0, SEEK_END);
	ck_assert_int_eq(ftell(f), 32 + 40 * 36);
	fclose(f);
	ck_assert_msg(nb_read(&t, path, &error) == 0, "%s", error.text);
	unlink(path);
	ck_assert_int_eq(t.n, 40);
	ck_assert(t.time == 1.25 && t.softening == 0.125);
	for (i = 0; i < 40; i++)
		for (k = 0; k < 4; k++) {
			ck_assert(t.body[4 * i + k] == (double)(float)s.body[4 * i + k]);
			ck_assert(t.velocity[4 * i + k] == (double)(float)s.velocity[4 * i + k]);
		}
	s.velocity[4] = 1e300;
	ck_assert_int_eq(nb_write(path, &s, NB_TIPSY, &error), -1);
	ck_assert_msg(strstr(error.text, "body 2 ") != NULL, "%s", error.text);
	nb_system_free(&t);
	nb_system_free(&s);
}
END_TEST

/* A tipsy file of the test's making, 2 gas, 1 dark, 1 star. */
struct image {
	char data[512];
	size_t size;
	int big;
};

static void append(struct image *m, const void *value, size_t bytes)
{
	const int one = 1, host_big = *(const char *)&one == 0;
	const char *from = value;
	size_t i;

	for (i = 0; i < bytes; i++)
		m->data[m->size++] = from[m->big == host_big ? i : bytes - 1 - i];
}

static void image(struct image *m, int big, int32_t dimensions, int32_t all, int fill)
{
	const int32_t head[] = { all, dimensions, 2, 1, 1, 0 };
	const size_t floats[] = { 12, 12, 9, 11 }, eps[] = { 9, 9, 7, 9 };
	const double time = 2.5;
	size_t i, k;
	float v;

	memset(m, 0, sizeof *m);
	m->big = big;
	append(m, &time, sizeof time);
	for (i = 0; i < (fill ? 6 : 5); i++)
		append(m, &head[i], sizeof *head);
	for (i = 0; i < 4; i++)
		for (k = 0; k < floats[i]; k++) {
			v = k == eps[i] ? 0.5f : (float)(100 * i + k);
			append(m, &v, sizeof v);
		}
}

START_TEST(tipsy_kinds)
{
	struct nb_system s;
	struct image m;
	size_t i;
	int way;

	for (way = 0; way < 4; way++) { /* both orders, with and without what fills up */
		image(&m, way & 1, 3, 4, way & 2);
		ck_assert_msg(nb_parse(&s, m.data, m.size, "t", &error) == 0, "%s", error.text);
		ck_assert_int_eq(s.n, 4);
		ck_assert(s.time == 2.5 && s.softening == 0.5);
		for (i = 0; i < 4; i++) {
			ck_assert(s.body[4 * i + 3] == 100.0 * (double)i);
			ck_assert(s.body[4 * i] == 100.0 * (double)i + 1);
			ck_assert(s.velocity[4 * i + 2] == 100.0 * (double)i + 6);
		}
		nb_system_free(&s);
	}
}
END_TEST

static void expect_not_tipsy(const struct image *m, const char *reason)
{
	struct nb_system s;

	ck_assert_int_eq(nb_parse(&s, m->data, m->size, "t", &error), -1);
	ck_assert_ptr_null(s.body);
	ck_assert_msg(strncmp(error.text, "t: ", 3) == 0 && strstr(error.text, reason),
	              "%s instead of %s", error.text, reason);
}

START_TEST(tipsy_errors)
{
	struct image m;
	const float wrong[] = { -1, (float)NAN };
	const char *const reason[] = { "mass is negative", "not finite" };
	size_t i, end;

	image(&m, 1, 2, 4, 1);
	expect_not_tipsy(&m, "2 dimensions");
	image(&m, 1, 3, 5, 1);
	expect_not_tipsy(&m, "5 bodies, but 2 gas + 1 dark + 1 stars");
	image(&m, 0, 3, 4, 1);
	m.size--;
	expect_not_tipsy(&m, "but its 4 bodies take 208");
	m.size = 32;
	expect_not_tipsy(&m, "32 bytes");
	image(&m, 1, 3, 4, 1);
	m.data[0] = m.data[1] = (char)0xff;
	expect_not_tipsy(&m, "time");
	for (i = 0; i < 2; i++) {
		image(&m, 1, 3, 4, 1);
		end = m.size;
		m.size = 32 + 48;
		append(&m, &wrong[i], sizeof *wrong);
		m.size = end;
		expect_not_tipsy(&m, reason[i]);
		ck_assert_ptr_nonnull(strstr(error.text, "gas particle 2"));
	}
}
END_TEST

/* A picture has the size asked for and is whole; what cannot be written leaves
 * nothing, and what stood there stays. */
START_TEST(files)
{
	static const unsigned char head[] = { 0x89, 'P', 'N', 'G' };
	struct nb_system s = made("galaxies", 300, 1);
	struct nb_view view = { .size = 64 }, first;
	unsigned char data[24];
	FILE *f;

	ck_assert_msg(nb_draw(path, &view, s.body, s.n, &error) == 0, "%s", error.text);
	f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fread(data, 1, sizeof data, f), sizeof data);
	fclose(f);
	ck_assert(memcmp(data, head, sizeof head) == 0 && data[19] == 64 && data[23] == 64);

	first = view; /* also of bodies that have flown away */
	s.body[0] = 1e18;
	s.body[5] = (double)NAN;
	ck_assert_int_eq(nb_draw(path, &view, s.body, s.n, &error), 0);
	ck_assert(memcmp(&first, &view, sizeof view) == 0);

	ck_assert_int_eq(nb_write(path, &s, NB_TIPSY, &error), -1); /* of the NaN */
	ck_assert_int_eq(nb_file_try(path, &error), 0);
	f = fopen(path, "rb");
	ck_assert_int_eq(fread(data, 1, sizeof data, f), sizeof data);
	fclose(f);
	ck_assert(memcmp(data, head, sizeof head) == 0);
	unlink(path);
	ck_assert_int_eq(nb_file_try(path, &error), 0);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert(nb_file_same("x", "./x") && !nb_file_same("x", "y"));
	ck_assert(!nb_file_same("/nonexistent/x", "x"));
	ck_assert_int_eq(nb_file_try("/nonexistent/x", &error), -1);
	ck_assert_int_eq(nb_write("/nonexistent/x", &s, NB_TABLE, &error), -1);
	ck_assert_int_eq(nb_draw("/nonexistent/x", &view, s.body, s.n, &error), -1);
	nb_system_free(&s);
}
END_TEST

TCase *nbody_example_case(void)
{
	TCase *c = tcase_create("nbody-example");

	tcase_add_checked_fixture(c, enter, leave);
	tcase_add_test(c, plummer);
	tcase_add_test(c, galaxies);
	tcase_add_test(c, small_models);
	tcase_add_test(c, table);
	tcase_add_test(c, table_text);
	tcase_add_test(c, table_errors);
	tcase_add_test(c, tipsy);
	tcase_add_test(c, tipsy_kinds);
	tcase_add_test(c, tipsy_errors);
	tcase_add_test(c, files);
	return c;
}
