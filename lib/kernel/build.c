/* SPDX-License-Identifier: MIT */
/*
 * build.c - builds a kernel from source or from the cache.
 *
 * A program is common.clh, the operation's preludes with the law among them, the row's preludes and
 * its file; the geometry and the problem are build options.  Some rows are built twice, with a
 * change of the driver's PTX in between (retarget.c).  The final program is kept for other
 * processes (binary_cache.c), so they need neither the compiler nor the change.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "program.h"

void clopt__program_drop(struct kernel *k)
{
	cl_kernel *const made[] = { &k->kernel,   &k->first[0], &k->first[1],
		                    &k->first[2], &k->aligned,  &k->turned };
	unsigned i;

	for (i = 0; i < sizeof made / sizeof *made; i++) {
		if (*made[i])
			clReleaseKernel(*made[i]);
		*made[i] = NULL;
	}
	if (k->program)
		clReleaseProgram(k->program);
	k->program = NULL;
}

#define MOST_FILES 32 /* of one program */

static const struct source *source(const char *file, size_t length)
{
	const struct source *s = clopt__sources;

	while (s->file && (strncmp(s->file, file, length) || s->file[length]))
		s++;
	return s;
}

/* Gather the lines of all files in one array for clCreateProgramWithSource.  embed.awk puts a #line
 * before each file, so logs name file and line. */
static int gather(struct clopt *ctx, const struct variant *v, const struct law *law,
                  const char ***lines, size_t *count)
{
	const struct op *op = clopt__ops[v->op];
	/* Names separated by blanks, or NULL. */
	const char *const files[] = { "common.clh",   op->prelude[0], op->prelude[1], law->file,
		                      op->prelude[2], v->prelude,     v->file };
	const struct source *sources[MOST_FILES];
	const char *file;
	size_t i, length, n = 0;

	*count = 0;
	for (i = 0; i < sizeof files / sizeof *files; i++)
		for (file = files[i]; file && *file; file += length + (file[length] == ' ')) {
			length = strcspn(file, " ");
			sources[n] = source(file, length);
			if (!sources[n]->file || n + 1 == MOST_FILES)
				return clopt__fail(ctx, CLOPT_EBUILD, "%s: there is no file cl/%s",
				                   v->name, files[i]);
			*count += sources[n++]->count;
		}
	*lines = malloc(*count * sizeof **lines);
	if (!*lines)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the source of %s", v->name);
	*count = 0;
	for (i = 0; i < n; *count += sources[i++]->count)
		memcpy(*lines + *count, sources[i]->lines, sources[i]->count * sizeof **lines);
	return CLOPT_OK;
}

/* Whether the code means "never this kernel on this device", not "not now". */
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

const char *clopt__kernel_called(const struct kernel *k)
{
	return k->v ? k->v->name : k->name;
}

int clopt__strike_out(struct clopt *ctx, struct kernel *k, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	k->log = malloc((size_t)n + 1);
	if (!k->log)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the build log of %s",
		                   clopt__kernel_called(k));
	va_start(args, format);
	vsnprintf(k->log, (size_t)n + 1, format, args);
	va_end(args);
	return clopt__fail(ctx, CLOPT_EBUILD, "%s: %s", clopt__kernel_called(k), k->log);
}

int clopt__build_log(const struct clopt *ctx, cl_program program, char **log)
{
	size_t size = 0;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clGetProgramBuildInfo(program, ctx->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL,
	                                  &size));
	*log = calloc(1, size + 1);
	if (!*log)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a build log");
	TRY_CL(ctx, clGetProgramBuildInfo(program, ctx->device.id, CL_PROGRAM_BUILD_LOG, size, *log,
	                                  NULL));
out:
	return rc;
}

static int build_failed(struct clopt *ctx, struct kernel *k, cl_int code)
{
	char *log = NULL;
	int rc;

	/* Some drivers return this when registers or local memory do not suffice, others for a
	 * passing state.  Skip the row this time only. */
	if (code == CL_OUT_OF_RESOURCES)
		return clopt__fail(ctx, CLOPT_EBUILD, "%s: building failed with %s (%d) on %s",
		                   clopt__kernel_called(k), clopt__cl_name(code), (int)code,
		                   ctx->device.info.name);
	if (!is_verdict(code))
		return clopt__fail_cl(ctx, code, "clBuildProgram");
	clopt__build_log(ctx, k->program, &log); /* a missing log is no failure */
	rc = clopt__strike_out(ctx, k, "%s (%d) on %s with %s\n%s", clopt__cl_name(code), (int)code,
	                       ctx->device.info.name, k->options, log ? log : "");
	free(log);
	return rc;
}

/* Replace the program of k by the retargeted one, which is not built yet. */
static int retarget(struct clopt *ctx, struct kernel *k)
{
	char *binary = NULL, *text = NULL;
	const unsigned char *bytes;
	const char *why;
	size_t size = 0;
	cl_program made;
	cl_int code;
	int rc = CLOPT_OK;

	code = clopt__binary(ctx, k->program, &binary, &size);
	TRY_CODE(ctx, code, "clGetProgramInfo");
	text = clopt__retarget(binary, size, (unsigned)k->v->retarget, &why);
	if (!text) {
		rc = why ? clopt__strike_out(ctx, k, "%s", why) :
		           clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the PTX of %s",
		                       clopt__kernel_called(k));
		goto out;
	}
	bytes = (const unsigned char *)text;
	size = strlen(text) + 1;
	made = clCreateProgramWithBinary(ctx->context, 1, &ctx->device.id, &size, &bytes, NULL,
	                                 &code);
	if (is_verdict(code))
		rc = clopt__strike_out(ctx, k, "the driver rejects its PTX: %s (%d)",
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

/* A compiled kernel may need more than the device has. */
static int fits(struct clopt *ctx, struct kernel *k)
{
	size_t group = 0;
	cl_ulong local = 0;
	int rc = CLOPT_OK;

	if (clopt__works_around(ctx, BUILDS_FIT))
		return CLOPT_OK;
	TRY_CL(ctx, clGetKernelWorkGroupInfo(k->kernel, ctx->device.id, CL_KERNEL_WORK_GROUP_SIZE,
	                                     sizeof group, &group, NULL));
	TRY_CL(ctx, clGetKernelWorkGroupInfo(k->kernel, ctx->device.id, CL_KERNEL_LOCAL_MEM_SIZE,
	                                     sizeof local, &local, NULL));
	if (k->v && group < k->v->wg[0] * k->v->wg[1])
		rc = clopt__strike_out(ctx, k,
		                       "as compiled it allows work-groups of %zu; it needs %zu",
		                       group, k->v->wg[0] * k->v->wg[1]);
	else if (local > ctx->device.info.local_bytes)
		rc = clopt__strike_out(ctx, k,
		                       "it takes %llu bytes of local memory; the device has %llu",
		                       (unsigned long long)local,
		                       (unsigned long long)ctx->device.info.local_bytes);
out:
	return rc;
}

/* Make the kernel of this name, if `there`. */
static void make(struct kernel *k, int there, const char *name, cl_kernel *kernel, cl_int *code)
{
	if (!there || *code != CL_SUCCESS)
		return;
	*kernel = clCreateKernel(k->program, name, code);
	if (*code != CL_SUCCESS)
		*kernel = NULL; /* some drivers leave a value there */
}

static cl_int make_kernel(struct kernel *k)
{
	const struct variant *v = k->v;
	cl_int code = CL_SUCCESS;

	make(k, 1, v ? "run" : k->name, &k->kernel, &code);
	make(k, v && v->planes, "planes", &k->first[0], &code);
	make(k, v && v->moduli > 1, "norms", &k->first[0], &code);
	make(k, v && v->moduli, "residues", &k->first[1], &code);
	make(k, v && v->moduli, "products", &k->first[2], &code);
	make(k, v && v->maps, "aligned", &k->aligned, &code);
	make(k, v && (v->flips || v->by_k), "turned", &k->turned, &code);
	return code;
}

/* Load the kernel from the cache.  Returns whether it works.  A failure strikes nothing out, since
 * the source is compiled next. */
static int load(struct clopt *ctx, struct kernel *k)
{
	const char *options = k->v && k->v->retarget ? "" : k->options;

	k->program = clopt__cache_get(ctx, k->key);
	if (k->program &&
	    clBuildProgram(k->program, 1, &ctx->device.id, options, NULL, NULL) == CL_SUCCESS &&
	    make_kernel(k) == CL_SUCCESS && fits(ctx, k) == CLOPT_OK) {
		ctx->built.loaded++;
		k->kept = 1;
		return 1;
	}
	clopt__program_drop(k);
	free(k->log);
	k->log = NULL;
	return 0;
}

static int compile(struct clopt *ctx, struct kernel *k, const char **lines, size_t count)
{
	cl_int code;
	int rc = CLOPT_OK;

	ctx->built.compiled++;
	k->program = clCreateProgramWithSource(ctx->context, (cl_uint)count, lines, NULL, &code);
	if (code != CL_SUCCESS)
		k->program = NULL;
	TRY_CODE(ctx, code, "clCreateProgramWithSource");
	code = clBuildProgram(k->program, 1, &ctx->device.id, k->options, NULL, NULL);
	if (code == CL_SUCCESS && k->v && k->v->retarget) {
		TRY(retarget(ctx, k));
		code = clBuildProgram(k->program, 1, &ctx->device.id, "", NULL, NULL);
	}
	if (code == CL_SUCCESS)
		code = make_kernel(k);
	if (code == CL_INVALID_KERNEL_NAME && !k->v)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "name is \"%s\": source has no kernel of this name", k->name));
	if (code != CL_SUCCESS)
		TRY(build_failed(ctx, k, code));
	TRY(fits(ctx, k));
out:
	return rc;
}

void clopt__program_save(struct clopt *ctx, struct kernel *k)
{
	const int saved = clopt__cache_put_apart(ctx, k), error = errno;

	ctx->built.saved += (size_t)saved;
	k->kept = 1;
	if (!saved && error && ctx->verbose && !ctx->unkept_told++)
		clopt__notice(ctx,
		              "compiled kernels are not kept in %s: %s; set CLOPT_CACHE_DIR to a "
		              "folder of your own on a disk with room",
		              ctx->store.folder, strerror(error));
}

/* Whether the source has the word after a # and blanks. */
static int has_directive(const char *source, const char *word)
{
	const char *at = source, *end;

	while ((at = strstr(at, word))) {
		for (end = at++; end > source && strchr(" \t", end[-1]); end--)
			;
		if (end > source && strchr("#:", end[-1])) /* %: is another # */
			return 1;
	}
	return 0;
}

/* Whether the kernel may include files.  Their text is unknown, so it is not cached. */
static int may_read_files(const char *source, const char *options)
{
	return strstr(source, "include") || has_directive(source, "import") ||
	       has_directive(source, "embed") || strstr(options, "include") ||
	       strstr(options, "imacros");
}

static uint64_t hash_of(const struct cache_text *t)
{
	struct hash all = clopt__hash_empty();
	size_t i;

	for (i = 0; i < t->count; i++)
		clopt__hash_add(&all, t->lines[i], strlen(t->lines[i]));
	clopt__hash_add(&all, t->options, strlen(t->options) + 1);
	clopt__hash_add(&all, t->name, strlen(t->name));
	return all.low;
}

#define LARGEST_FILE ((uint64_t)16 << 20) /* the largest file of PoCL had 338 KB */

static int check_files(const struct clopt *ctx, const struct kernel *k)
{
	return clopt__works_around(ctx, NEEDS_FILES) && !clopt__file_may_grow(LARGEST_FILE) ?
	               clopt__fail(ctx, CLOPT_EDEVICE,
	                           "%s is not built: %s would end the process, as file sizes are "
	                           "limited to less than "
	                           "%d MiB (ulimit -f)",
	                           clopt__kernel_called(k), ctx->device.info.platform,
	                           (int)(LARGEST_FILE >> 20)) :
	               CLOPT_OK;
}

int clopt__program_build(struct clopt *ctx, struct kernel *k)
{
	struct cache_text text = {
		clopt__kernel_called(k),  k->v ? "run" : k->name, k->options, NULL, 1,
		k->v ? k->v->retarget : 0
	};
	const char **lines = NULL;
	int rc = CLOPT_OK;

	TRY(check_files(ctx, k));
	if (k->v)
		TRY(gather(ctx, k->v, &clopt__laws[k->form.law], &lines, &text.count));
	text.lines = k->v ? lines : (const char **)&k->source;
	if (clopt__works_around(ctx, KEEPS_APART))
		k->hash = hash_of(&text);
	if (k->v || !may_read_files(k->source, k->options))
		k->key = clopt__cache_key(ctx, &text);
	if (load(ctx, k))
		goto out;
	TRY(compile(ctx, k, text.lines, text.count));
out:
	free(lines);
	return rc;
}
