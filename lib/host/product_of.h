/* SPDX-License-Identifier: MIT */
/*
 * product_of.h - a template: the product of matrices of REAL, by vectors of BYTES.  NAME(x) is x
 * with a suffix of both, TARGET the processors it is compiled for.
 */
#define LANES (BYTES / sizeof(REAL))
#define WIDTH (2 * LANES) /* of a panel */
#define PIECE (16 / sizeof(REAL)) /* columns of a block for TURN; it has twice as many rows */
#define ROWS_OF_BLOCK (2 * PIECE)

/* At any address of a REAL. */
typedef REAL NAME(vector) __attribute__((vector_size(BYTES), may_alias, aligned(sizeof(REAL))));

/* Copy columns of op(B) from column j on; zeros follow the last one. */
static TARGET void NAME(copy_panel)(const struct host_product *p, size_t j, REAL *panel)
{
	const REAL *b = (const REAL *)p->b + j * (p->turned_b ? p->ldb : 1);
	const size_t columns = p->n - j < WIDTH ? p->n - j : WIDTH;
	size_t i = 0, l;

	if (columns < WIDTH)
		memset(panel, 0, p->k * WIDTH * sizeof *panel);
	for (l = 0; l < p->k && !p->turned_b; l++)
		if (columns == WIDTH)
			memcpy(panel + l * WIDTH, b + l * p->ldb, WIDTH * sizeof *panel);
		else
			memcpy(panel + l * WIDTH, b + l * p->ldb, columns * sizeof *panel);
#if defined TURN && defined TURNS
	for (; i + ROWS_OF_BLOCK <= columns && p->turned_b;
	     i += ROWS_OF_BLOCK, b += ROWS_OF_BLOCK * p->ldb) {
		for (l = 0; l + PIECE <= p->k; l += PIECE)
			TURN(b + l, p->ldb, panel + l * WIDTH + i, WIDTH);
		for (; l < p->k; l++) {
			size_t r;

			for (r = 0; r < ROWS_OF_BLOCK; r++)
				panel[l * WIDTH + i + r] = b[r * p->ldb + l];
		}
	}
#endif
	for (; i < columns && p->turned_b; i++, b += p->ldb)
		for (l = 0; l < p->k; l++)
			panel[l * WIDTH + i] = b[l];
}

/* Write rows of C that end at its edge or diagonal.  `sums` are times alpha. */
static TARGET __attribute__((noinline)) void
NAME(write_edge)(const struct host_product *p, size_t i, size_t j, const REAL *sums, size_t rows)
{
	const REAL beta = (REAL)p->beta;
	const size_t columns = p->n - j < WIDTH ? p->n - j : WIDTH, end_row = i + rows;

	for (; i < end_row; i++, sums += WIDTH) {
		REAL *c = (REAL *)p->c + i * p->ldc + j;
		size_t first = 0, end = columns;

		if (p->triangle > 0 && i > j)
			first = i - j;
		if (p->triangle < 0 && i + 1 < j + end)
			end = i + 1 > j ? i + 1 - j : 0;
		for (; first < end; first++)
			c[first] = beta == 0 ? sums[first] : sums[first] + beta * c[first];
	}
}

/* A tile of C from row i and column j on, `wide` vectors wide.  Row l of op(B) is at b + l * ld. */
static TARGET INLINE void NAME(tile)(const struct host_product *p, size_t i, size_t j,
                                     const REAL *b, size_t ld, const size_t rows, const size_t wide)
{
	const REAL alpha = (REAL)p->alpha, beta = (REAL)p->beta;
	const int fresh = p->beta == 0;
	const size_t ldc = p->ldc, across = p->turned_a ? p->lda : 1,
	             down = p->turned_a ? 1 : p->lda;
	const REAL *a = (const REAL *)p->a + i * down;
	REAL *c = (REAL *)p->c + i * p->ldc + j;
	NAME(vector) s[MOST_ROWS][2];
	size_t l, r, v;

	UNROLL for (r = 0; r < rows; r++)
	{
		UNROLL for (v = 0; v < wide; v++)
		{
			s[r][v] = (NAME(vector)){ 0 };
		}
	}
	for (l = 0; l < p->k; l++, a += across, b += ld) {
		NAME(vector) row[2];

		UNROLL for (v = 0; v < wide; v++)
		{
			row[v] = *(const NAME(vector) *)(b + v * LANES);
		}
		UNROLL for (r = 0; r < rows; r++)
		{
			UNROLL for (v = 0; v < wide; v++)
			{
				s[r][v] += a[r * down] * row[v];
			}
		}
	}
	if (p->triangle || p->n - j < wide * LANES) {
		NAME(vector) sums[MOST_ROWS][2];

		UNROLL for (r = 0; r < rows; r++)
		{
			UNROLL for (v = 0; v < wide; v++)
			{
				sums[r][v] = alpha * s[r][v];
			}
		}
		NAME(write_edge)(p, i, j, (const REAL *)sums, rows);
		return;
	}
	UNROLL for (r = 0; r < rows; r++, c += ldc)
	{
		UNROLL for (v = 0; v < wide; v++)
		{
			NAME(vector) *to = (NAME(vector) *)(c + v * LANES);

			s[r][v] *= alpha;
			if (!fresh)
				s[r][v] += beta * *to;
			*to = s[r][v];
		}
	}
}

/* Rows of the next tile, of those that are left.  A pair of vectors wide, tiles have 6, or else are
 * alike, since with few sums the processor waits for them. */
static size_t NAME(rows)(size_t left, int wide)
{
	if (wide && left > 3)
		return left >= 12 ? 6 : left > 6 ? (left + 1) / 2 : left;
	return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

static TARGET void NAME(product)(const struct host_product *p)
{
	REAL panel[HOST_MOST_TERMS * WIDTH] __attribute__((aligned(BYTES)));
	/* Else rows of B stay in the nearest cache. */
	const int packs =
	        p->turned_b || (p->m > 12 && p->k * p->ldb * sizeof(REAL) > BYTES_IN_PLACE);
	size_t i, j, rows;

	for (j = 0; j < p->n; j += WIDTH) {
		const REAL *b = (const REAL *)p->b + j;
		const int wide = p->n - j > LANES;
		const int copied = packs || p->n - j < (wide ? WIDTH : LANES);
		const size_t ld = copied ? WIDTH : p->ldb;

		if (copied) {
			NAME(copy_panel)(p, j, panel);
			b = panel;
		}
		for (i = 0; i < p->m; i += rows) {
			rows = NAME(rows)(p->m - i, wide);
#define TILE(r, w) NAME(tile)(p, i, j, b, ld, r, w)
			switch (rows + (wide ? MOST_ROWS : 0)) {
			case 1:
				TILE(1, 1);
				break;
			case 2:
				TILE(2, 1);
				break;
			case 4:
				TILE(4, 1);
				break;
			case 8:
				TILE(8, 1);
				break;
			case MOST_ROWS + 1:
				TILE(1, 2);
				break;
			case MOST_ROWS + 2:
				TILE(2, 2);
				break;
			case MOST_ROWS + 4:
				TILE(4, 2);
				break;
			case MOST_ROWS + 5:
				TILE(5, 2);
				break;
			default:
				TILE(6, 2);
			}
#undef TILE
		}
	}
}

#undef WIDTH
#undef PIECE
#undef ROWS_OF_BLOCK
#undef TURN
#undef LANES
#undef TARGET
#undef NAME
#undef BYTES
#undef REAL
