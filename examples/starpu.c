/* SPDX-License-Identifier: MIT */
/*
 * starpu.c - the library under StarPU: a tiled product and a potential as tasks over all ranks,
 * processors and OpenCL devices.
 *
 * StarPU decides where and when a task runs, and moves the tiles.  A task that it gives to an OpenCL
 * device is a call of the library on StarPU's own context, queue and buffers; one for a processor is a
 * plain loop.  Needs StarPU 1.3 with MPI (Debian: libstarpu-dev), and `make build/mpi/starpu'.
 *
 *	mpirun -np 2 build/mpi/starpu [TILES A SIDE [ROWS OF A TILE]]
 *
 * STARPU_OPENCL_ON_CPUS=1 makes StarPU take OpenCL devices that are processors, STARPU_NCPU=0 no others.
 */
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <starpu_mpi.h>

#include <clopt_cl.h>

static void end(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fprintf(stderr, "starpu: ");
	vfprintf(stderr, format, list);
	fprintf(stderr, "\n");
	va_end(list);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

/* ---- What a worker with an OpenCL device has ---------------------------------- */

struct worker {
	struct clopt *ctx;
	struct clopt_order order; /* its queue is StarPU's */
};

static struct worker workers[STARPU_NMAXWORKERS];

/* Each thread uses its own row.  A task has to return with its commands queued: StarPU waits for its queue. */
static struct worker *worker(void)
{
	struct worker *w = &workers[starpu_worker_get_id_check()];
	const struct clopt_order none = CLOPT_ORDER_INIT;
	const int device = starpu_worker_get_devid(starpu_worker_get_id());
	cl_context context;
	cl_device_id id;
	cl_command_queue queue;

	if (w->ctx)
		return w;
	starpu_opencl_get_context(device, &context);
	starpu_opencl_get_device(device, &id);
	starpu_opencl_get_queue(device, &queue);
	w->order = none;
	if (clopt_open_cl(&w->ctx, context, id, NULL) != CLOPT_OK)
		end("%s", clopt_error(NULL));
	if (clopt_queue_from_cl(w->ctx, queue, &w->order.queue) != CLOPT_OK)
		end("%s", clopt_error(w->ctx));
	return w;
}

static void close_workers(void)
{
	int i;

	for (i = 0; i < STARPU_NMAXWORKERS; i++) {
		clopt_queue_free(workers[i].order.queue);
		clopt_close(workers[i].ctx);
	}
}

/* StarPU's memory on the device as a buffer of the library. */
static struct clopt_buffer *buffer(struct worker *w, uintptr_t handle)
{
	struct clopt_buffer *b;

	if (clopt_buffer_from_cl(w->ctx, (cl_mem)handle, &b) != CLOPT_OK)
		end("%s", clopt_error(w->ctx));
	return b;
}

/* ---- Tasks -------------------------------------------------------------------- */

static atomic_int tasks[2]; /* on processors, on OpenCL devices */

/* C += A B, tiles with rows one behind the other. */
static void product_opencl(void *data[], void *argument)
{
	struct worker *w = worker();
	const size_t m = STARPU_MATRIX_GET_NY(data[2]), n = STARPU_MATRIX_GET_NX(data[2]),
	             k = STARPU_MATRIX_GET_NX(data[0]);
	struct clopt_buffer *a = buffer(w, STARPU_MATRIX_GET_DEV_HANDLE(data[0])),
	                    *b = buffer(w, STARPU_MATRIX_GET_DEV_HANDLE(data[1])),
	                    *c = buffer(w, STARPU_MATRIX_GET_DEV_HANDLE(data[2]));

	(void)argument;
	if (clopt_sgemm_buffers(w->ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m,
	                        n, k, 1, a, STARPU_MATRIX_GET_LD(data[0]), b,
	                        STARPU_MATRIX_GET_LD(data[1]), 1, c, STARPU_MATRIX_GET_LD(data[2]),
	                        &w->order) != CLOPT_OK)
		end("%s", clopt_error(w->ctx));
	clopt_buffer_free(a); /* StarPU's memory stays */
	clopt_buffer_free(b);
	clopt_buffer_free(c);
	atomic_fetch_add(&tasks[1], 1);
}

static void product_cpu(void *data[], void *argument)
{
	const float *a = (const float *)STARPU_MATRIX_GET_PTR(data[0]),
	            *b = (const float *)STARPU_MATRIX_GET_PTR(data[1]);
	float *c = (float *)STARPU_MATRIX_GET_PTR(data[2]);
	const size_t m = STARPU_MATRIX_GET_NY(data[2]), n = STARPU_MATRIX_GET_NX(data[2]),
	             depth = STARPU_MATRIX_GET_NX(data[0]);
	size_t i, j, k;

	(void)argument;
	for (i = 0; i < m; i++)
		for (k = 0; k < depth; k++)
			for (j = 0; j < n; j++)
				c[i * STARPU_MATRIX_GET_LD(data[2]) + j] +=
				        a[i * STARPU_MATRIX_GET_LD(data[0]) + k] *
				        b[k * STARPU_MATRIX_GET_LD(data[1]) + j];
	atomic_fetch_add(&tasks[0], 1);
}

static struct starpu_codelet product = {
	.cpu_funcs = { product_cpu },
	.opencl_funcs = { product_opencl },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 3,
	.modes = { STARPU_R, STARPU_R, STARPU_RW },
	.name = "product",
};

/* The Coulomb potential of all charges at some points; both are rows of x, y, z and a charge. */
static void potential_opencl(void *data[], void *argument)
{
	struct worker *w = worker();
	struct clopt_buffer *sources = buffer(w, STARPU_MATRIX_GET_DEV_HANDLE(data[0])),
	                    *targets = buffer(w, STARPU_MATRIX_GET_DEV_HANDLE(data[1])),
	                    *phi = buffer(w, STARPU_VECTOR_GET_DEV_HANDLE(data[2]));

	(void)argument;
	if (clopt_potential_buffers(w->ctx, STARPU_MATRIX_GET_NY(data[0]), sources,
	                            STARPU_MATRIX_GET_NY(data[1]), targets, phi, NULL,
	                            &w->order) != CLOPT_OK)
		end("%s", clopt_error(w->ctx));
	clopt_buffer_free(sources);
	clopt_buffer_free(targets);
	clopt_buffer_free(phi);
	atomic_fetch_add(&tasks[1], 1);
}

/* *size: the sum of the magnitudes. */
static double potential_at(const float *target, const float *sources, size_t n, double *size)
{
	double phi = 0;
	size_t j;

	*size = 0;
	for (j = 0; j < n; j++) {
		const double x = (double)target[0] - (double)sources[4 * j],
		             y = (double)target[1] - (double)sources[4 * j + 1],
		             z = (double)target[2] - (double)sources[4 * j + 2],
		             d = sqrt(x * x + y * y + z * z);

		if (d > 0) {
			phi += (double)sources[4 * j + 3] / d;
			*size += fabs((double)sources[4 * j + 3]) / d;
		}
	}
	return phi;
}

static void potential_cpu(void *data[], void *argument)
{
	const float *sources = (const float *)STARPU_MATRIX_GET_PTR(data[0]),
	            *targets = (const float *)STARPU_MATRIX_GET_PTR(data[1]);
	float *phi = (float *)STARPU_VECTOR_GET_PTR(data[2]);
	double size;
	size_t i;

	(void)argument;
	for (i = 0; i < STARPU_MATRIX_GET_NY(data[1]); i++)
		phi[i] = (float)potential_at(targets + 4 * i, sources,
		                             STARPU_MATRIX_GET_NY(data[0]), &size);
	atomic_fetch_add(&tasks[0], 1);
}

static struct starpu_codelet potential = {
	.cpu_funcs = { potential_cpu },
	.opencl_funcs = { potential_opencl },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 3,
	.modes = { STARPU_R, STARPU_R, STARPU_W },
	.name = "potential",
};

/* ---- Tiles over the ranks ------------------------------------------------------- */

static int rank, ranks;

/* A tile or block of floats that this rank has, or a place for one of another's. */
struct tile {
	starpu_data_handle_t handle;
	float *own;
	int owner;
};

static float value(size_t i)
{
	return (float)(i * 2654435761u % 1000003u) / 1000003.0f - 0.5f;
}

/* Row r of the tile is row `first + r` of what it is a part of, of `pitch` numbers, from `column` on;
 * pitch 0: all are 0. */
static void make_tile(struct tile *t, size_t number, size_t rows, size_t columns, size_t first,
                      size_t column, size_t pitch)
{
	size_t r, i;

	t->owner = (int)(number % (size_t)ranks);
	if (t->owner == rank) {
		t->own = malloc(rows * columns * sizeof *t->own);
		if (!t->own)
			end("no memory for a tile of %zu x %zu", rows, columns);
		for (r = 0; r < rows; r++)
			for (i = 0; i < columns; i++)
				t->own[r * columns + i] =
				        pitch ? value((first + r) * pitch + column + i) : 0;
	}
	if (columns > 1)
		starpu_matrix_data_register(&t->handle, t->own ? STARPU_MAIN_RAM : -1,
		                            (uintptr_t)t->own, (uint32_t)columns, (uint32_t)columns,
		                            (uint32_t)rows, sizeof *t->own);
	else
		starpu_vector_data_register(&t->handle, t->own ? STARPU_MAIN_RAM : -1,
		                            (uintptr_t)t->own, (uint32_t)rows, sizeof *t->own);
	starpu_mpi_data_register(t->handle, (starpu_mpi_tag_t)number, t->owner);
}

static void free_tile(struct tile *t)
{
	starpu_data_unregister(t->handle);
	free(t->own);
}

/* ---- The two jobs ---------------------------------------------------------------- */

#define SEED_A ((size_t)0)
#define SEED_B ((size_t)1000000)

/* The largest error of this rank's part of C over the size of an element; each 97th is looked at. */
static double product_error(const struct tile *c, size_t side, size_t rows)
{
	const size_t n = side * rows;
	double worst = 0;
	size_t t, e, k;

	for (t = 0; t < side * side; t++)
		for (e = 0; c[t].own && e < rows * rows; e += 97) {
			const size_t i = t / side * rows + e / rows, j = t % side * rows + e % rows;
			double sum = 0, size = 0, error;

			for (k = 0; k < n; k++) {
				const double term = (double)value((SEED_A + i) * n + k) *
				                    (double)value((SEED_B + k) * n + j);

				sum += term;
				size += fabs(term);
			}
			error = fabs((double)c[t].own[e] - sum) / size;
			worst = error > worst ? error : worst;
		}
	return worst;
}

static double multiply(size_t side, size_t rows)
{
	const size_t tiles = side * side, n = side * rows;
	struct tile *all = calloc(3 * tiles, sizeof *all), *a = all, *b, *c;
	double error;
	size_t i, j, k;

	if (!all)
		end("no memory");
	b = all + tiles;
	c = b + tiles;
	for (i = 0; i < tiles; i++) {
		make_tile(&a[i], i, rows, rows, SEED_A + i / side * rows, i % side * rows, n);
		make_tile(&b[i], tiles + i, rows, rows, SEED_B + i / side * rows, i % side * rows,
		          n);
		make_tile(&c[i], 2 * tiles + i, rows, rows, 0, 0, 0);
	}
	for (i = 0; i < side; i++)
		for (j = 0; j < side; j++)
			for (k = 0; k < side; k++)
				if (starpu_mpi_task_insert(MPI_COMM_WORLD, &product, STARPU_R,
				                           a[i * side + k].handle, STARPU_R,
				                           b[k * side + j].handle, STARPU_RW,
				                           c[i * side + j].handle, 0))
					end("nothing here can run a product");
	starpu_task_wait_for_all();
	for (i = 0; i < tiles; i++)
		if (c[i].own) {
			starpu_data_acquire(c[i].handle, STARPU_R);
			starpu_data_release(c[i].handle);
		}
	error = product_error(c, side, rows);
	for (i = 0; i < 3 * tiles; i++)
		free_tile(&all[i]);
	free(all);
	return error;
}

static double sum_pairs(size_t blocks, size_t rows)
{
	const size_t n = blocks * rows;
	struct tile charges = { 0 }, *points = calloc(2 * blocks, sizeof *points), *phi;
	float *all = malloc(4 * n * sizeof *all);
	double size, worst = 0;
	size_t i, r;

	if (!points || !all)
		end("no memory");
	phi = points + blocks;
	make_tile(&charges, 0, n, 4, 0, 0, 4);
	for (i = 0; i < blocks; i++) {
		make_tile(&points[i], 1 + i, rows, 4, i * rows, 0, 4);
		make_tile(&phi[i], 1 + blocks + i, rows, 1, 0, 0, 0);
		/* A block's potential is computed where the block is. */
		if (starpu_mpi_task_insert(MPI_COMM_WORLD, &potential, STARPU_R, charges.handle,
		                           STARPU_R, points[i].handle, STARPU_W, phi[i].handle,
		                           STARPU_EXECUTE_ON_NODE, points[i].owner, 0))
			end("nothing here can run a potential");
	}
	starpu_task_wait_for_all();
	for (i = 0; i < 4 * n; i++)
		all[i] = value(i);
	for (i = 0; i < blocks; i++) {
		if (!phi[i].own)
			continue;
		starpu_data_acquire(phi[i].handle, STARPU_R);
		for (r = 0; r < rows; r += 97) {
			const double want = potential_at(all + 4 * (i * rows + r), all, n, &size),
			             error = fabs((double)phi[i].own[r] - want) / size;

			worst = error > worst ? error : worst;
		}
		starpu_data_release(phi[i].handle);
	}
	free_tile(&charges);
	for (i = 0; i < 2 * blocks; i++)
		free_tile(&points[i]);
	free(points);
	free(all);
	return worst;
}

int main(int argc, char **argv)
{
	const size_t side = argc > 1 ? strtoul(argv[1], NULL, 10) : 4,
	             rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 256;
	double own[2], worst[2];
	int bad;

	if (starpu_init(NULL) || starpu_mpi_init(&argc, &argv, 1))
		end("StarPU does not start");
	starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
	starpu_mpi_comm_size(MPI_COMM_WORLD, &ranks);
	if (!side || side > 64 || rows < 2 || rows > 4096)
		end("1 to 64 tiles a side, and 2 to 4096 rows of a tile");
	own[0] = multiply(side, rows);
	own[1] = sum_pairs(side * side, rows);
	MPI_Allreduce(own, worst, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	bad = !(worst[0] < 1e-5 && worst[1] < 1e-5);
	printf("starpu: rank %d: %d tasks on processors, %d on OpenCL devices\n", rank, tasks[0],
	       tasks[1]);
	if (rank == 0)
		printf("starpu: errors %.1e of a product, %.1e of a potential: %s\n", worst[0],
		       worst[1], bad ? "WRONG" : "right");
	close_workers();
	starpu_mpi_shutdown();
	starpu_shutdown();
	return bad;
}
