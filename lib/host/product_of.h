/* SPDX-License-Identifier: MIT */
/*
 * product_of.h - a template: the product of matrices of REAL, by vectors of BYTES.  NAME(x) is x
 * with a suffix of both, TARGET the processors it is compiled for.
 */
#define LANES (BYTES / sizeof(REAL))
#define WIDTH (2 * LANES) /* of a panel */

typedef REAL NAME(vector) __attribute__((vector_size(BYTES), may_alias));

/* Copy columns of op(B) from column j on; zeros follow the last one. */
static TARGET void NAME(copy_panel)(const struct host_product *p, size_t j, REAL *panel)
{
	const REAL *b = p->b;
	const size_t columns = p->n - j < WIDTH ? p->n - j : WIDTH;
	size_t i, l;

	if (columns < WIDTH)
		memset(panel, 0, p->k * WIDTH * sizeof *panel);
	for (l = 0; l < p->k && !p->turned_b; l++)
		if (columns == WIDTH)
			memcpy(panel + l * WIDTH, b + l * p->ldb + j, WIDTH * sizeof *panel);
		else
			memcpy(panel + l * WIDTH, b + l * p->ldb + j, columns * sizeof *panel);
	for (i = 0; i < columns && p->turned_b; i++)
		for (l = 0; l < p->k; l++)
			panel[l * WIDTH + i] = b[(j + i) * p->ldb + l];
}

/* Sum ROWS rows of C from row i on.  Rows after the last repeat it. */
static TARGET void NAME(sum_rows)(const struct host_product *p, size_t i, const REAL *panel,
                                  NAME(vector) s[ROWS][2])
{
	const size_t across = p->turned_a ? p->lda : 1, down = p->turned_a ? 1 : p->lda;
	const REAL *a = p->a, *row[ROWS];
	NAME(vector) s00 = { 0 }, s01 = { 0 }, s10 = { 0 }, s11 = { 0 }, s20 = { 0 }, s21 = { 0 };
	NAME(vector) s30 = { 0 }, s31 = { 0 }, s40 = { 0 }, s41 = { 0 }, s50 = { 0 }, s51 = { 0 };
	size_t l, r;

	for (r = 0; r < ROWS; r++)
		row[r] = a + (i + r < p->m ? i + r : p->m - 1) * down;
	for (l = 0; l < p->k; l++) {
		const NAME(vector) *b = (const NAME(vector) *)(panel + l * WIDTH);
		const NAME(vector) b0 = b[0], b1 = b[1];
		const size_t at = l * across;

		s00 += row[0][at] * b0;
		s01 += row[0][at] * b1;
		s10 += row[1][at] * b0;
		s11 += row[1][at] * b1;
		s20 += row[2][at] * b0;
		s21 += row[2][at] * b1;
		s30 += row[3][at] * b0;
		s31 += row[3][at] * b1;
		s40 += row[4][at] * b0;
		s41 += row[4][at] * b1;
		s50 += row[5][at] * b0;
		s51 += row[5][at] * b1;
	}
	s[0][0] = s00, s[0][1] = s01;
	s[1][0] = s10, s[1][1] = s11;
	s[2][0] = s20, s[2][1] = s21;
	s[3][0] = s30, s[3][1] = s31;
	s[4][0] = s40, s[4][1] = s41;
	s[5][0] = s50, s[5][1] = s51;
}

static TARGET void NAME(write_row)(const struct host_product *p, size_t i, size_t j,
                                   const NAME(vector) s[2])
{
	const REAL alpha = (REAL)p->alpha, beta = (REAL)p->beta;
	const REAL *sums = (const REAL *)s;
	REAL *c = (REAL *)p->c + i * p->ldc + j;
	size_t first = 0, end = p->n - j < WIDTH ? p->n - j : WIDTH;

	if (p->beta == 0 && !p->triangle && end == WIDTH) {
		const NAME(vector) row[2] = { alpha * s[0], alpha * s[1] };

		memcpy(c, row, sizeof row);
		return;
	}
	if (p->triangle > 0 && i > j)
		first = i - j;
	if (p->triangle < 0 && i + 1 < j + end)
		end = i + 1 > j ? i + 1 - j : 0;
	if (p->beta == 0)
		for (; first < end; first++)
			c[first] = alpha * sums[first];
	else
		for (; first < end; first++)
			c[first] = alpha * sums[first] + beta * c[first];
}

static TARGET void NAME(product)(const struct host_product *p)
{
	REAL panel[HOST_MOST_TERMS * WIDTH] __attribute__((aligned(BYTES)));
	NAME(vector) sums[ROWS][2];
	size_t i, j, r;

	for (j = 0; j < p->n; j += WIDTH) {
		NAME(copy_panel)(p, j, panel);
		for (i = 0; i < p->m; i += ROWS) {
			NAME(sum_rows)(p, i, panel, sums);
			for (r = 0; r < ROWS && i + r < p->m; r++)
				NAME(write_row)(p, i + r, j, sums[r]);
		}
	}
}

#undef WIDTH
#undef LANES
#undef TARGET
#undef NAME
#undef BYTES
#undef REAL
