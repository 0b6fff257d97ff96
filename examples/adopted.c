/* SPDX-License-Identifier: MIT */
/*
 * adopted.c - the library inside an existing OpenCL program.
 *
 * The program has a context, a queue, buffers and kernels.  The library joins them by
 * clopt_open_cl.  Its product runs in the program's queue between two kernels of the program: the
 * first makes the matrices, the second subtracts 1 from the diagonal of their product.  No array
 * leaves the device.
 *
 *	adopted
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <clopt_cl.h>

#define N ((size_t)200)
#define BYTES (N * N * sizeof(float))

static const char *const source =
        "__kernel void make(uint n, float shift, __global float *x)\n"
        "{\n"
        "	const size_t i = get_global_id(0);\n"
        "	x[i] = cos(0.01f * (float)(i % n) * (float)(i / n) + shift);\n"
        "}\n"
        "__kernel void less_one(uint n, __global float *x)\n"
        "{\n"
        "	x[get_global_id(0) * (n + 1)] -= 1;\n"
        "}\n";

static void must_cl(const char *what, cl_int code)
{
	if (code != CL_SUCCESS) {
		fprintf(stderr, "adopted: %s: OpenCL's error %d\n", what, (int)code);
		exit(1);
	}
}

static void must(struct clopt *ctx, int rc)
{
	if (rc != CLOPT_OK) {
		fprintf(stderr, "adopted: %s\n", clopt_error(ctx));
		exit(1);
	}
}

/* ---- The existing program -------------------------------------------------- */

struct program {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel make, less_one;
	cl_mem a, b, c;
};

static void start(struct program *p)
{
	const cl_uint n = N;
	cl_platform_id platforms[16];
	cl_uint count, i;
	cl_int code = CL_DEVICE_NOT_FOUND;

	must_cl("clGetPlatformIDs", clGetPlatformIDs(16, platforms, &count));
	for (i = 0; i < count && i < 16 && code != CL_SUCCESS; i++)
		code = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &p->device, NULL);
	must_cl("clGetDeviceIDs", code);
	p->context = clCreateContext(NULL, 1, &p->device, NULL, NULL, &code);
	must_cl("clCreateContext", code);
	p->queue = clCreateCommandQueue(p->context, p->device, 0, &code);
	must_cl("clCreateCommandQueue", code);
	p->program = clCreateProgramWithSource(p->context, 1, (const char **)&source, NULL, &code);
	must_cl("clCreateProgramWithSource", code);
	must_cl("clBuildProgram", clBuildProgram(p->program, 1, &p->device, "", NULL, NULL));
	p->make = clCreateKernel(p->program, "make", &code);
	must_cl("clCreateKernel", code);
	p->less_one = clCreateKernel(p->program, "less_one", &code);
	must_cl("clCreateKernel", code);
	p->a = clCreateBuffer(p->context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	must_cl("clCreateBuffer", code);
	p->b = clCreateBuffer(p->context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	must_cl("clCreateBuffer", code);
	p->c = clCreateBuffer(p->context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	must_cl("clCreateBuffer", code);
	must_cl("clSetKernelArg", clSetKernelArg(p->make, 0, sizeof n, &n));
	must_cl("clSetKernelArg", clSetKernelArg(p->less_one, 0, sizeof n, &n));
	must_cl("clSetKernelArg", clSetKernelArg(p->less_one, 1, sizeof p->c, &p->c));
}

static void make(struct program *p, cl_mem x, float shift)
{
	const size_t all = N * N;

	must_cl("clSetKernelArg", clSetKernelArg(p->make, 1, sizeof shift, &shift));
	must_cl("clSetKernelArg", clSetKernelArg(p->make, 2, sizeof x, &x));
	must_cl("clEnqueueNDRangeKernel",
	        clEnqueueNDRangeKernel(p->queue, p->make, 1, NULL, &all, NULL, 0, NULL, NULL));
}

static void fetch(struct program *p, cl_mem x, float *to)
{
	must_cl("clEnqueueReadBuffer",
	        clEnqueueReadBuffer(p->queue, x, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));
}

static void stop(struct program *p)
{
	clReleaseMemObject(p->a);
	clReleaseMemObject(p->b);
	clReleaseMemObject(p->c);
	clReleaseKernel(p->make);
	clReleaseKernel(p->less_one);
	clReleaseProgram(p->program);
	clReleaseCommandQueue(p->queue);
	clReleaseContext(p->context);
}

/* ---- What the library adds ---------------------------------------------------- */

/* C = A B in the program's queue: after the commands that are queued, before later ones. */
static void multiply(struct clopt *ctx, struct program *p)
{
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_buffer *a, *b, *c;

	must(ctx, clopt_queue_from_cl(ctx, p->queue, &order.queue));
	must(ctx, clopt_buffer_from_cl(ctx, p->a, &a));
	must(ctx, clopt_buffer_from_cl(ctx, p->b, &b));
	must(ctx, clopt_buffer_from_cl(ctx, p->c, &c));
	must(ctx, clopt_matmul_buffers(ctx, N, N, N, a, b, c, &order));
	clopt_buffer_free(a); /* the program's buffers stay */
	clopt_buffer_free(b);
	clopt_buffer_free(c);
	clopt_queue_free(order.queue);
}

static int wrong(const float *a, const float *b, const float *c)
{
	size_t i, j, k;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++) {
			double sum = i == j ? -1 : 0, size = 1;

			for (k = 0; k < N; k++) {
				sum += (double)a[i * N + k] * (double)b[k * N + j];
				size += fabs((double)a[i * N + k] * (double)b[k * N + j]);
			}
			if (!(fabs((double)c[i * N + j] - sum) <= 1e-5 * size)) {
				fprintf(stderr, "adopted: row %zu, column %zu is %g, not %g\n", i,
				        j, (double)c[i * N + j], sum);
				return 1;
			}
		}
	return 0;
}

int main(void)
{
	static float a[N * N], b[N * N], c[N * N];
	struct program p = { 0 };
	struct clopt *ctx = NULL;
	const size_t diagonal = N;
	int bad;

	start(&p);
	must(NULL, clopt_open_cl(&ctx, p.context, p.device, NULL));
	make(&p, p.a, 0);
	make(&p, p.b, 1);
	multiply(ctx, &p);
	must_cl("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(p.queue, p.less_one, 1, NULL,
	                                                         &diagonal, NULL, 0, NULL, NULL));
	fetch(&p, p.a, a);
	fetch(&p, p.b, b);
	fetch(&p, p.c, c);
	bad = wrong(a, b, c);
	printf("A B - 1 of %zu x %zu in the program's queue: %s\n", N, N, bad ? "WRONG" : "right");
	clopt_close(ctx);
	stop(&p);
	return bad;
}
