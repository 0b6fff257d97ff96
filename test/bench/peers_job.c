/* SPDX-License-Identifier: MIT */
/*
 * peers_job.c - the device, the arrays of a case, and the check of results.
 */
#include "peers.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_cl.h"

enum {
	SAMPLES = 64, /* of products; of a transpose, 64 times as many */
	OUT = 2
};

/* ---- The device -------------------------------------------------------------------- */

int peers_device_open(struct peers_device *d, const char *spec)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	cl_int e;

	memset(d, 0, sizeof *d);
	d->info.size = sizeof d->info;
	options.device = spec;
	if (clopt_open(&d->ctx, &options) != CLOPT_OK ||
	    clopt_device_get(d->ctx, &d->info) != CLOPT_OK) {
		fprintf(stderr, "peers: %s\n", clopt_error(d->ctx));
		return 1;
	}
	d->cpu = strcmp(d->info.type, "cpu") == 0;
	d->context = clopt_cl_context(d->ctx);
	d->queue = clCreateCommandQueue(d->context, clopt_cl_device(d->ctx), 0, &e);
	if (e != CL_SUCCESS || clopt_queue_from_cl(d->ctx, d->queue, &d->order) != CLOPT_OK) {
		fprintf(stderr, "peers: no queue: %s\n", clopt_error(d->ctx));
		return 1;
	}
	return peers_copy_open(d);
}

void peers_device_close(struct peers_device *d)
{
	clopt_queue_free(d->order);
	if (d->copy)
		clReleaseKernel(d->copy);
	if (d->program)
		clReleaseProgram(d->program);
	if (d->queue)
		clReleaseCommandQueue(d->queue);
	clopt_close(d->ctx);
}

/* ---- Arrays ------------------------------------------------------------------------ */

static uint64_t scramble(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Numbers in [-0.5, 0.5), or any bytes. */
static void fill(void *to, size_t elems, size_t elem_bytes, uint64_t seed)
{
	const int reals = elem_bytes == 4 || elem_bytes == 8;
	const size_t n = reals ? elems : elems * elem_bytes;
	size_t i;

	for (i = 0; i < n; i++) {
		const uint64_t bits = scramble(&seed);

		if (!reals)
			((unsigned char *)to)[i] = (unsigned char)(bits >> 16);
		else if (elem_bytes == 8)
			((double *)to)[i] = (double)bits / 0x1p31 - 0.5;
		else
			((float *)to)[i] = (float)((double)bits / 0x1p31 - 0.5);
	}
}

static double complex load(const struct peers_job *j, const void *from, size_t i)
{
	if (j->c->pairs)
		return j->c->elem_bytes == 16 ? ((const double complex *)from)[i] :
		                                (double complex)((const float complex *)from)[i];
	return j->c->elem_bytes == 8 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

/* An array of whole pages, so that a device that shares the memory uses it in place. */
static void *pages(size_t bytes)
{
	void *memory;

	return posix_memalign(&memory, 4096, bytes) == 0 ? memory : NULL;
}

static int open_array(struct peers_job *j, int i)
{
	const size_t bytes = j->elems[i] * j->c->elem_bytes, room = (bytes + 4095) / 4096 * 4096;
	cl_int e;

	if (j->d->cpu || i != OUT) {
		void *memory = pages(room);

		if (!memory)
			return 1;
		if (i != OUT) {
			fill(memory, j->elems[i] << j->c->pairs, j->c->elem_bytes >> j->c->pairs,
			     (uint64_t)i + 1);
			j->in[i] = memory;
		}
		if (j->d->cpu)
			j->host[i] = memory;
	}
	j->mem[i] = clCreateBuffer(j->d->context,
	                           CL_MEM_READ_WRITE | (j->d->cpu ? CL_MEM_USE_HOST_PTR : 0), room,
	                           j->host[i], &e);
	if (e != CL_SUCCESS)
		return 1;
	if (!j->d->cpu && i != OUT)
		e = clEnqueueWriteBuffer(j->d->queue, j->mem[i], CL_TRUE, 0, bytes, j->in[i], 0,
		                         NULL, NULL);
	return e != CL_SUCCESS ||
	       clopt_buffer_from_cl(j->d->ctx, j->mem[i], &j->buffer[i]) != CLOPT_OK;
}

int peers_job_open(struct peers_job *j, struct peers_device *d, const struct peers_case *c)
{
	const int transpose = c->k == 0;
	int i;

	*j = (struct peers_job){ .c = c, .d = d };
	j->elems[0] = c->m * (transpose ? c->n : c->k) * c->batch;
	j->elems[1] = c->k * c->n * c->batch;
	j->elems[OUT] = c->m * c->n * c->batch;
	for (i = 0; i <= OUT; i++)
		if (j->elems[i] > 0 && open_array(j, i)) {
			fprintf(stderr, "peers: no room for this case\n");
			return 1;
		}
	return 0;
}

void peers_job_close(struct peers_job *j)
{
	int i;

	for (i = 0; i <= OUT; i++) {
		clopt_buffer_free(j->buffer[i]);
		if (j->mem[i])
			clReleaseMemObject(j->mem[i]);
		free(i == OUT ? j->host[i] : j->in[i]);
	}
}

/* ---- Results --------------------------------------------------------------------- */

static void *map_out(struct peers_job *j, cl_map_flags flags)
{
	cl_int e;
	void *out = clEnqueueMapBuffer(j->d->queue, j->mem[OUT], CL_TRUE, flags, 0,
	                               j->elems[OUT] * j->c->elem_bytes, 0, NULL, NULL, &e);

	return e == CL_SUCCESS ? out : NULL;
}

static int unmap_out(struct peers_job *j, void *out)
{
	return clEnqueueUnmapMemObject(j->d->queue, j->mem[OUT], out, 0, NULL, NULL) !=
	               CL_SUCCESS ||
	       clFinish(j->d->queue) != CL_SUCCESS;
}

int peers_job_spoil(struct peers_job *j)
{
	void *out = map_out(j, CL_MAP_WRITE);

	if (!out)
		return 1;
	memset(out, 0xff, j->elems[OUT] * j->c->elem_bytes);
	return unmap_out(j, out);
}

/* Rounding errors of k products and sums, some of them in another order. */
static double product_error(const struct peers_job *j, const void *out, size_t at)
{
	const struct peers_case *c = j->c;
	const size_t z = at / (c->m * c->n), row = at / c->n % c->m, column = at % c->n;
	const double eps = c->elem_bytes >> c->pairs == 8 ? DBL_EPSILON : (double)FLT_EPSILON;
	double complex sum = 0.0;
	double terms = 0.0, off;
	size_t p;

	for (p = 0; p < c->k; p++) {
		const size_t a = c->transa == CLOPT_TRANS_YES ? p * c->m + row : row * c->k + p;
		const size_t b =
		        c->transb == CLOPT_TRANS_YES ? column * c->k + p : p * c->n + column;
		const double complex t = load(j, j->in[0], z * c->m * c->k + a) *
		                         load(j, j->in[1], z * c->k * c->n + b);

		sum += t;
		terms += cabs(t);
	}
	off = cabs(load(j, out, at) - sum) / (eps * (4.0 * sqrt((double)c->k) + 8.0) * terms);
	return isnan(off) ? HUGE_VAL : off;
}

static double sample_error(const struct peers_job *j, const void *out, size_t at)
{
	const struct peers_case *c = j->c;
	const size_t bytes = c->elem_bytes, from = at % c->m * c->n + at / c->m;

	if (c->k > 0)
		return product_error(j, out, at);
	return memcmp((const char *)out + at * bytes, (const char *)j->in[0] + from * bytes,
	              bytes) == 0 ?
	               0.0 :
	               HUGE_VAL;
}

double peers_job_error(struct peers_job *j)
{
	const size_t samples = j->c->k == 0 ? SAMPLES * SAMPLES : SAMPLES;
	void *out = map_out(j, CL_MAP_READ);
	double worst = 0.0;
	uint64_t state = 7;
	size_t i;

	if (!out)
		return HUGE_VAL;
	for (i = 0; i < samples; i++)
		worst = fmax(worst,
		             sample_error(j, out,
		                          (size_t)(scramble(&state) << 31 | scramble(&state)) %
		                                  j->elems[OUT]));
	/* The first and the last. */
	worst = fmax(worst, sample_error(j, out, 0));
	worst = fmax(worst, sample_error(j, out, j->elems[OUT] - 1));
	return unmap_out(j, out) ? HUGE_VAL : worst;
}
