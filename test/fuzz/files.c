/* SPDX-License-Identifier: MIT */
/*
 * files.c - what the library reads from files, the environment and texts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/hash.h"
#include "choose/choose.h"
#include "device/device.h"
#include "fuzz.h"

/* A folder for this process, which is removed at its end. */
static char folder[64], path[128];

static void leave(void)
{
	unlink(path);
	rmdir(folder);
}

static void write_file(const char *name, const void *head, size_t head_bytes, const uint8_t *data,
                       size_t size, const void *tail, size_t tail_bytes)
{
	FILE *f;

	if (!*folder) {
		strcpy(folder, "/tmp/clopt-fuzz-XXXXXX");
		if (!mkdtemp(folder))
			fuzz_wrong("no folder");
		atexit(leave);
	}
	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (!f || fchmod(fileno(f), 0600) || fwrite(head, 1, head_bytes, f) != head_bytes ||
	    fwrite(data, 1, size, f) != size || fwrite(tail, 1, tail_bytes, f) != tail_bytes ||
	    fclose(f))
		fuzz_wrong("%s cannot be written", path);
}

/* Lines of the user's file; %D stands for this device and its driver. */
void fuzz_records(const uint8_t *data, size_t size)
{
	static char text[1 << 16];
	struct clopt *ctx = fuzz_context();
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 300, 300, 300 } };
	size_t i, n, used = 0;

	for (i = 0; i < size && used + 1024 < sizeof text; i++)
		if (data[i] == '%' && i + 1 < size && data[i + 1] == 'D') {
			used += (size_t)sprintf(text + used, "%s; %s", ctx->device.info.name,
			                        ctx->device.info.driver);
			i++;
		} else {
			text[used++] = (char)data[i];
		}
	write_file("tuning.txt", "", 0, (uint8_t *)text, used, "", 0);
	clopt__records_free(ctx);
	if (clopt__records_open(ctx, path, 1) != CLOPT_OK)
		fuzz_wrong("records: %s", clopt_error(NULL));
	n = clopt_tuning_records(ctx, text, sizeof text);
	for (i = 0; text[i]; i++)
		n -= text[i] == '\n';
	if (n && strlen(text) + 1 < sizeof text)
		fuzz_wrong("%zu records have no line", n);
	if (!clopt_chosen_variant(ctx, &p))
		fuzz_wrong("no variant: %s", clopt_error(ctx));
}

/* An entry as it is, then with a right head and hash: lengths from its first bytes, key and
 * content. */
void fuzz_cache(const uint8_t *data, size_t size)
{
	static const char *const kinds[] = { "program", "verdict" };
	struct head {
		char magic[8];
		uint64_t format, key_bytes, bytes;
	} head = { "clopt\r\n", STORE_FORMAT, 0, 0 };
	const char *kind = kinds[size % 2];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_cache_entry entry = { .size = sizeof entry };
	struct hash hash = clopt__hash_empty();
	char name[64];
	size_t n;

	snprintf(name, sizeof name, "%s-%032d.clopt", kind, 7);
	o.cache_dir = folder;
	write_file(name, "", 0, data, size, "", 0);
	if (clopt_cache_list(&o, &entry, 1, &n) != CLOPT_OK || n != 1)
		fuzz_wrong("a cache of one file: %zu, %s", n, clopt_error(NULL));
	if (size) {
		head.key_bytes = data[0] % size;
		head.bytes = size - 1 - head.key_bytes + (data[0] == 255);
		clopt__hash_add(&hash, kind, strlen(kind));
		clopt__hash_add(&hash, &head, sizeof head);
		clopt__hash_add(&hash, data + 1, size - 1);
		write_file(name, &head, sizeof head, data + 1, size - 1, &hash, sizeof hash);
		if (clopt_cache_list(&o, &entry, 1, &n) != CLOPT_OK || n != 1)
			fuzz_wrong("a cache of one entry: %zu, %s", n, clopt_error(NULL));
		if (memchr(entry.what, '\n', sizeof entry.what))
			fuzz_wrong("a name of two lines");
	}
	if (clopt_cache_clear(&o) != CLOPT_OK || access(path, F_OK) == 0)
		fuzz_wrong("not cleared: %s", clopt_error(NULL));
}

/* A variable of the environment, which the first byte chooses. */
void fuzz_settings(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"CLOPT_DEVICE",   "CLOPT_QUEUES", "CLOPT_MEM_LIMIT", "CLOPT_VERBOSE",
		"CLOPT_TRANSFER", "CLOPT_SLICE",  "CLOPT_CHECK",     "CLOPT_SHARE",
		"CLOPT_SMALL",    "CLOPT_QUIRKS", "SLURM_LOCALID",
	};
	struct bytes b = { data, size };
	const unsigned which = fuzz_byte(&b) % (sizeof names / sizeof *names);
	char *text = fuzz_text(b.at, b.left);
	static const struct clopt quiet;
	struct settings s;
	unsigned lifted = 0;
	struct device *list = NULL;
	size_t count = 0;
	int rc;

	fuzz_context();
	setenv(names[which], text, 1);
	rc = clopt__settings(NULL, &s);
	if (rc == CLOPT_OK)
		rc = clopt__lifted(NULL, &lifted);
	if (rc == CLOPT_OK && (which == 0 || which == 11))
		rc = clopt__devices_pick(which ? "gpu#rank" : text, names[which], lifted, &quiet,
		                         &list, &count);
	if (rc != CLOPT_OK && (rc != CLOPT_EINVAL && rc != CLOPT_ENODEVICE))
		fuzz_wrong("%s=\"%s\": %s", names[which], text, clopt_strerror(rc));
	if (rc != CLOPT_OK && !*clopt_error(NULL))
		fuzz_wrong("%s=\"%s\": no text", names[which], text);
	if (rc == CLOPT_OK && which == 0 && !count)
		fuzz_wrong("\"%s\" names no device", text);
	free(list);
	unsetenv(names[which]);
	free(text);
}

void fuzz_variants(const uint8_t *data, size_t size)
{
	struct clopt *ctx = fuzz_context();
	char *text = fuzz_text(data, size);
	const int rc = clopt_force_variants(ctx, text);

	if (rc != CLOPT_OK && (rc != CLOPT_EINVAL || !*clopt_error(ctx)))
		fuzz_wrong("\"%s\": %s", text, clopt_strerror(rc));
	clopt_force_variants(ctx, NULL);
	free(text);
}
