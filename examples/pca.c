/* SPDX-License-Identifier: MIT */
/*
 * pca.c - principal components of a table: which mixtures of its columns best separate its rows?
 *
 * The columns are scaled to mean 0 and variance 1.  The library computes their correlations
 * (clopt_syrk, X^T X), the host the few eigenvectors V, and the library the rows' coordinates along
 * the components (X V).  A row of the table is a name and numbers, separated by commas; the first
 * line has the names of the columns.
 *
 *	pca examples/data/elements.csv
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clopt.h>

#define COLUMNS 64 /* at most */
#define LINE 4096

struct table {
	size_t rows, columns;
	char name[COLUMNS][32], (*row)[32];
	float *x; /* rows x columns */
};

static void refuse(const char *path, size_t line, const char *why)
{
	fprintf(stderr, "pca: %s:%zu: %s\n", path, line, why);
	exit(1);
}

static void *more(void *memory, size_t bytes)
{
	memory = realloc(memory, bytes);
	if (!memory) {
		fprintf(stderr, "pca: no memory for %zu bytes\n", bytes);
		exit(1);
	}
	return memory;
}

/* The field at *s, cut at its comma.  *s moves to the next field; NULL after the last. */
static char *field(char **s)
{
	char *begin = *s, *comma = strchr(begin, ',');

	*s = comma ? comma + 1 : NULL;
	if (comma)
		*comma = 0;
	return begin;
}

static void read_table(struct table *t, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[LINE], *s, *word, *end;
	size_t n = 0, j;

	if (!f) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof line, f)) {
		n++;
		if (!strchr(line, '\n') && !feof(f))
			refuse(path, n, "the line is too long");
		line[strcspn(line, "\r\n")] = 0;
		s = line;
		if (n == 1) {
			for (field(&s); s; t->columns++) {
				if (t->columns == COLUMNS)
					refuse(path, n, "too many columns");
				snprintf(t->name[t->columns], sizeof *t->name, "%.31s", field(&s));
			}
			continue;
		}
		t->row = more(t->row, n * sizeof *t->row);
		t->x = more(t->x, n * t->columns * sizeof *t->x + 1);
		snprintf(t->row[t->rows], sizeof *t->row, "%.31s", field(&s));
		for (j = 0; j < t->columns; j++) {
			if (!s)
				refuse(path, n, "a field is missing");
			word = field(&s);
			t->x[t->rows * t->columns + j] = strtof(word, &end);
			if (end == word || *end)
				refuse(path, n, "a field is not a number");
		}
		if (s)
			refuse(path, n, "there is a field too many");
		t->rows++;
	}
	fclose(f);
	if (t->rows < 2 || t->columns < 2)
		refuse(path, n, "a table has two rows and two columns at least");
}

/* Scale each column to mean 0 and variance 1. */
static void standardise(struct table *t, const char *path)
{
	size_t i, j;

	for (j = 0; j < t->columns; j++) {
		double mean = 0, variance = 0, d;

		for (i = 0; i < t->rows; i++)
			mean += (double)t->x[i * t->columns + j] / (double)t->rows;
		for (i = 0; i < t->rows; i++) {
			d = (double)t->x[i * t->columns + j] - mean;
			variance += d * d / (double)(t->rows - 1);
		}
		if (!(variance > 0))
			refuse(path, 1, "a column has one value only");
		for (i = 0; i < t->rows; i++) {
			d = (double)t->x[i * t->columns + j] - mean;
			t->x[i * t->columns + j] = (float)(d / sqrt(variance));
		}
	}
}

/* Jacobi's method.  The diagonal of a becomes the eigenvalues, the rows of v the eigenvectors. */
static void eigenvectors(double *a, double *v, size_t n)
{
	size_t i, j, k, sweep;

	for (i = 0; i < n * n; i++)
		v[i] = i % (n + 1) == 0;
	for (sweep = 0; sweep < 30; sweep++)
		for (i = 0; i < n; i++)
			for (j = i + 1; j < n; j++) {
				const double turn =
				        atan2(2 * a[i * n + j], a[i * n + i] - a[j * n + j]) / 2;
				const double c = cos(turn), s = sin(turn);

				for (k = 0; k < n; k++) {
					const double p = a[i * n + k], q = a[j * n + k];
					const double x = v[i * n + k], y = v[j * n + k];

					a[i * n + k] = c * p + s * q;
					a[j * n + k] = c * q - s * p;
					v[i * n + k] = c * x + s * y;
					v[j * n + k] = c * y - s * x;
				}
				for (k = 0; k < n; k++) {
					const double p = a[k * n + i], q = a[k * n + j];

					a[k * n + i] = c * p + s * q;
					a[k * n + j] = c * q - s * p;
				}
			}
}

/* Sort by eigenvalue, largest first. */
static void sort(double *value, double *v, size_t n)
{
	size_t i, j, k;

	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			if (value[j] > value[i]) {
				double t = value[i];

				value[i] = value[j];
				value[j] = t;
				for (k = 0; k < n; k++) {
					t = v[i * n + k];
					v[i * n + k] = v[j * n + k];
					v[j * n + k] = t;
				}
			}
}

/* Check sums over the rows in double: the correlations of the columns, and those of the coordinates
 * along the components, which are the eigenvalues on the diagonal and 0 elsewhere.  Returns the
 * largest difference. */
static double check(const struct table *t, const float *r, const float *place, const double *value)
{
	const size_t n = t->columns;
	double worst = 0;
	size_t i, j, k;

	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++) {
			double columns = 0, places = 0, off;

			for (k = 0; k < t->rows; k++) {
				columns += (double)t->x[k * n + i] * (double)t->x[k * n + j];
				places += (double)place[k * n + i] * (double)place[k * n + j];
			}
			off = fabs(columns / (double)(t->rows - 1) - (double)r[i * n + j]);
			off += fabs(places / (double)(t->rows - 1) - (i == j ? value[i] : 0));
			worst = off <= worst ? worst : off; /* a NaN, too */
		}
	return worst;
}

static void tell(const struct table *t, const double *value, const double *v, const float *place)
{
	const size_t n = t->columns;
	size_t i, c, low, high;

	for (c = 0; c < 2; c++) {
		for (low = high = i = 0; i < t->rows; i++) {
			low = place[i * n + c] < place[low * n + c] ? i : low;
			high = place[i * n + c] > place[high * n + c] ? i : high;
		}
		printf("component %zu: %.1f %% of the variance, from %s (%.2f) to %s (%.2f)\n",
		       c + 1, 100 * value[c] / (double)n, t->row[low], (double)place[low * n + c],
		       t->row[high], (double)place[high * n + c]);
		for (i = 0; i < n; i++)
			printf("    %-18s %+.3f\n", t->name[i], v[c * n + i]);
	}
}

int main(int argc, char **argv)
{
	static float r[COLUMNS * COLUMNS], vectors[COLUMNS * COLUMNS];
	static double a[COLUMNS * COLUMNS], v[COLUMNS * COLUMNS], value[COLUMNS];
	struct table t = { 0 };
	struct clopt *ctx;
	float *place;
	size_t i, n;
	double off;

	n = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
	if (argc != 2 || n) {
		fprintf(n ? stdout : stderr, "Usage: pca TABLE.csv\n");
		return n ? 0 : 2;
	}
	read_table(&t, argv[1]);
	standardise(&t, argv[1]);
	n = t.columns;
	place = more(NULL, t.rows * n * sizeof *place);
	if (clopt_open(&ctx, NULL) ||
	    clopt_syrk(ctx, CLOPT_TYPE_FLOAT, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_UPLO_LOWER,
	               CLOPT_TRANS_YES, n, t.rows, 1 / (double)(t.rows - 1), t.x, n, 0, r, n)) {
		fprintf(stderr, "pca: %s\n", clopt_error(ctx));
		return 1;
	}
	for (i = 0; i < n * n; i++) /* mirror the lower triangle */
		a[i] = (double)r[i % n > i / n ? i % n * n + i / n : i];
	eigenvectors(a, v, n);
	for (i = 0; i < n; i++)
		value[i] = a[i * n + i];
	sort(value, v, n);
	for (i = 0; i < n * n; i++)
		vectors[i] = (float)v[i];
	if (clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_YES, t.rows, n, n,
	                1, t.x, n, vectors, n, 0, place, n)) {
		fprintf(stderr, "pca: %s\n", clopt_error(ctx));
		return 1;
	}
	clopt_close(ctx);
	off = check(&t, r, place, value);
	printf("%zu rows of %zu columns; sums in double differ by at most %.1g\n", t.rows, n, off);
	tell(&t, value, v, place);
	free(t.row);
	free(t.x);
	free(place);
	return off <= 1e-4 ? 0 : 1;
}
