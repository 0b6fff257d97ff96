/* SPDX-License-Identifier: MIT */
/*
 * fuzz.c - the list of targets, and what they share.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const struct target {
	const char *name;
	void (*run)(const uint8_t *data, size_t size);
} targets[] = {
	{ "pqr", fuzz_pqr },           { "msms", fuzz_msms },         { "points", fuzz_points },
	{ "bodies", fuzz_bodies },     { "records", fuzz_records },   { "cache", fuzz_cache },
	{ "settings", fuzz_settings }, { "variants", fuzz_variants }, { "map", fuzz_map },
};
#define TARGETS (sizeof targets / sizeof *targets)

unsigned fuzz_byte(struct bytes *b)
{
	if (!b->left)
		return 0;
	b->left--;
	return *b->at++;
}

struct clopt *fuzz_context(void)
{
	static struct clopt *ctx;
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.check = CLOPT_CHECK_OFF;
	if (!ctx && clopt_open(&ctx, &o) != CLOPT_OK)
		fuzz_wrong("no context: %s", clopt_error(NULL));
	return ctx;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		fuzz_wrong("no memory");
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

void fuzz_wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name = getenv("FUZZ_TARGET");
	size_t i;

	for (i = 0; name && i < TARGETS; i++)
		if (!strcmp(name, targets[i].name)) {
			targets[i].run(data, size);
			return 0;
		}
	fuzz_wrong("FUZZ_TARGET names none");
}
