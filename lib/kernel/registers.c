/* SPDX-License-Identifier: MIT */
/*
 * registers.c - registers that a kernel takes, if the driver reports them.
 *
 * OpenCL has no query for registers.  NVIDIA's compiler prints them in its log with -cl-nv-verbose;
 * AMD's writes them to the notes of its binaries.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "program.h"

unsigned clopt__log_registers(const char *log, const char *name)
{
	static const char entry[] = "Compiling entry function '", used[] = "Used ";
	const size_t n = strlen(name);
	const char *at = log, *next, *count;
	unsigned registers = 0;

	while ((at = strstr(at, entry))) {
		at += sizeof entry - 1;
		if (strncmp(at, name, n) || at[n] != '\'')
			continue;
		next = strstr(at, entry);
		count = strstr(at, used);
		if (count && (!next || count < next))
			registers = (unsigned)strtoul(count + sizeof used - 1, NULL, 10);
	}
	return registers;
}

/* Notes are in MessagePack: a text of up to 31 bytes follows the byte 0xa0 + its length; a number
 * up to 127 is one byte, up to 255 follows 0xcc, up to 65535 is two bytes after 0xcd. */
int clopt__note_number(const void *binary, size_t size, const char *key, unsigned *number)
{
	const unsigned char *at = binary, *const end = at + size;
	const size_t n = strlen(key);

	for (; (size_t)(end - at) > n + 1; at++) {
		const unsigned char *value = at + n + 1;

		if (*at != (0xa0 | n) || memcmp(at + 1, key, n))
			continue;
		if (*value < 0x80)
			*number = *value;
		else if (*value == 0xcc && end - value > 1)
			*number = value[1];
		else if (*value == 0xcd && end - value > 2)
			*number = (unsigned)value[1] << 8 | value[2];
		else
			continue;
		return 1;
	}
	return 0;
}

/* The driver caches programs by source and by PTX, but not the log of ptxas.  A further kernel with
 * a unique name makes it compile again; a comment would not reach the PTX. */
static int compile_again(const struct clopt *ctx, const char *text, int is_source,
                         const char *options, cl_program *made)
{
	const unsigned long long now = (unsigned long long)(1e9 * clopt__now());
	const size_t room = strlen(text) + 80;
	char *marked = malloc(room);
	const char *const_text = marked;
	const unsigned char *bytes = (const unsigned char *)marked;
	size_t size;
	cl_int code;
	int rc = CLOPT_OK;

	if (!marked)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to find a kernel's registers");
	size = (size_t)snprintf(marked, room,
	                        is_source ? "%s\n__kernel void again_%llu(void)\n{\n}\n" :
	                                    "%s\n.visible .entry again_%llu()\n{\n\tret;\n}\n",
	                        text, now) +
	       1;
	*made = is_source ? clCreateProgramWithSource(ctx->context, 1, &const_text, NULL, &code) :
	                    clCreateProgramWithBinary(ctx->context, 1, &ctx->device.id, &size,
	                                              &bytes, NULL, &code);
	if (code != CL_SUCCESS)
		*made = NULL;
	TRY_CODE(ctx, code, is_source ? "clCreateProgramWithSource" : "clCreateProgramWithBinary");
	TRY_CL(ctx, clBuildProgram(*made, 1, &ctx->device.id, options, NULL, NULL));
out:
	free(marked);
	return rc;
}

/* Compile the program's source, or its PTX if it was created from PTX. */
static int ask_nvidia(struct clopt *ctx, const struct kernel *k, unsigned *registers)
{
	char *text = NULL, *log = NULL, options[sizeof k->options + 20];
	cl_program made = NULL;
	size_t size = 0;
	int is_source, rc = CLOPT_OK;

	TRY_CL(ctx, clopt__program_info(k->program, CL_PROGRAM_SOURCE, &text, &size));
	is_source = *text != '\0';
	snprintf(options, sizeof options, "%s -cl-nv-verbose", is_source ? k->options : "");
	if (!is_source) {
		free(text);
		TRY_CL(ctx, clopt__binary(ctx, k->program, &text, &size));
	}
	if (!text)
		goto out;
	TRY(compile_again(ctx, text, is_source, options, &made));
	TRY(clopt__build_log(ctx, made, &log));
	*registers = clopt__log_registers(log, "run");
out:
	if (made)
		clReleaseProgram(made);
	free(text);
	free(log);
	return rc;
}

static int ask_amd(struct clopt *ctx, const struct kernel *k, struct clopt_resources *use)
{
	char *binary = NULL;
	size_t size = 0;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clopt__binary(ctx, k->program, &binary, &size));
	if (binary) {
		clopt__note_number(binary, size, ".vgpr_count", &use->registers);
		clopt__note_number(binary, size, ".sgpr_count", &use->scalar_registers);
	}
out:
	free(binary);
	return rc;
}

int clopt__registers(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                     struct clopt_resources *use)
{
	const struct kernel *k = clopt__kernel_of(ctx, kernel);
	cl_ulong local = 0, private_bytes = 0;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clGetKernelWorkGroupInfo(kernel, ctx->device.id, CL_KERNEL_LOCAL_MEM_SIZE,
	                                     sizeof local, &local, NULL));
	TRY_CL(ctx, clGetKernelWorkGroupInfo(kernel, ctx->device.id, CL_KERNEL_PRIVATE_MEM_SIZE,
	                                     sizeof private_bytes, &private_bytes, NULL));
	use->local_bytes = (size_t)local;
	use->private_bytes = (size_t)private_bytes;
	use->group = v->wg[0] * v->wg[1];
	if (ctx->device.traits & T_NVIDIA)
		TRY(ask_nvidia(ctx, k, &use->registers));
	else
		TRY(ask_amd(ctx, k, use));
	if (!use->registers)
		rc = clopt__fail(ctx, CLOPT_EUNSUPPORTED,
		                 "the registers of %s on %s are not known: the driver (%s) does "
		                 "not report them",
		                 v->name, ctx->device.info.name, ctx->device.info.driver);
out:
	return rc;
}
