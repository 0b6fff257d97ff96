/* SPDX-License-Identifier: MIT */
/*
 * tour.cc - the library from C++: a product, a transpose, the potential in a crystal,
 * a ring of bodies that turns.  Each result is compared with plain loops or a formula.
 *
 *	c++ -std=c++17 tour.cc $(pkg-config --cflags --libs clopt)
 */
#include <clopt.hpp>

#include <cmath>
#include <cstdio>

static bool right = true;

static void expect(const char *what, double got, double want, double bound)
{
	if (!(std::fabs(got - want) <= bound)) {
		std::printf("%s: %.17g, not %.17g\n", what, got, want);
		right = false;
	}
}

static void matmul(const clo::context &ctx)
{
	const std::size_t m = 37, n = 41, k = 29;
	std::vector<double> a(m * k), b(k * n), c(m * n), t(k * m);
	double sum = 0;

	for (std::size_t i = 0; i < m; i++)
		for (std::size_t l = 0; l < k; l++)
			a[i * k + l] = static_cast<double>((3 * i + 5 * l) % 7) - 3;
	for (std::size_t l = 0; l < k; l++)
		for (std::size_t j = 0; j < n; j++)
			b[l * n + j] = static_cast<double>((2 * l + 7 * j) % 5) - 2;

	ctx.matmul(clo::rows(a, m, k), clo::rows(b, k, n), clo::rows(c, m, n));

	for (std::size_t i = 0; i < m; i++)
		for (std::size_t j = 0; j < n; j++) {
			double want = 0;

			for (std::size_t l = 0; l < k; l++)
				want += a[i * k + l] * b[l * n + j];
			expect("matmul", c[i * n + j], want, 0);
			sum += static_cast<double>(i + 1) * c[i * n + j];
		}
	std::printf("matmul     37 x 29 x 41: last %.0f, weighted sum %.0f\n", c.back(), sum);

	ctx.transpose(clo::rows(a, m, k), clo::rows(t, k, m));

	for (std::size_t i = 0; i < m; i++)
		for (std::size_t l = 0; l < k; l++)
			expect("transpose", t[l * m + i], a[i * k + l], 0);
	std::printf("transpose  last row begins with %.0f\n", t[(k - 1) * m]);
}

/* Ions of charge 1 and -1 by turns, a unit apart: rock salt. */
static void potential(const clo::context &ctx)
{
	std::vector<clo::dpoint> ions;
	double energy = 0;

	for (int i = 0; i < 512; i++) {
		const int x = i / 64, y = i / 8 % 8, z = i % 8;

		ions.push_back({ double(x), double(y), double(z), (x + y + z) % 2 ? -1.0 : 1.0 });
	}

	const std::vector<double> phi = ctx.potential(ions, ions);

	for (std::size_t i = 0; i < ions.size(); i++) {
		double want = 0;

		for (std::size_t j = 0; j < ions.size(); j++)
			if (j != i)
				want += ions[j].w / std::hypot(ions[i].x - ions[j].x,
				                               ions[i].y - ions[j].y,
				                               ions[i].z - ions[j].z);
		expect("potential", phi[i], want, 1e-10);
		energy += ions[i].w * phi[i] / 2;
	}
	std::printf("potential  energy per pair of ions %.4f\n", energy / 256);
}

/* Six bodies on a circle of radius 1, of mass 1 in all, attract each other towards the centre by
 * a = (1/24) sum over k of 1 / sin(pi k / 6).  With a velocity of sqrt(a) the ring turns. */
static void bodies(const clo::context &ctx)
{
	const double pi = std::acos(-1.0);
	double a = 0;

	for (int k = 1; k < 6; k++)
		a += 1 / std::sin(pi * k / 6) / 24;

	std::vector<clo::dpoint> ring, velocities;
	for (int i = 0; i < 6; i++) {
		const double angle = pi * i / 3, v = std::sqrt(a);

		ring.push_back({ std::cos(angle), std::sin(angle), 0, 1.0 / 6 });
		velocities.push_back({ -v * std::sin(angle), v * std::cos(angle), 0, 0 });
	}
	const std::vector<clo::dpoint> begin = ring, acc = ctx.nbody(ring, ring);

	for (std::size_t i = 0; i < 6; i++) {
		expect("nbody", acc[i].x, -a * ring[i].x, 1e-12);
		expect("nbody", acc[i].y, -a * ring[i].y, 1e-12);
		expect("nbody", acc[i].z, 0, 1e-12);
	}
	std::printf("nbody      acceleration %.4f towards the centre\n",
	            std::hypot(acc[0].x, acc[0].y));

	/* Once round in 400 steps; the callback sees each quarter. */
	clo::evolve_options o;
	o.integrator = CLOPT_INTEGRATOR_HERMITE;
	o.every = 100;
	std::printf("evolve     energy");
	ctx.evolve(ring, velocities, 2 * pi / std::sqrt(a) / 400, 400, o,
	           [](std::size_t step, auto, auto, const clopt_conserved &sums) {
		           std::printf(", step %zu: %.4f", step, sums.kinetic + sums.potential);
	           });
	std::printf("\n");
	for (std::size_t i = 0; i < 6; i++) {
		expect("evolve", ring[i].x, begin[i].x, 1e-5);
		expect("evolve", ring[i].y, begin[i].y, 1e-5);
		expect("evolve", ring[i].z, 0, 1e-5);
	}

	/* An exception of the callback ends the run and comes out of it. */
	try {
		o.every = 1;
		ctx.evolve(ring, velocities, 1e-3, 400, o, [](std::size_t step, auto...) {
			if (step == 3)
				throw std::runtime_error("enough at step 3");
		});
	} catch (const std::runtime_error &e) {
		std::printf("callback   %s\n", e.what());
	}
}

int main()
try {
	const clo::context ctx;

	matmul(ctx);
	potential(ctx);
	bodies(ctx);
	try {
		const clo::context other("no such device");
	} catch (const clo::error &e) {
		std::printf("error      %d, %s\n", e.status(), clopt_strerror(e.status()));
	}
	return right ? 0 : 1;
} catch (const clo::error &e) {
	std::fprintf(stderr, "%s\n", e.what());
	return 1;
}
