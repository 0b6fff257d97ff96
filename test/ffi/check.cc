/* SPDX-License-Identifier: MIT */
/*
 * check.cc - clopt.hpp: views of all layouts against plain loops, started calls, buffers and pinned
 * memory, points in structs, errors with their numbers, and callbacks that throw.
 */
#include <clopt.hpp>

#include <array>
#include <cmath>
#include <cstdio>

using complex = std::complex<float>;

static int failed;

static void expect(bool right, const char *what)
{
	if (!right) {
		std::printf("check.cc: %s\n", what);
		failed = 1;
	}
}

/* The text of the error that f fails with; "" if it does not, or not with this status. */
template <class F> static std::string failure(int status, F f)
{
	try {
		f();
	} catch (const clo::error &e) {
		if (e.status() == status)
			return e.what();
	}
	return "";
}

static bool has(const std::string &text, const char *part)
{
	return text.find(part) != std::string::npos;
}

template <class T> static T element(std::size_t i);
template <> float element(std::size_t i)
{
	return static_cast<float>(i * 7 % 11) - 5;
}
template <> complex element(std::size_t i)
{
	return { static_cast<float>(i * 7 % 11) - 5, static_cast<float>(i * 5 % 7) - 3 };
}
static float conjugate(float x)
{
	return x;
}
static complex conjugate(complex x)
{
	return std::conj(x);
}

/* All elements are small integers, so that products are exact. */
template <class T>
static void product(const clo::context &ctx, clo::matrix<const T> a, clo::matrix<const T> b,
                    clo::matrix<T> c, const char *what)
{
	std::vector<T> want(c.rows * c.cols);

	for (std::size_t i = 0; i < c.rows; i++)
		for (std::size_t j = 0; j < c.cols; j++) {
			T &w = want[i * c.cols + j];

			w = T(-2) * c(i, j);
			for (std::size_t k = 0; k < a.cols; k++)
				w += T(3) * (a.conjugate ? conjugate(a(i, k)) : a(i, k)) *
				     (b.conjugate ? conjugate(b(k, j)) : b(k, j));
		}
	ctx.gemm(3, a, b, -2, c);
	for (std::size_t i = 0; i < c.rows; i++)
		for (std::size_t j = 0; j < c.cols; j++)
			if (std::abs(c(i, j) - want[i * c.cols + j]) > 0) {
				expect(false, what);
				return;
			}
}

/* Blocks of larger matrices, by rows and by columns, in the first so many combinations. */
template <class T> static void products(const clo::context &ctx, int layouts, const char *what)
{
	const std::size_t m = 9, n = 7, k = 5, ld = 16;
	std::vector<T> a(ld * ld), b(ld * ld), c(ld * ld);

	for (std::size_t i = 0; i < ld * ld; i++) {
		a[i] = element<T>(i);
		b[i] = element<T>(i + 4);
	}
	for (int layout = 0; layout < layouts; layout++) {
		clo::matrix<const T> x = clo::rows(a, ld, ld), y = clo::rows(b, ld, ld);
		clo::matrix<T> z = clo::rows(c, ld, ld);

		c.assign(ld * ld, T(1));
		x = (layout & 1 ? x.transposed() : x).block(1, 2, m, k);
		y = (layout & 2 ? y.transposed() : y).block(3, 1, k, n);
		z = (layout & 4 ? z.transposed() : z).block(2, 2, m, n);
		product<T>(ctx, x, y, z, what);
		expect(std::abs(c[0] - T(1)) + std::abs(c[ld * ld - 1] - T(1)) <= 0,
		       "written outside the block");
	}
	/* A^H B: what lies by rows as k x m. */
	c.assign(ld * ld, T(0));
	product<T>(ctx, clo::matrix<const T>(clo::rows(a, k, m)).adjoint(),
	           clo::matrix<const T>(clo::rows(b, k, n)), clo::rows(c, m, n), what);
}

static void matrices(const clo::context &ctx)
{
	std::vector<float> a(12), b(12), c(16);
	const auto x = clo::rows(a, 3, 4), y = clo::rows(b, 4, 3), z = clo::rows(c, 3, 3);
	std::vector<complex> v(4);

	expect(&x.block(1, 2, 2, 2)(1, 1) == &a[2 * 4 + 3] &&
	               &x.transposed().block(2, 1, 2, 2)(1, 1) == &a[2 * 4 + 3],
	       "the place of a block");
	products<float>(ctx, 8, "a product of floats");
	products<complex>(ctx, 1, "a product of complex numbers");

	expect(has(failure(CLOPT_EINVAL, [&] { ctx.matmul(x, x, z); }), "A is 3 x 4, B is 3 x 4"),
	       "sizes that do not fit");
	expect(has(failure(CLOPT_EINVAL,
	                   [&] {
		                   ctx.matmul(clo::matrix<float>(a.data(), 2, 2, 6, 2),
		                              clo::rows(b, 2, 2), clo::rows(c, 2, 2));
	                   }),
	           "strides of 6 and 2"),
	       "strides that BLAS does not have");
	expect(has(failure(CLOPT_EINVAL, [&] { clo::rows(a, 4, 4); }), "12 elements and needs 16"),
	       "an array that is too short");
	expect(has(failure(CLOPT_EINVAL, [&] { x.block(1, 2, 2, 3); }), "2 x 3 at 1, 2 of 3 x 4"),
	       "a block outside");
	expect(has(failure(CLOPT_EINVAL,
	                   [&] {
		                   const auto h = clo::rows(v, 2, 2).adjoint();
		                   std::vector<complex> r(4);

		                   ctx.matmul(h.transposed(), h, clo::rows(r, 2, 2));
	                   }),
	           "conjugates"),
	       "conjugates without transposing");
	for (int started = 0; started < 2; started++)
		expect(has(failure(CLOPT_EINVAL,
		                   [&] {
			                   const auto h = clo::rows(v, 2, 2);
			                   std::vector<complex> r(4);
			                   const auto out = clo::rows(r, 2, 2).adjoint();

			                   if (started)
				                   ctx.start_gemm(1, h, h, 0, out).wait();
			                   else
				                   ctx.matmul(h, h, out);
		                   }),
		           "C, 2 x 2, is an adjoint"),
		       "a product into an adjoint");
	expect(has(failure(CLOPT_EINVAL, [&] { ctx.matmul(x, y, clo::rows(a, 3, 3)); }), "overlap"),
	       "an error of the library");

	/* Of all layouts; the last two pairs are copies. */
	std::array<double, 15> in{};
	for (std::size_t i = 0; i < 15; i++)
		in[i] = static_cast<double>(i);
	for (int layout = 0; layout < 4; layout++) {
		std::array<double, 15> out{};
		const auto from = layout & 1 ? clo::rows(in, 3, 5) : clo::columns(in, 3, 5);
		const auto to = layout & 2 ? clo::rows(out, 5, 3) : clo::columns(out, 5, 3);

		ctx.transpose(from, to);
		for (std::size_t i = 0; i < 3; i++)
			for (std::size_t j = 0; j < 5; j++)
				expect(std::fabs(to(j, i) - from(i, j)) <= 0, "a transpose");
	}
}

static void points(const clo::context &ctx)
{
	struct particle {
		double mass, x, y, z, vx, vy, vz, ax, ay, az;
	};
	std::vector<particle> pair(2);
	std::vector<particle> too_short(1);
	const std::vector<clo::dpoint> some(1), none;
	const std::vector<clo::point> ions{ { 0, 0, 0, 2 }, { 3, 4, 0, -1 } };
	clo::potential_options field;
	clo::nbody_options soft;

	field.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	const std::vector<float> phi = ctx.potential(ions, ions),
	                         e = ctx.potential(ions, ions, field);
	expect(phi.size() == 2 && std::fabs(phi[0] + 0.2f) < 1e-6f &&
	               std::fabs(phi[1] - 0.4f) < 1e-6f,
	       "a potential of floats");
	expect(e.size() == 8 && std::fabs(e[0] - 0.024f) < 1e-7f && std::fabs(e[3] + 0.2f) < 1e-6f,
	       "a field of floats");
	std::vector<float> one(1);
	expect(has(failure(CLOPT_EINVAL, [&] { ctx.potential(ions, ions, one); }),
	           "1 elements and needs 2"),
	       "too few results");
	expect(ctx.potential(ions, clo::span<const clo::point>()).empty() &&
	               ctx.potential(some, none).empty(),
	       "no targets");

	soft.softening = 12;
	soft.potential = 1;
	const std::vector<clo::point> acc = ctx.nbody(ions, ions, soft);
	expect(std::fabs(acc[1].x * 2197 + 6) < 1e-3f && std::fabs(acc[1].w * 13 + 2) < 1e-5f,
	       "softened gravity of floats");

	pair[0].mass = 4;
	pair[1].mass = 1;
	pair[1].y = 2;
	const clopt_points p =
	        clo::points(pair, &particle::x, &particle::y, &particle::z, &particle::mass);
	ctx.gravity(p, p, clo::results(pair, &particle::ax, &particle::ay, &particle::az));
	expect(std::fabs(pair[0].ay - 0.25) < 1e-14 && std::fabs(pair[1].ay + 1) < 1e-14 &&
	               std::fabs(pair[1].ax) < 1e-14 && std::fabs(pair[1].mass - 1) <= 0,
	       "gravity in structs");
	const auto short_results = clo::results(too_short, &particle::ax, &particle::ay,
	                                        &particle::az, &particle::mass);
	expect(has(failure(CLOPT_EINVAL, [&] { ctx.gravity(p, p, short_results); }),
	           "results has 1 elements and needs 2") &&
	               has(failure(CLOPT_EINVAL, [&] { ctx.potential(p, p, short_results); }),
	                   "results has 1 elements and needs 2"),
	       "too few results in structs");
}

static void asynchronous(const clo::context &ctx)
{
	std::vector<float> a{ 1, 2, 3, 4 }, b{ 0, 1, 1, 0 };
	clo::host_array<float> c(ctx, 4);
	std::size_t leading = 0;

	clo::call product =
	        ctx.start_gemm(2, clo::rows(a, 2, 2), clo::rows(b, 2, 2), 0, clo::rows(c, 2, 2));
	product.wait();
	expect(product.done() && c[0] > 3.5f && c[0] < 4.5f && c[3] > 5.5f && c[3] < 6.5f,
	       "a started product");
	clo::call wrong = ctx.start([&](struct clopt *raw, clopt_call **out) {
		return clopt_transpose_start(raw, 2, 2, 4, a.data(), leading, b.data(), 2, out);
	});
	expect(!failure(CLOPT_EINVAL, [&] { wrong.wait(); }).empty(), "a started call that fails");
	expect(has(failure(CLOPT_EINVAL, [] { clo::call().wait(); }), "NULL"), "no call");

	clo::host_array<float> moved = std::move(c);
	expect(moved.size() == 4 && moved.end() - moved.begin() == 4 && moved[3] > 5.5f,
	       "pinned memory that moves");
}

/* A buffer keeps its context open. */
static void buffers()
{
	auto ctx = std::make_unique<clo::context>();
	const std::vector<float> a{ 1, 2, 3, 4, 5, 6 };
	clo::buffer<float> x(*ctx, a), y(*ctx, 4);

	/* A A^T, and the first column of the same by a view. */
	ctx->gemm(1, x.rows(2, 3), x.columns(3, 2, 3), 0, y.rows(2, 2));
	ctx->finish();
	ctx.reset();
	const std::vector<float> c = y.read(), second = x.view(3, 3).read();
	expect(std::fabs(c[0] - 14) + std::fabs(c[1] - 32) + std::fabs(c[3] - 77) < 1e-4f,
	       "a product of buffers");
	expect(second.size() == 3 && second[0] > 3.5f && second[2] > 5.5f, "a view of a buffer");
	expect(has(failure(CLOPT_EINVAL, [&] { x.view(4, 3); }),
	           "elements 4 to 7 of a buffer of 6"),
	       "a view outside");
	const clo::buffer<float> moved = std::move(y);
	expect(moved.read() == c && y.size() == 0, "a buffer that moves");
	expect(has(failure(CLOPT_EINVAL, [&] { y.read(); }), "NULL"), "a buffer that moved away");
}

struct stop_here {
	int line;
};

/* The exception of f, which has to be stop_here with this line. */
template <class F> static void throws(int line, F f)
{
	bool caught = false;

	try {
		f();
	} catch (const stop_here &s) {
		caught = s.line == line;
	}
	expect(caught, "an exception through a call");
}

/* f, which must not get an exception of another call. */
template <class F> static void passes(F f)
{
	try {
		f();
	} catch (const stop_here &s) {
		std::printf("check.cc: a call that went well throws what callback %d threw\n",
		            s.line);
		failed = 1;
	}
}

static void lines_of_text()
{
	clo::options o;
	int lines = 0;
	std::vector<float> a(4), b(4), c(4);

	o.verbose = 1;
	o.on_log = [&](std::string_view line) {
		if (has(std::string(line), "transpose"))
			throw stop_here{ ++lines };
	};
	const clo::context ctx(o);

	throws(1, [&] { ctx.transpose(clo::rows(a, 2, 2), clo::rows(b, 2, 2)); });
	ctx.matmul(clo::rows(a, 2, 2), clo::rows(b, 2, 2), clo::rows(c, 2, 2));
	const auto transpose = [&] {
		return ctx.start([&](struct clopt *raw, clopt_call **out) {
			return clopt_transpose_start(raw, 2, 2, 4, a.data(), 2, b.data(), 2, out);
		});
	};
	const auto product = [&] {
		return ctx.start_gemm(1, clo::rows(a, 2, 2), clo::rows(b, 2, 2), 0,
		                      clo::rows(c, 2, 2));
	};
	throws(2, [&] { transpose().wait(); });
	/* Each call has exceptions of its own, and takes them along when it goes. */
	{
		const clo::call dropped = transpose();
	}
	passes([&] { product().wait(); });
	clo::call first = transpose(), second = product();
	passes([&] { second.wait(); });
	throws(4, [&] { first.wait(); });
	first = transpose();
	first = product();
	passes([&] { first.wait(); });
	expect(lines == 5, "a call that nobody waited for");
}

static void bodies_in_motion(const clo::context &ctx)
{
	/* Much longer than it may take until progress is asked. */
	const std::size_t steps = 100000000;
	std::vector<clo::dpoint> bodies(500), rest(500);
	clo::evolve_options each_second;
	clo::options o;
	std::unique_ptr<clo::context> own;
	int asked = 0;
	std::size_t last = 0;

	for (std::size_t i = 0; i < bodies.size(); i++)
		bodies[i] = { static_cast<double>(i), 0, 0, 1 };
	each_second.every = 2;
	ctx.evolve(bodies, rest, 1e-9, 1000, each_second,
	           [&](std::size_t step, clo::span<const clo::dpoint> p, auto, const auto &sums) {
		           expect(p.size() == 500 && std::fabs(sums.mass - 500) < 1e-9,
		                  "what evolve shows");
		           last = step;
		           return step < 6;
	           });
	expect(last == 6, "a run that its observer ends");
	/* What a context calls lives until the call has ended, though its observer closes it. */
	auto alive = std::make_shared<int>();
	const std::weak_ptr<int> watched = alive;
	o.on_log = [alive](std::string_view) {};
	own = std::make_unique<clo::context>(o);
	o = {};
	alive.reset();
	own->evolve(bodies, rest, 1e-9, 4, each_second, [&](std::size_t, auto, auto, const auto &) {
		own.reset();
		expect(!watched.expired(), "a context that its observer closes");
	});
	expect(watched.expired(), "a context closed by its observer goes when the call has ended");
	expect(std::fabs(ctx.conserved(bodies, rest).mass - 500) < 1e-9, "conserved sums");

	o.on_progress = [&](double done) -> bool {
		expect(done >= 0 && done <= 1, "a part between 0 and 1");
		if (++asked == 2)
			throw stop_here{ -1 };
		return true;
	};
	throws(-1, [&] { clo::context(o).evolve(bodies, rest, 1e-9, steps); });
	expect(asked == 2, "asked no more once it threw");
	o.on_progress = [](double) { return false; };
	expect(!failure(CLOPT_ECANCELED, [&] { clo::context(o).evolve(bodies, rest, 1e-9, steps); })
	                .empty(),
	       "progress that ends a call");
}

int main()
try {
	const clo::context ctx, copy = ctx;

	matrices(copy);
	points(ctx);
	asynchronous(ctx);
	buffers();
	lines_of_text();
	bodies_in_motion(ctx);
	ctx.invoke(clopt_syrk, CLOPT_TYPE_FLOAT, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_UPLO_LOWER,
	           CLOPT_TRANS_NO, 0, 0, 1, nullptr, 1, 0, nullptr, 1);
	expect(!clo::devices().empty() && ctx.device().name[0] && ctx.report().size,
	       "what there is");
	clopt_problem problem = CLOPT_PROBLEM_INIT;
	problem.dim[0] = problem.dim[1] = problem.dim[2] = 9;
	expect(has(ctx.explain(problem), "matmul/"), "an explanation");
	expect(has(failure(CLOPT_ENODEVICE, [] { clo::context("no such"); }), "no such"),
	       "a device that is not there");
	return failed;
} catch (const std::exception &e) {
	std::printf("check.cc: %s\n", e.what());
	return 1;
}
