/* SPDX-License-Identifier: MIT */
/*
 * epilogue.c - checks the kernel of epilogues (cl/matmul/epilogue.cl) at its first use in a
 * context: it has to give the bits of the host's.
 */
#include <stdio.h>
#include <string.h>

#include "../host/host.h"
#include "../kernel/kernel.h"
#include "check.h"

/* Of C: a little more than one group has. */
enum {
	ROWS = 3,
	COLUMNS = 67
};

struct sample {
	int32_t sums[ROWS * COLUMNS];
	float line[3][COLUMNS], want[ROWS * COLUMNS], got[ROWS * COLUMNS];
};

/* Results on both sides of the clamp. */
static void fill(struct sample *s, uint64_t random)
{
	size_t i, j;

	memset(s, 0, sizeof *s);
	for (i = 0; i < ROWS * COLUMNS; i++)
		s->sums[i] = (int32_t)(0x1p31 * clopt__random(&random));
	for (i = 0; i < 3; i++)
		for (j = 0; j < COLUMNS; j++)
			s->line[i][j] = (float)(clopt__random(&random) * (i == 1 ? 0x1p-22 : 2));
}

/* Make results of this type on the device and here.  CLOPT_EWRONG: they differ. */
static int compare(struct clopt *ctx, cl_command_queue q, int result, struct sample *s)
{
	const int whole = result == CLOPT_TYPE_INT8;
	const size_t bytes = (size_t)result & 0xff, dim[] = { ROWS, COLUMNS };
	const struct job job = { .epilogue = { result, !whole, -100, 90 } };
	const struct host_epilogue e = { ROWS,    COLUMNS,    COLUMNS,    COLUMNS,    s->sums,
		                         s->want, s->line[0], s->line[1], s->line[2], -100,
		                         90,      whole,      !whole };
	struct array array[6] = { { 0 } };
	const struct array *const arrays[] = { NULL,      NULL,      &array[2],
		                               &array[3], &array[4], &array[5] };
	const struct launch l = { .dim = dim, .batch = 1, .arrays = arrays };
	const struct transfer back = {
		1, NULL, 0, COLUMNS * bytes, (char *)s->got, COLUMNS * bytes, ROWS, COLUMNS * bytes
	};
	struct transfer t = back;
	const char *call;
	cl_int code;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__array_copy_of(ctx, s->sums, ROWS, sizeof s->sums / ROWS, &array[0]));
	TRY(clopt__array_open(ctx, ROWS, COLUMNS * bytes, (struct layout){ 0, 0, 1 }, &array[2]));
	for (i = 0; i < 3; i++)
		TRY(clopt__array_copy_of(ctx, s->line[i], 1, sizeof s->line[i], &array[3 + i]));
	TRY(clopt__epilogue(ctx, q, &l, &job, &array[0], (struct waits){ 0, NULL }, NULL));
	t.mem = array[2].mem;
	code = clopt__copy(q, &t, CL_TRUE, (struct waits){ 0, NULL }, NULL, &call);
	TRY_CODE(ctx, code, call);
	clopt__host_epilogue(&e);
	if (memcmp(s->got, s->want, ROWS * COLUMNS * bytes) != 0)
		rc = CLOPT_EWRONG;
out:
	rc = clopt__finish(ctx, q, rc);
	for (i = 0; i < 6; i++)
		clopt__array_close(&array[i]);
	return rc;
}

static int trials(struct clopt *ctx, cl_kernel kernel, cl_command_queue q, const void *what,
                  unsigned round, char *why)
{
	struct sample s;
	int rc;

	(void)kernel;
	(void)what;
	fill(&s, 1 + round);
	rc = compare(ctx, q, CLOPT_TYPE_INT8, &s);
	if (rc == CLOPT_OK)
		rc = compare(ctx, q, CLOPT_TYPE_FLOAT, &s);
	if (rc == CLOPT_EWRONG)
		snprintf(why, WHY_SIZE, "gave other bits than the host");
	return rc;
}

int clopt__epilogue_ready(struct clopt *ctx, const struct job *job)
{
	cl_kernel kernel;
	int rc = CLOPT_OK;

	if (!job->epilogue.result)
		return CLOPT_OK;
	rc = clopt__kernel(ctx, &clopt__epilogue_row, &clopt__epilogue_problem, &kernel);
	return rc == CLOPT_OK ? clopt__first_use(ctx, kernel, trials, NULL) : rc;
}
