/* SPDX-License-Identifier: MIT */
/*
 * clopt.hpp - clopt.h and clopt_device.h for C++17: objects that free themselves, views that know
 * their sizes, exceptions with the library's text.
 *
 *	clo::context ctx;
 *	std::vector<double> a(m * k), b(k * n), c(m * n);
 *
 *	ctx.matmul(clo::rows(a, m, k), clo::rows(b, k, n), clo::rows(c, m, n));
 *
 * Rules
 *
 * - A failure is an exception, clo::error: status() is a CLOPT_E..., what() has the text.
 * - Views (span, matrix) own nothing.  Arrays of a started call have to live until it is done.
 * - Copies of a context are one context.  The last of them, and of the buffers and calls made with
 *   it, closes it.  Several threads may use it, as in C.
 * - Callbacks may throw.  The exception does not pass through C: it cancels the call, and leaves it
 *   at its end (a started call: its wait()).
 * - invoke() calls any other function of the headers, with the arguments of C.
 */
#ifndef CLOPT_HPP
#define CLOPT_HPP

#include <complex>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clopt.h"
#include "clopt_device.h"

/* A header has no object file to keep a vtable in, padding does no harm, and views are pointers. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpadded"
#pragma clang diagnostic ignored "-Wweak-vtables"
#if __has_warning("-Wunsafe-buffer-usage")
#pragma clang diagnostic ignored "-Wunsafe-buffer-usage"
#endif
#endif

namespace clo {

/* ========================================================== Errors ======= */

class error : public std::runtime_error {
      public:
	error(int status, const std::string &text)
	    : std::runtime_error(text.empty() ? clopt_strerror(status) : text), status_(status)
	{
	}
	int status() const noexcept
	{
		return status_; /* enum clopt_status */
	}

      private:
	int status_;
};

/* Throw if a function of the C headers failed. */
inline void check(int status, const struct clopt *ctx = nullptr)
{
	if (status != CLOPT_OK)
		throw error(status, clopt_error(ctx));
}

/* =========================================================== Views ======= */

/* A pointer and a number of elements: of a vector, an array, or anything with data and size. */
template <class T> class span {
	template <class C>
	using fits = std::enable_if_t<std::is_convertible_v<
	        std::remove_pointer_t<decltype(std::data(std::declval<C &>()))> (*)[], T (*)[]>>;

      public:
	using value_type = std::remove_cv_t<T>;

	constexpr span() noexcept = default;
	constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
	{
	}
	template <class C, class = fits<C>>
	constexpr span(C &&c) noexcept : data_(std::data(c)), size_(std::size(c))
	{
	}
	constexpr T *data() const noexcept
	{
		return data_;
	}
	constexpr std::size_t size() const noexcept
	{
		return size_;
	}
	constexpr T *begin() const noexcept
	{
		return data_;
	}
	constexpr T *end() const noexcept
	{
		return data_ + size_;
	}
	constexpr T &operator[](std::size_t i) const noexcept
	{
		return data_[i];
	}

      private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

namespace detail {

/* How a matrix lies in memory: its sizes, and the elements from one row to the next, and from one
 * column to the next. */
struct shape {
	std::size_t rows, cols, row_stride, col_stride;
	bool conjugate;

	shape transposed() const noexcept
	{
		return { cols, rows, col_stride, row_stride, conjugate };
	}
	/* Rows have no gaps inside, and do not overlap. */
	bool by_rows() const noexcept
	{
		return (cols <= 1 || col_stride == 1) && (rows <= 1 || row_stride >= cols);
	}
	std::string text() const
	{
		return std::to_string(rows) + " x " + std::to_string(cols);
	}
};

/* An operand as BLAS has it. */
struct operand {
	int trans;
	std::size_t ld;
};

inline std::size_t leading(const shape &s) noexcept
{
	return s.rows > 1 ? s.row_stride : s.cols > 1 ? s.cols : 1;
}

inline operand resolve(const shape &s, const char *name)
{
	const shape t = s.transposed();

	if (!s.conjugate && s.by_rows())
		return { CLOPT_TRANS_NO, leading(s) };
	if (t.by_rows())
		return { s.conjugate ? CLOPT_TRANS_CONJ : CLOPT_TRANS_YES, leading(t) };
	throw error(CLOPT_EINVAL,
	            std::string(name) + " is " + s.text() + " with strides of " +
	                    std::to_string(s.row_stride) + " and " + std::to_string(s.col_stride) +
	                    " elements: " +
	                    (s.conjugate ? "conjugates can only be read transposed" :
	                                   "neither rows nor columns are without gaps"));
}

template <class T> struct is_complex : std::false_type {
};
template <class T> struct is_complex<std::complex<T>> : std::true_type {
};

inline void enough(const char *name, std::size_t have, std::size_t want)
{
	if (have < want)
		throw error(CLOPT_EINVAL, std::string(name) + " has " + std::to_string(have) +
		                                  " elements and needs " + std::to_string(want));
}

} // namespace detail

/* A matrix in the caller's memory: element (i, j) is data[i * row_stride + j * col_stride].  rows()
 * and columns() make one of an array. */
template <class T> class matrix : public detail::shape {
      public:
	using value_type = std::remove_cv_t<T>;

	matrix(T *data, const detail::shape &s) noexcept : shape(s), data_(data)
	{
	}
	matrix(T *data, std::size_t m, std::size_t n, std::size_t to_next_row,
	       std::size_t to_next_column) noexcept
	    : shape{ m, n, to_next_row, to_next_column, false }, data_(data)
	{
	}
	template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
	matrix(const matrix<U> &m) noexcept : shape(m), data_(m.data())
	{
	}
	T *data() const noexcept
	{
		return data_;
	}
	/* The element in memory: of an adjoint it is not conjugated. */
	T &operator()(std::size_t i, std::size_t j) const noexcept
	{
		return data_[i * row_stride + j * col_stride];
	}
	/* Other views of the same memory. */
	matrix transposed() const noexcept
	{
		return matrix(data_, shape::transposed());
	}
	matrix adjoint() const noexcept
	{
		shape s = shape::transposed();

		s.conjugate = detail::is_complex<value_type>::value && !conjugate;
		return matrix(data_, s);
	}
	matrix block(std::size_t row, std::size_t col, std::size_t nrows, std::size_t ncols) const
	{
		if (row > rows || nrows > rows - row || col > cols || ncols > cols - col)
			throw error(CLOPT_EINVAL, "a block of " + std::to_string(nrows) + " x " +
			                                  std::to_string(ncols) + " at " +
			                                  std::to_string(row) + ", " +
			                                  std::to_string(col) + " of " + text());
		return matrix(data_ + row * row_stride + col * col_stride,
		              { nrows, ncols, row_stride, col_stride, conjugate });
	}

      private:
	T *data_;
};

/* A matrix row by row, as in C, or column by column, as in Fortran.  ld is from one row or column
 * to the next; 0: no gaps. */
template <class C> auto rows(C &&array, std::size_t m, std::size_t n, std::size_t ld = 0)
{
	using T = std::remove_pointer_t<decltype(std::data(array))>;

	ld = ld ? ld : n;
	detail::enough("the matrix", std::size(array), m && n ? (m - 1) * ld + n : 0);
	return matrix<T>(std::data(array), m, n, ld, 1);
}
template <class C> auto columns(C &&array, std::size_t m, std::size_t n, std::size_t ld = 0)
{
	return rows(std::forward<C>(array), n, m, ld).transposed();
}

/* A point and its charge or mass; of a result, a field or acceleration and the potential. */
template <class T> struct basic_point {
	T x, y, z, w;
};
using point = basic_point<float>;
using dpoint = basic_point<double>;

/* Points and results in structs of the caller, by the members that have the numbers:
 *
 *	struct particle { double x, y, z, m, ax, ay, az; };
 *	std::vector<particle> p(n);
 *	auto bodies = clo::points(p, &particle::x, &particle::y, &particle::z, &particle::m);
 *
 *	ctx.gravity(bodies, bodies,
 *	            clo::results(p, &particle::ax, &particle::ay, &particle::az)); */
namespace detail {
template <class T> constexpr int type_of()
{
	static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
	              "a point's numbers are float or double");
	return std::is_same_v<T, float> ? CLOPT_TYPE_FLOAT : CLOPT_TYPE_DOUBLE;
}
} // namespace detail

template <class C, class S, class T>
clopt_points points(C &&structs, T S::*x, T S::*y, T S::*z, T S::*w = nullptr, T S::*vx = nullptr,
                    T S::*vy = nullptr, T S::*vz = nullptr)
{
	const span<const S> s(structs);
	clopt_points p = CLOPT_POINTS_INIT;
	const auto at = [s](T S::*m) -> const void * {
		return m && s.size() ? &(s.data()->*m) : nullptr;
	};

	p.n = s.size();
	p.type = detail::type_of<T>();
	p.stride_bytes = sizeof(S);
	p.x = at(x);
	p.y = at(y);
	p.z = at(z);
	p.w = at(w);
	p.vx = at(vx);
	p.vy = at(vy);
	p.vz = at(vz);
	return p;
}
/* Results and their number. */
struct results_view : clopt_results {
	std::size_t n;

	explicit results_view(std::size_t so_many) noexcept
	    : clopt_results CLOPT_RESULTS_INIT, n(so_many)
	{
	}
};
template <class C, class S, class T>
results_view results(C &&structs, T S::*x, T S::*y, T S::*z, T S::*phi = nullptr,
                     T S::*jx = nullptr, T S::*jy = nullptr, T S::*jz = nullptr)
{
	const span<S> s(structs);
	results_view r(s.size());
	const auto at = [s](T S::*m) -> void * {
		return m && s.size() ? &(s.data()->*m) : nullptr;
	};

	r.type = detail::type_of<T>();
	r.stride_bytes = sizeof(S);
	r.x = at(x);
	r.y = at(y);
	r.z = at(z);
	r.phi = at(phi);
	r.jx = at(jx);
	r.jy = at(jy);
	r.jz = at(jz);
	return r;
}

/* ========================================================= Options ======= */

/* The options of C with their defaults: `clo::nbody_options o; o.softening = 0.01;`. */
struct potential_options : clopt_potential_options {
	potential_options() noexcept : clopt_potential_options CLOPT_POTENTIAL_OPTIONS_INIT
	{
	}
};
struct nbody_options : clopt_nbody_options {
	nbody_options() noexcept : clopt_nbody_options CLOPT_NBODY_OPTIONS_INIT
	{
	}
};
struct evolve_options : clopt_evolve_options {
	evolve_options() noexcept : clopt_evolve_options CLOPT_EVOLVE_OPTIONS_INIT
	{
	}
};
/* Of a context.  on_log gets each line of text.  on_progress gets the part of a long call that is
 * done; false cancels the call.  They replace log and progress. */
struct options : clopt_options {
	std::function<void(std::string_view)> on_log;
	std::function<bool(double)> on_progress;

	options() : clopt_options CLOPT_OPTIONS_INIT
	{
	}
};

/* ========================================================= Context ======= */

namespace detail {

/* A started call, and what its callbacks threw. */
struct started {
	clopt_call *call = nullptr;
	std::exception_ptr thrown;

	started() = default;
	started(const started &) = delete;
	started &operator=(const started &) = delete;
	~started()
	{
		clopt_call_free(call);
	}
};

/* A context, and what its callbacks need. */
struct state {
	struct clopt *ctx = nullptr;
	std::function<void(std::string_view)> log;
	std::function<bool(double)> progress;
	std::mutex mutex; /* of what follows */
	std::list<std::shared_ptr<started>> calls; /* not done, in the order of their start */

	state() = default;
	state(const state &) = delete;
	state &operator=(const state &) = delete;
	~state()
	{
		clopt_close(ctx);
	}
	std::exception_ptr take(started &s)
	{
		const std::lock_guard<std::mutex> guard(mutex);

		return std::exchange(s.thrown, nullptr);
	}
	/* In the thread of started calls.  They run one by one: the exception is of the first that
	 * is not done. */
	void keep(const std::exception_ptr &thrown)
	{
		const std::lock_guard<std::mutex> guard(mutex);

		for (const std::shared_ptr<started> &s : calls)
			if (!clopt_call_done(s->call)) {
				if (!s->thrown)
					s->thrown = thrown;
				return;
			}
	}
};

/* A call of this thread.  Its callbacks leave their exceptions here. */
struct frame {
	const state *of;
	frame *outer;
	std::exception_ptr thrown;

	explicit frame(const state *s) noexcept;
	frame(const frame &) = delete;
	frame &operator=(const frame &) = delete;
	~frame();
};
inline thread_local frame *innermost = nullptr;

inline frame::frame(const state *s) noexcept : of(s), outer(std::exchange(innermost, this))
{
}
inline frame::~frame()
{
	innermost = outer;
}

inline void keep_exception(state *s) noexcept
{
	for (frame *f = innermost; f; f = f->outer)
		if (f->of == s) {
			if (!f->thrown)
				f->thrown = std::current_exception();
			return;
		}
	s->keep(std::current_exception());
}

/* f(ctx) calls C in this thread. */
template <class F> void guarded(state *s, F &&f)
{
	const frame here(s);
	struct clopt *ctx = s ? s->ctx : nullptr;
	const int status = f(ctx);

	if (here.thrown)
		std::rethrow_exception(here.thrown);
	check(status, ctx);
}

inline void log_line(void *user, const char *line) noexcept
{
	state *s = static_cast<state *>(user);

	try {
		s->log(line);
	} catch (...) {
		keep_exception(s);
		if (s->ctx)
			clopt_cancel(s->ctx);
	}
}

inline int progress(void *user, double done) noexcept
{
	state *s = static_cast<state *>(user);

	try {
		return !s->progress(done);
	} catch (...) {
		keep_exception(s);
		return 1;
	}
}

/* The observer of an evolve, and what it threw. */
template <class F> struct observer {
	F *each;
	std::size_t n;
	std::exception_ptr thrown;

	static int call(void *user, std::size_t step, const double *bodies,
	                const double *velocities, const clopt_conserved *sums) noexcept
	{
		observer *o = static_cast<observer *>(user);
		const span<const dpoint> b(reinterpret_cast<const dpoint *>(bodies), o->n),
		        v(reinterpret_cast<const dpoint *>(velocities), o->n);

		try {
			if constexpr (std::is_void_v<decltype((*o->each)(step, b, v, *sums))>) {
				(*o->each)(step, b, v, *sums);
				return 0;
			} else {
				return !(*o->each)(step, b, v, *sums);
			}
		} catch (...) {
			o->thrown = std::current_exception();
			return 1;
		}
	}
};

/* The products of each type: on arrays, started, on buffers. */
template <class T> struct products;
template <> struct products<float> {
	static constexpr auto now = &clopt_sgemm;
	static constexpr auto start = &clopt_sgemm_start;
	static constexpr auto buffers = &clopt_sgemm_buffers;
};
template <> struct products<double> {
	static constexpr auto now = &clopt_dgemm;
	static constexpr auto start = &clopt_dgemm_start;
	static constexpr auto buffers = &clopt_dgemm_buffers;
};
template <> struct products<std::complex<float>> {
	static constexpr auto now = &clopt_cgemm;
	static constexpr auto start = &clopt_cgemm_start;
	static constexpr auto buffers = &clopt_cgemm_buffers;
};
template <> struct products<std::complex<double>> {
	static constexpr auto now = &clopt_zgemm;
	static constexpr auto start = &clopt_zgemm_start;
	static constexpr auto buffers = &clopt_zgemm_buffers;
};

/* C takes real factors by value, complex ones by their address. */
inline float factor(const float &x) noexcept
{
	return x;
}
inline double factor(const double &x) noexcept
{
	return x;
}
template <class T> const void *factor(const std::complex<T> &x) noexcept
{
	return &x;
}

/* A type that is not deduced, so that arguments convert to it. */
template <class T> struct plain {
	using type = T;
};
template <class T> using plain_t = typename plain<T>::type;

/* Of each target. */
inline std::size_t numbers_each(const clopt_potential_options &o) noexcept
{
	return o.outputs == CLOPT_OUTPUTS_PHI ? 1 : o.outputs == CLOPT_OUTPUTS_PHI_NORMAL ? 2 : 4;
}

/* The first number of points, which lie side by side. */
template <class P> auto numbers(span<P> s) noexcept
{
	return s.size() ? &s.data()->x : nullptr;
}

/* Calls f(trans of A, trans of B, m, n, k, A, lda, B, ldb, C, ldc) for row-major arrays.  A C by
 * columns is the transpose of one by rows: C^T = B^T A^T. */
template <class A, class B, class C, class F> void product(const A &a, const B &b, const C &c, F f)
{
	if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols)
		throw error(CLOPT_EINVAL,
		            "A is " + a.text() + ", B is " + b.text() + ", C is " + c.text());
	if (c.conjugate)
		throw error(CLOPT_EINVAL,
		            "C, " + c.text() + ", is an adjoint, which cannot be written");
	if (!c.by_rows() && c.transposed().by_rows()) {
		const shape s = a.transposed(), t = b.transposed();
		const operand oa = resolve(s, "A"), ob = resolve(t, "B");

		f(ob.trans, oa.trans, c.cols, c.rows, a.cols, b.data(), ob.ld, a.data(), oa.ld,
		  c.data(), leading(c.transposed()));
		return;
	}
	const operand oa = resolve(a, "A"), ob = resolve(b, "B"), oc = resolve(c, "C");

	f(oa.trans, ob.trans, c.rows, c.cols, a.cols, a.data(), oa.ld, b.data(), ob.ld, c.data(),
	  oc.ld);
}

} // namespace detail

class context;

/* A started call.  The destructor waits for its end. */
class call {
      public:
	call() = default;
	call(call &&from) noexcept = default;
	call &operator=(call &&from) noexcept
	{
		const call old(std::move(*this));

		state_ = std::move(from.state_);
		started_ = std::move(from.started_);
		return *this;
	}
	~call()
	{
		if (started_)
			clopt_call_wait(get(), nullptr);
	}
	bool done() const noexcept
	{
		return clopt_call_done(get()) != 0;
	}
	/* Throws the failure of the call, or what a callback threw. */
	void wait()
	{
		const int status = clopt_call_wait(get(), nullptr);
		const std::string text = status ? clopt_error(state_ ? state_->ctx : nullptr) : "";

		if (std::exception_ptr thrown = started_ ? state_->take(*started_) : nullptr)
			std::rethrow_exception(thrown);
		if (status)
			throw error(status, text);
	}
	void cancel() noexcept
	{
		clopt_call_cancel(get());
	}
	clopt_call *get() const noexcept
	{
		return started_ ? started_->call : nullptr;
	}

      private:
	friend class context;
	call(std::shared_ptr<detail::state> state, std::shared_ptr<detail::started> s) noexcept
	    : state_(std::move(state)), started_(std::move(s))
	{
	}
	std::shared_ptr<detail::state> state_;
	std::shared_ptr<detail::started> started_;
};

template <class T> class buffer;
template <class T> class device_matrix;

class context {
      public:
	/* device is a name as in CLOPT_DEVICE: "pocl", "gpu". */
	explicit context(const char *device) : context(with_device(device))
	{
	}
	explicit context(const options &o = options()) : state_(std::make_shared<detail::state>())
	{
		clopt_options c = o;

		state_->log = o.on_log;
		state_->progress = o.on_progress;
		if (state_->log) {
			c.log = detail::log_line;
			c.log_user = state_.get();
		}
		if (state_->progress) {
			c.progress = detail::progress;
			c.progress_user = state_.get();
		}
		const detail::frame frame(state_.get());
		const int status = clopt_open(&state_->ctx, &c);
		if (frame.thrown)
			std::rethrow_exception(frame.thrown);
		check(status);
	}

	struct clopt *get() const noexcept
	{
		return state_ ? state_->ctx : nullptr;
	}
	/* Call any function of the C headers whose first argument is the context. */
	template <class... P>
	void invoke(int (*f)(struct clopt *, P...), detail::plain_t<P>... arguments) const
	{
		guarded([&](struct clopt *ctx) { return f(ctx, arguments...); });
	}
	/* Cancel the call that runs, from any thread or callback. */
	void cancel() const noexcept
	{
		if (get())
			clopt_cancel(get());
	}
	clopt_report report() const
	{
		clopt_report r = CLOPT_REPORT_INIT;

		check(clopt_last_report(get(), &r), get());
		return r;
	}
	clopt_device_info device() const
	{
		clopt_device_info info{};

		info.size = sizeof info;
		check(clopt_device_get(get(), &info), get());
		return info;
	}
	std::string explain(const clopt_problem &problem) const
	{
		std::string text(4096, '\0');

		check(clopt_explain(get(), &problem, text.data(), text.size()), get());
		text.resize(text.find('\0'));
		return text;
	}

	/* Throws if a result is wrong on this device. */
	void selfcheck() const
	{
		check(clopt_selfcheck(get(), nullptr), get());
	}

	/* C = A B, and C = alpha A B + beta C, of float, double and complex numbers.  Rows or
	 * columns of each matrix have no gaps.  transposed() and adjoint() copy nothing. */
	template <class A, class B, class C>
	void matmul(matrix<A> a, matrix<B> b, matrix<C> c) const
	{
		gemm(C(1), a, b, C(0), c);
	}
	template <class A, class B, class C>
	void gemm(detail::plain_t<C> alpha, matrix<A> a, matrix<B> b, detail::plain_t<C> beta,
	          matrix<C> c) const
	{
		same<A, B, C>();
		detail::product(a, b, c, [&](int ta, int tb, auto... rest) {
			multiply<C>(ta, tb, alpha, beta, rest...);
		});
	}
	template <class A, class B, class C>
	[[nodiscard]] call start_gemm(detail::plain_t<C> alpha, matrix<A> a, matrix<B> b,
	                              detail::plain_t<C> beta, matrix<C> c) const
	{
		call started;

		same<A, B, C>();
		detail::product(a, b, c,
		                [&](int ta, int tb, std::size_t m, std::size_t n, std::size_t k,
		                    const C *x, std::size_t ldx, const C *y, std::size_t ldy, C *z,
		                    std::size_t ldz) {
			                started = start([&](struct clopt *ctx, clopt_call **out) {
				                return detail::products<C>::start(
				                        ctx, CLOPT_LAYOUT_ROW_MAJOR, ta, tb, m, n,
				                        k, detail::factor(alpha), x, ldx, y, ldy,
				                        detail::factor(beta), z, ldz, out);
			                });
		                });
		return started;
	}
	/* On buffers: returns once queued. */
	template <class T>
	void gemm(detail::plain_t<T> alpha, const device_matrix<T> &a, const device_matrix<T> &b,
	          detail::plain_t<T> beta, const device_matrix<T> &c,
	          const clopt_order *order = nullptr) const;

	/* out = the transpose of in, of elements of 1 to 16 bytes. */
	template <class A, class T> void transpose(matrix<A> in, matrix<T> out) const
	{
		static_assert(std::is_same_v<std::remove_const_t<A>, T>, "elements of one type");
		static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bits");
		if (out.rows != in.cols || out.cols != in.rows)
			throw error(CLOPT_EINVAL,
			            "the transpose of " + in.text() + " is not " + out.text());
		if (in.conjugate || out.conjugate)
			throw error(CLOPT_EINVAL, "a transpose does not conjugate");
		if (!out.by_rows() && out.transposed().by_rows()) {
			in = in.transposed();
			out = out.transposed();
		}
		const detail::operand i = detail::resolve(in, "in"),
		                      o = detail::resolve(out, "out");
		if (i.trans == CLOPT_TRANS_NO)
			invoke(clopt_transpose, in.rows, in.cols, sizeof(T), in.data(), i.ld,
			       out.data(), o.ld);
		else /* in is by columns and out by rows: a copy */
			for (std::size_t row = 0; row < out.rows; row++)
				for (std::size_t col = 0; col < out.cols; col++)
					out(row, col) = in(col, row);
	}

	/* The potential of charges at targets.  phi gets 1, 2 or 4 numbers for each (o.outputs); of
	 * doubles 1. */
	void potential(span<const point> sources, span<const point> targets, span<float> phi,
	               const potential_options &o = {}) const
	{
		detail::enough("phi", phi.size(), detail::numbers_each(o) * targets.size());
		invoke(clopt_potential, sources.size(), detail::numbers(sources), targets.size(),
		       detail::numbers(targets), phi.data(), &o);
	}
	void potential(span<const dpoint> sources, span<const dpoint> targets, span<double> phi,
	               const potential_options &o = {}) const
	{
		clopt_points s = described(sources), t = described(targets);
		clopt_results r = CLOPT_RESULTS_INIT;

		detail::enough("phi", phi.size(), targets.size());
		if (!targets.size())
			return;
		r.phi = phi.data();
		invoke(clopt_potential_points, &s, &t, &r, &o);
	}
	std::vector<float> potential(span<const point> sources, span<const point> targets,
	                             const potential_options &o = {}) const
	{
		std::vector<float> phi(detail::numbers_each(o) * targets.size());

		potential(sources, targets, phi, o);
		return phi;
	}
	std::vector<double> potential(span<const dpoint> sources, span<const dpoint> targets,
	                              const potential_options &o = {}) const
	{
		std::vector<double> phi(targets.size());

		potential(sources, targets, phi, o);
		return phi;
	}
	void potential(const clopt_points &sources, const clopt_points &targets,
	               const clopt_results &results, const potential_options &o = {}) const
	{
		invoke(clopt_potential_points, &sources, &targets, &results, &o);
	}
	void potential(const clopt_points &sources, const clopt_points &targets,
	               const results_view &results, const potential_options &o = {}) const
	{
		detail::enough("results", results.n, targets.n);
		potential(sources, targets, static_cast<const clopt_results &>(results), o);
	}

	/* Gravity of bodies (w: masses) at targets: accelerations, and in w the potential if
	 * o.potential is 1. */
	void nbody(span<const point> sources, span<const point> targets, span<point> acc,
	           const nbody_options &o = {}) const
	{
		detail::enough("acc", acc.size(), targets.size());
		invoke(clopt_nbody, sources.size(), detail::numbers(sources), targets.size(),
		       detail::numbers(targets), targets.size() ? &acc.data()->x : nullptr, &o);
	}
	void nbody(span<const dpoint> sources, span<const dpoint> targets, span<dpoint> acc,
	           const nbody_options &o = {}) const
	{
		clopt_points s = described(sources), t = described(targets);
		clopt_results r = CLOPT_RESULTS_INIT;

		detail::enough("acc", acc.size(), targets.size());
		if (!targets.size())
			return;
		r.x = &acc.data()->x;
		r.y = &acc.data()->y;
		r.z = &acc.data()->z;
		r.stride_bytes = sizeof(dpoint);
		if (o.potential)
			r.phi = &acc.data()->w;
		invoke(clopt_gravity, &s, &t, &r, &o);
	}
	std::vector<point> nbody(span<const point> sources, span<const point> targets,
	                         const nbody_options &o = {}) const
	{
		std::vector<point> acc(targets.size());

		nbody(sources, targets, acc, o);
		return acc;
	}
	std::vector<dpoint> nbody(span<const dpoint> sources, span<const dpoint> targets,
	                          const nbody_options &o = {}) const
	{
		std::vector<dpoint> acc(targets.size());

		nbody(sources, targets, acc, o);
		return acc;
	}
	void gravity(const clopt_points &sources, const clopt_points &targets,
	             const clopt_results &results, const nbody_options &o = {}) const
	{
		invoke(clopt_gravity, &sources, &targets, &results, &o);
	}
	void gravity(const clopt_points &sources, const clopt_points &targets,
	             const results_view &results, const nbody_options &o = {}) const
	{
		detail::enough("results", results.n, targets.n);
		gravity(sources, targets, static_cast<const clopt_results &>(results), o);
	}

	/* Move bodies (w: masses) with velocities (w is kept) through steps of length dt.
	 * each(step, bodies, velocities, sums) is called as clopt_evolve_options.each is.  It
	 * returns nothing, or false to end the run. */
	void evolve(span<dpoint> bodies, span<dpoint> velocities, double dt, std::size_t steps,
	            const evolve_options &o = {}) const
	{
		detail::enough("velocities", velocities.size(), bodies.size());
		invoke(clopt_nbody_evolve, bodies.size(), detail::numbers(bodies),
		       detail::numbers(velocities), dt, steps, &o);
	}
	template <class F>
	void evolve(span<dpoint> bodies, span<dpoint> velocities, double dt, std::size_t steps,
	            evolve_options o, F &&each) const
	{
		detail::observer<std::remove_reference_t<F>> observer{ &each, bodies.size(),
			                                               nullptr };

		o.each = observer.call;
		o.user = &observer;
		evolve(bodies, velocities, dt, steps, o);
		if (observer.thrown)
			std::rethrow_exception(observer.thrown);
	}
	clopt_conserved conserved(span<const dpoint> bodies, span<const dpoint> velocities,
	                          const evolve_options &o = {}) const
	{
		clopt_conserved sums{};

		detail::enough("velocities", velocities.size(), bodies.size());
		invoke(clopt_nbody_conserved, bodies.size(), detail::numbers(bodies),
		       detail::numbers(velocities), &o, &sums);
		return sums;
	}

	/* Start a call: f(ctx, clopt_call **) calls one of the functions of clopt_device.h whose
	 * names end in _start. */
	template <class F> [[nodiscard]] call start(F &&f) const
	{
		const auto s = std::make_shared<detail::started>();
		std::unique_lock<std::mutex> lock;

		/* Callbacks of the call have to find it. */
		if (state_) {
			lock = std::unique_lock<std::mutex>(state_->mutex);
			state_->calls.remove_if(
			        [](const auto &c) { return clopt_call_done(c->call) != 0; });
			state_->calls.push_back(s);
		}
		guarded([&](struct clopt *ctx) { return f(ctx, &s->call); });
		return call(state_, s);
	}
	/* Wait for all commands on buffers. */
	void finish() const
	{
		invoke(clopt_finish);
	}

      private:
	template <class T> friend class buffer;
	template <class T> friend class host_array;

	static options with_device(const char *device)
	{
		options o;

		o.device = device;
		return o;
	}
	template <class A, class B, class C> static constexpr void same()
	{
		static_assert(std::is_same_v<std::remove_const_t<A>, C> &&
		                      std::is_same_v<std::remove_const_t<B>, C>,
		              "elements of one type, and C is written");
	}
	static clopt_points described(span<const dpoint> s)
	{
		return points(s, &dpoint::x, &dpoint::y, &dpoint::z, &dpoint::w);
	}
	template <class F> void guarded(F &&f) const
	{
		const auto held = state_; /* a callback may release the context */

		detail::guarded(held.get(), f);
	}
	template <class T>
	void multiply(int ta, int tb, const T &alpha, const T &beta, std::size_t m, std::size_t n,
	              std::size_t k, const T *a, std::size_t lda, const T *b, std::size_t ldb, T *c,
	              std::size_t ldc) const
	{
		invoke(detail::products<T>::now, CLOPT_LAYOUT_ROW_MAJOR, ta, tb, m, n, k,
		       detail::factor(alpha), a, lda, b, ldb, detail::factor(beta), c, ldc);
	}

	std::shared_ptr<detail::state> state_;
};

/* ================================================ Memory and buffers ===== */

/* Pinned host memory, which the device reaches fastest, for n elements that are not initialised. */
template <class T> class host_array {
	static_assert(std::is_trivially_copyable_v<T>, "memory that is not initialised");

      public:
	host_array(const context &ctx, std::size_t n) : state_(ctx.state_), size_(n)
	{
		void *memory;

		if (n > static_cast<std::size_t>(-1) / sizeof(T))
			throw error(CLOPT_ENOMEM,
			            "no memory for " + std::to_string(n) + " elements");
		ctx.invoke(clopt_host_alloc, n * sizeof(T), &memory, &kind_);
		data_ = static_cast<T *>(memory);
	}
	host_array(host_array &&from) noexcept
	    : state_(std::move(from.state_)), data_(std::exchange(from.data_, nullptr)),
	      size_(std::exchange(from.size_, 0)), kind_(from.kind_)
	{
	}
	host_array &operator=(host_array &&from) noexcept
	{
		std::swap(state_, from.state_);
		std::swap(data_, from.data_);
		std::swap(size_, from.size_);
		std::swap(kind_, from.kind_);
		return *this;
	}
	~host_array()
	{
		if (data_)
			clopt_host_free(state_->ctx, data_);
	}
	T *data() const noexcept
	{
		return data_;
	}
	std::size_t size() const noexcept
	{
		return size_;
	}
	T *begin() const noexcept
	{
		return data_;
	}
	T *end() const noexcept
	{
		return data_ + size_;
	}
	T &operator[](std::size_t i) const noexcept
	{
		return data_[i];
	}
	int kind() const noexcept
	{
		return kind_; /* enum clopt_memory */
	}

      private:
	std::shared_ptr<detail::state> state_;
	T *data_ = nullptr;
	std::size_t size_;
	int kind_ = CLOPT_MEMORY_ORDINARY;
};

/* Device memory for n elements.  Commands return once they are queued, and run in this order.
 * read() into ordinary memory returns when the data is there. */
template <class T> class buffer {
	struct release {
		void operator()(clopt_buffer *b) const noexcept
		{
			clopt_buffer_free(b);
		}
	};

      public:
	buffer(const context &ctx, std::size_t n) : state_(ctx.state_), size_(n)
	{
		clopt_buffer *b = nullptr;

		if (n > static_cast<std::size_t>(-1) / sizeof(T))
			throw error(CLOPT_ENOMEM,
			            "no memory for " + std::to_string(n) + " elements");
		ctx.invoke(clopt_buffer_new, n * sizeof(T), &b);
		buffer_.reset(b);
	}
	buffer(const context &ctx, span<const T> from) : buffer(ctx, from.size())
	{
		write(from);
	}
	buffer(buffer &&from) noexcept
	    : state_(std::move(from.state_)), buffer_(std::move(from.buffer_)),
	      size_(std::exchange(from.size_, 0))
	{
	}
	buffer &operator=(buffer &&from) noexcept
	{
		std::swap(state_, from.state_);
		std::swap(buffer_, from.buffer_);
		std::swap(size_, from.size_);
		return *this;
	}
	/* A view of some elements.  The memory lives as long as one of its views. */
	buffer view(std::size_t first, std::size_t n) const
	{
		clopt_buffer *b = nullptr;

		inside(first, n);
		detail::guarded(state_.get(), [&](struct clopt *) {
			return clopt_buffer_view(get(), first * sizeof(T), n * sizeof(T), &b);
		});
		return buffer(state_, b, n);
	}
	void write(span<const T> from, std::size_t first = 0, const clopt_order *order = nullptr)
	{
		inside(first, from.size());
		detail::guarded(state_.get(), [&](struct clopt *) {
			return clopt_buffer_write(get(), first * sizeof(T), from.size() * sizeof(T),
			                          from.data(), order);
		});
	}
	void read(span<T> to, std::size_t first = 0, const clopt_order *order = nullptr) const
	{
		inside(first, to.size());
		detail::guarded(state_.get(), [&](struct clopt *) {
			return clopt_buffer_read(get(), first * sizeof(T), to.size() * sizeof(T),
			                         to.data(), order);
		});
	}
	std::vector<T> read() const
	{
		std::vector<T> to(size_);

		read(to);
		return to;
	}
	std::size_t size() const noexcept
	{
		return size_;
	}
	clopt_buffer *get() const noexcept
	{
		return buffer_.get();
	}
	/* For products on buffers: a matrix by rows, or by columns. */
	device_matrix<T> rows(std::size_t m, std::size_t n, std::size_t ld = 0) const
	{
		return { *this, { m, n, ld ? ld : n, 1, false } };
	}
	device_matrix<T> columns(std::size_t m, std::size_t n, std::size_t ld = 0) const
	{
		return { *this, { m, n, 1, ld ? ld : m, false } };
	}

      private:
	buffer(std::shared_ptr<detail::state> state, clopt_buffer *b, std::size_t n)
	    : state_(std::move(state)), buffer_(b), size_(n)
	{
	}
	void inside(std::size_t first, std::size_t n) const
	{
		if (first > size_ || n > size_ - first)
			throw error(CLOPT_EINVAL, "elements " + std::to_string(first) + " to " +
			                                  std::to_string(first + n) +
			                                  " of a buffer of " +
			                                  std::to_string(size_));
	}
	std::shared_ptr<detail::state> state_;
	std::unique_ptr<clopt_buffer, release> buffer_;
	std::size_t size_;
};

/* A matrix in a buffer.  The buffer has to live longer. */
template <class T> class device_matrix : public detail::shape {
      public:
	device_matrix(const buffer<T> &b, const detail::shape &s) noexcept
	    : shape(s), data_(b.get())
	{
	}
	device_matrix transposed() const noexcept
	{
		return { data_, shape::transposed() };
	}
	clopt_buffer *data() const noexcept
	{
		return data_;
	}

      private:
	device_matrix(clopt_buffer *data, const detail::shape &s) noexcept : shape(s), data_(data)
	{
	}
	clopt_buffer *data_;
};

template <class T>
void context::gemm(detail::plain_t<T> alpha, const device_matrix<T> &a, const device_matrix<T> &b,
                   detail::plain_t<T> beta, const device_matrix<T> &c,
                   const clopt_order *order) const
{
	detail::product(a, b, c,
	                [&](int ta, int tb, std::size_t m, std::size_t n, std::size_t k,
	                    const clopt_buffer *x, std::size_t ldx, const clopt_buffer *y,
	                    std::size_t ldy, clopt_buffer *z, std::size_t ldz) {
		                invoke(detail::products<T>::buffers, CLOPT_LAYOUT_ROW_MAJOR, ta, tb,
		                       m, n, k, detail::factor(alpha), x, ldx, y, ldy,
		                       detail::factor(beta), z, ldz, order);
	                });
}

/* All devices, best first: the index is what options.device takes. */
inline std::vector<clopt_device_info> devices()
{
	std::vector<clopt_device_info> list;
	std::size_t n = 0;
	int status = clopt_device_list(nullptr, 0, &n);

	if (status == CLOPT_ENODEVICE)
		return list;
	check(status);
	list.resize(n);
	for (clopt_device_info &d : list)
		d.size = sizeof d;
	check(clopt_device_list(list.data(), list.size(), &n));
	return list;
}

} // namespace clo

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif
