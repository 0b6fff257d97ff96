/* SPDX-License-Identifier: MIT */
/*
 * mapped.c - a product with a matrix in a file, larger than the device's memory.
 *
 * Files are mapped, so that the system reads pages of A on demand and writes pages of C at any
 * time: neither matrix has to fit into the host's memory.  The library moves A through the device
 * in bands.  Here the device's memory is limited to a few megabytes (clopt_options.mem_limit_bytes,
 * as by CLOPT_MEM_LIMIT), since 100 GB would take long.
 *
 *	mapped [FOLDER [ROWS]]     makes the files in FOLDER (TMPDIR, or /tmp) and removes them
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <clopt.h>

#define K ((size_t)1024) /* columns of A */
#define N ((size_t)64) /* columns of B and C */
#define LIMIT ((size_t)4 << 20)

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* A matrix of zeros in a new file.  The file has no name and ends with its mapping. */
static float *mapped(const char *folder, size_t bytes)
{
	char path[4096];
	void *at;
	int fd;

	if ((size_t)snprintf(path, sizeof path, "%s/mapped-XXXXXX", folder) >= sizeof path) {
		fprintf(stderr, "mapped: %.100s...: the name is too long\n", folder);
		exit(1);
	}
	fd = mkstemp(path);
	if (fd < 0)
		fail(path);
	unlink(path);
	/* Here a full disk is an error; otherwise it is a signal at some later store. */
	if (posix_fallocate(fd, 0, (off_t)bytes))
		fail("mapped: posix_fallocate");
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		fail("mapped: mmap");
	close(fd);
	return at;
}

static void fill(float *x, size_t n)
{
	unsigned long state = 1;

	for (; n; n--) {
		state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
		*x++ = (float)(state >> 8) / (float)(1ul << 23) - 0.5f;
	}
}

/* Whether a row of C is farther from the sums in double than rounding explains. */
static int wrong(const float *a, const float *b, const float *c, size_t row)
{
	size_t j, k;

	for (j = 0; j < N; j++) {
		double sum = 0, size = 0;

		for (k = 0; k < K; k++) {
			const double term = (double)a[row * K + k] * (double)b[k * N + j];

			sum += term;
			size += fabs(term);
		}
		if (!(fabs((double)c[row * N + j] - sum) <= 1e-5 * size)) {
			fprintf(stderr, "mapped: row %zu, column %zu is %g, not %g\n", row, j,
			        (double)c[row * N + j], sum);
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR"), *folder = argc > 1 ? argv[1] : tmp ? tmp : "/tmp";
	const size_t rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 6000;
	const size_t a_bytes = rows * K * sizeof(float), c_bytes = rows * N * sizeof(float);
	static float b[K * N];
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt *ctx;
	float *a, *c;
	size_t i;
	int bad;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		printf("Usage: mapped [FOLDER [ROWS]]\n");
		return 0;
	}
	if (argc > 3 || rows < 1 || rows > PTRDIFF_MAX / sizeof(float) / (K + N)) {
		fprintf(stderr, "Usage: mapped [FOLDER [ROWS]]\n");
		return 2;
	}
	a = mapped(folder, a_bytes);
	c = mapped(folder, c_bytes);
	fill(a, rows * K);
	fill(b, K * N);
	/* The library reads A once, from its beginning. */
	posix_madvise(a, a_bytes, POSIX_MADV_SEQUENTIAL);
	options.mem_limit_bytes = LIMIT;
	if (clopt_open(&ctx, &options)) {
		fprintf(stderr, "mapped: %s\n", clopt_error(NULL));
		return 1;
	}
	bad = clopt_matmul(ctx, rows, N, K, a, b, c) || clopt_last_report(ctx, &report);
	if (bad)
		fprintf(stderr, "mapped: %s\n", clopt_error(ctx));
	for (i = 0; i < rows && !bad; i += 37)
		bad = wrong(a, b, c, i);
	bad = bad || wrong(a, b, c, rows - 1);
	printf("%zu x %zu by %zu x %zu, %.1f MB of file through %.1f MB of device in %zu bands: "
	       "%s, %.3f s\n",
	       rows, K, K, N, 1e-6 * (double)(a_bytes + c_bytes), 1e-6 * (double)LIMIT,
	       report.bands, bad ? "WRONG" : "right", report.seconds);
	clopt_close(ctx);
	munmap(a, a_bytes);
	munmap(c, c_bytes);
	return bad;
}
