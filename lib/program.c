/* SPDX-License-Identifier: MIT */
/*
 * program.c - from a row to a built kernel.
 *
 * A program is common.clh, the operation's preludes with the law among them, the
 * row's prelude and its file; the geometry and what the problem is are build options.
 * Some rows are built twice: what the driver makes of them is changed in between
 * (retarget.c).  What failed to build is remembered, so a row fails once.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct kernel {
	const struct variant *v; /* NULL: the caller's, from ... */
	const struct law *law;
	char *source, *name; /* ... this text */
	char options[512];
	cl_program program;
	cl_kernel kernel;
	double pace; /* see clopt__pace */
	char *log; /* why it is struck out, with the compiler's words; NULL if it is not */
	int wrong; /* it is, since it gave a wrong result */
	int checked; /* see clopt__checked */
	struct kernel *next;
};

static void options_text(const struct clopt *ctx, const struct variant *v,
                         const struct clopt_problem *p, char *text, size_t size)
{
	snprintf(text, size,
	         "-cl-std=CL1.2 -DWG0=%zu -DWG1=%zu -DOUT0=%zu -DOUT1=%zu -DELEM_BYTES=%zu "
	         "-DTA=%d -DTB=%d -DUPLO=%d -DSCALED=%d -DPRECISION=%d -DOUTPUTS=%d -DNORMALS=%d "
	         "-DDEPTHS=%d -DSLICES=%d %s %s",
	         v->wg[0], v->wg[1], v->out[0], v->out[1], p->elem_bytes, p->transa == CLOPT_TRANS,
	         p->transb == CLOPT_TRANS,
	         p->triangle == CLOPT_LOWER ? 1 :
	         p->triangle                ? 2 :
	                                      0,
	         p->scaled != 0, p->precision, p->outputs, p->normals, p->depths,
	         ctx->slice_seconds > 0, clopt__laws[p->law].options, v->options);
}

/* law, options NULL: any. */
static struct kernel *find(const struct clopt *ctx, const struct variant *v, const struct law *law,
                           const char *options)
{
	struct kernel *k;

	for (k = ctx->kernels; k; k = k->next)
		if (k->v == v && (!options || (k->law == law && !strcmp(k->options, options))))
			break;
	return k;
}

const char *clopt__struck_out(const struct clopt *ctx, const struct variant *v,
                              const struct clopt_problem *problem, int *wrong)
{
	char options[sizeof ctx->kernels->options];
	const struct kernel *k;

	if (problem)
		options_text(ctx, v, problem, options, sizeof options);
	k = find(ctx, v, problem ? &clopt__laws[problem->law] : NULL, problem ? options : NULL);
	if (wrong)
		*wrong = k && k->wrong;
	return k ? k->log : NULL;
}

static struct kernel *of(struct clopt *ctx, cl_kernel kernel)
{
	struct kernel *k;

	for (k = ctx->kernels; k && k->kernel != kernel; k = k->next)
		;
	return k;
}

double *clopt__pace(struct clopt *ctx, cl_kernel kernel)
{
	struct kernel *k = of(ctx, kernel);

	return k ? &k->pace : NULL;
}

int *clopt__checked(struct clopt *ctx, cl_kernel kernel)
{
	struct kernel *k = of(ctx, kernel);

	return k && k->v ? &k->checked : NULL;
}

static void close_kernel(struct kernel *k)
{
	if (!k)
		return;
	if (k->kernel)
		clReleaseKernel(k->kernel);
	if (k->program)
		clReleaseProgram(k->program);
	free(k->source);
	free(k->name);
	free(k->log);
	free(k);
}

void clopt__kernels_free(struct clopt *ctx)
{
	struct kernel *k;

	while ((k = ctx->kernels)) {
		ctx->kernels = k->next;
		close_kernel(k);
	}
}

static const struct source *source(const char *file)
{
	const struct source *s = clopt__sources;

	while (s->file && strcmp(s->file, file))
		s++;
	return s;
}

/* The lines of the files in order, in one array as clCreateProgramWithSource
 * takes it.  embed.awk puts a #line first, so logs name file and line. */
static int gather(struct clopt *ctx, const struct variant *v, const struct law *law,
                  const char ***lines, size_t *count)
{
	const struct op *op = &clopt__ops[v->op];
	const char *const files[] = { "common.clh",   op->prelude[0], op->prelude[1], law->file,
		                      op->prelude[2], v->prelude,     v->file };
	const size_t nfiles = sizeof files / sizeof *files;
	size_t i, n = 0;

	for (i = 0; i < nfiles; i++)
		n += files[i] ? source(files[i])->count : 0;
	*lines = malloc(n * sizeof **lines);
	if (!*lines)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the source of %s", v->name);
	*count = 0;
	for (i = 0; i < nfiles; i++)
		if (files[i]) {
			const struct source *s = source(files[i]);

			if (!s->file)
				return clopt__fail(ctx, CLOPT_EBUILD, "%s: there is no file cl/%s",
				                   v->name, files[i]);
			memcpy(*lines + *count, s->lines, s->count * sizeof *s->lines);
			*count += s->count;
		}
	return CLOPT_OK;
}

/* Codes that mean "not this kernel on this device", rather than "not now". */
static int is_verdict(cl_int code)
{
	switch (code) {
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_COMPILE_PROGRAM_FAILURE:
	case CL_LINK_PROGRAM_FAILURE:
	case CL_INVALID_BINARY:
	case CL_INVALID_BUILD_OPTIONS:
	case CL_INVALID_KERNEL_NAME:
	case CL_INVALID_KERNEL_DEFINITION:
	case CL_INVALID_PROGRAM_EXECUTABLE:
		return 1;
	}
	return 0;
}

static const char *called(const struct kernel *k)
{
	return k->v ? k->v->name : k->name;
}

/* Keep the reason, in the one place that both this failure and later ones read. */
static int strike_out(struct clopt *ctx, struct kernel *k, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static int strike_out(struct clopt *ctx, struct kernel *k, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	k->log = malloc((size_t)n + 1);
	if (!k->log)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to say why %s does not build",
		                   called(k));
	va_start(args, format);
	vsnprintf(k->log, (size_t)n + 1, format, args);
	va_end(args);
	return clopt__fail(ctx, CLOPT_EBUILD, "%s: %s", called(k), k->log);
}

int clopt__wrong(struct clopt *ctx, cl_kernel kernel, const char *why)
{
	struct kernel *k = of(ctx, kernel);
	const int rc = strike_out(ctx, k, "%s", why);

	k->wrong = rc != CLOPT_ENOMEM;
	return k->wrong ? CLOPT_EWRONG : rc;
}

static int build_failed(struct clopt *ctx, struct kernel *k, cl_int code)
{
	size_t size = 0;
	char *log = NULL;
	int rc;

	/* Registers or local memory, with some drivers; or only now.  The row is
	 * passed over this time. */
	if (code == CL_OUT_OF_RESOURCES)
		return clopt__fail(ctx, CLOPT_EBUILD, "%s: building gave %s (%d) on %s", called(k),
		                   clopt__cl_name(code), (int)code, ctx->device.info.name);
	if (!is_verdict(code))
		return clopt__fail_cl(ctx, code, "clBuildProgram");
	if (clGetProgramBuildInfo(k->program, ctx->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL,
	                          &size) == CL_SUCCESS &&
	    (log = calloc(1, size + 1)))
		clGetProgramBuildInfo(k->program, ctx->device.id, CL_PROGRAM_BUILD_LOG, size, log,
		                      NULL);
	rc = strike_out(ctx, k, "%s (%d) on %s with %s\n%s", clopt__cl_name(code), (int)code,
	                ctx->device.info.name, k->options, log ? log : "");
	free(log);
	return rc;
}

/* The driver's binary of k's program.  It is the caller's to free. */
static int binary_of(struct clopt *ctx, struct kernel *k, char **binary, size_t *size)
{
	cl_uint devices = 0;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clGetProgramInfo(k->program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices,
	                             NULL));
	if (devices != 1) /* a context of the caller's */
		return strike_out(ctx, k, "its PTX is changed for one device, the context has %u",
		                  devices);
	TRY_CL(ctx,
	       clGetProgramInfo(k->program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
	*binary = malloc(*size + 1);
	if (!*binary)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the binary of %s", called(k));
	TRY_CL(ctx,
	       clGetProgramInfo(k->program, CL_PROGRAM_BINARIES, sizeof *binary, binary, NULL));
out:
	return rc;
}

/* Put the retargeted program, not built yet, in the place of k's. */
static int retarget(struct clopt *ctx, struct kernel *k)
{
	char *binary = NULL, *text = NULL;
	const unsigned char *bytes;
	const char *why;
	size_t size = 0;
	cl_program made;
	cl_int code;
	int rc = CLOPT_OK;

	TRY(binary_of(ctx, k, &binary, &size));
	text = clopt__retarget(binary, size, &why);
	if (!text) {
		rc = why ? strike_out(ctx, k, "%s", why) :
		           clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the PTX of %s", called(k));
		goto out;
	}
	bytes = (const unsigned char *)text;
	size = strlen(text) + 1;
	made = clCreateProgramWithBinary(ctx->context, 1, &ctx->device.id, &size, &bytes, NULL,
	                                 &code);
	if (is_verdict(code))
		rc = strike_out(ctx, k, "the driver does not take its PTX: %s (%d)",
		                clopt__cl_name(code), (int)code);
	if (rc != CLOPT_OK)
		goto out;
	TRY_CODE(ctx, code, "clCreateProgramWithBinary");
	clReleaseProgram(k->program);
	k->program = made;
out:
	free(binary);
	free(text);
	return rc;
}

/* A kernel may want more than the device has only once it is compiled. */
static int fits(struct clopt *ctx, struct kernel *k)
{
	size_t group = 0;
	cl_ulong local = 0;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clGetKernelWorkGroupInfo(k->kernel, ctx->device.id, CL_KERNEL_WORK_GROUP_SIZE,
	                                     sizeof group, &group, NULL));
	TRY_CL(ctx, clGetKernelWorkGroupInfo(k->kernel, ctx->device.id, CL_KERNEL_LOCAL_MEM_SIZE,
	                                     sizeof local, &local, NULL));
	if (k->v && group < k->v->wg[0] * k->v->wg[1])
		rc = strike_out(ctx, k, "as compiled it runs in work-groups of %zu, it needs %zu",
		                group, k->v->wg[0] * k->v->wg[1]);
	else if (local > ctx->device.info.local_bytes)
		rc = strike_out(ctx, k, "it takes %llu bytes of local memory, the device has %llu",
		                (unsigned long long)local,
		                (unsigned long long)ctx->device.info.local_bytes);
out:
	return rc;
}

static int build(struct clopt *ctx, struct kernel *k)
{
	const char **lines = NULL;
	size_t count = 0;
	cl_int code;
	int rc = CLOPT_OK;

	if (k->v)
		TRY(gather(ctx, k->v, k->law, &lines, &count));
	k->program =
	        clCreateProgramWithSource(ctx->context, k->v ? (cl_uint)count : 1,
	                                  k->v ? lines : (const char **)&k->source, NULL, &code);
	if (code != CL_SUCCESS)
		k->program = NULL;
	TRY_CODE(ctx, code, "clCreateProgramWithSource");
	code = clBuildProgram(k->program, 1, &ctx->device.id, k->options, NULL, NULL);
	if (code == CL_SUCCESS && k->v && k->v->retarget) {
		TRY(retarget(ctx, k));
		code = clBuildProgram(k->program, 1, &ctx->device.id, "", NULL, NULL);
	}
	if (code == CL_SUCCESS) {
		k->kernel = clCreateKernel(k->program, k->v ? "run" : k->name, &code);
		if (code != CL_SUCCESS)
			k->kernel = NULL;
	}
	if (code != CL_SUCCESS)
		TRY(build_failed(ctx, k, code));
	TRY(fits(ctx, k));
out:
	free(lines);
	return rc;
}

/* Build k, or tell what is known of it.  One that is a verdict on the source is
 * kept; any other failure may pass. */
static int finish(struct clopt *ctx, struct kernel *k, int is_new, cl_kernel *kernel)
{
	int rc = CLOPT_OK;

	if (is_new) {
		rc = build(ctx, k);
		if (rc != CLOPT_OK && !k->log) {
			close_kernel(k);
			*kernel = NULL;
			return rc;
		}
		k->next = ctx->kernels;
		ctx->kernels = k;
	} else if (k->log) {
		rc = clopt__fail(ctx, k->wrong ? CLOPT_EWRONG : CLOPT_EBUILD, "%s: %s", called(k),
		                 k->log);
	}
	*kernel = rc == CLOPT_OK ? k->kernel : NULL;
	return rc;
}

int clopt__kernel(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                  cl_kernel *kernel)
{
	char options[sizeof ctx->kernels->options];
	struct kernel *k, *made = NULL;

	options_text(ctx, v, problem, options, sizeof options);
	k = find(ctx, v, &clopt__laws[problem->law], options);
	if (!k) {
		k = made = calloc(1, sizeof *k);
		if (!k)
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the kernel of %s",
			                   v->name);
		k->v = v;
		k->law = &clopt__laws[problem->law];
		memcpy(k->options, options, sizeof options);
	}
	return finish(ctx, k, made != NULL, kernel);
}

static char *copy_of(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *copy = malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

int clopt__kernel_from(struct clopt *ctx, const char *source, const char *name,
                       const char *build_options, cl_kernel *kernel)
{
	struct kernel *k, *made = NULL;

	build_options = build_options ? build_options : "";
	for (k = ctx->kernels; k; k = k->next)
		if (!k->v && !strcmp(k->name, name) && !strcmp(k->options, build_options) &&
		    !strcmp(k->source, source))
			break;
	if (!k) {
		k = made = calloc(1, sizeof *k);
		if (k && strlen(build_options) >= sizeof k->options) {
			free(k);
			return clopt__fail(ctx, CLOPT_EINVAL,
			                   "build_options are %zu characters long, at most %zu",
			                   strlen(build_options), sizeof k->options - 1);
		}
		if (!k || !(k->source = copy_of(source)) || !(k->name = copy_of(name))) {
			close_kernel(k);
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the kernel %s", name);
		}
		strcpy(k->options, build_options);
	}
	return finish(ctx, k, made != NULL, kernel);
}
