/* SPDX-License-Identifier: MIT */
/*
 * product_of.h - a template: the product of matrices of REAL, by vectors of BYTES.  NAME(x) is x
 * with a suffix of both, TARGET the processors it is compiled for.  LOAD_SOME(at, n) and
 * STORE_SOME(at, n, v), if there are any, are for n elements of a vector; zeros follow them.
 */
#define LANES (BYTES / sizeof(REAL))
#define WIDEST (BYTES == 64 ? 4 : 2) /* vectors of a tile's row */
#define PIECE (16 / sizeof(REAL)) /* columns of a block for TURN, whose rows fill a vector */

/* At any address of a REAL. */
typedef REAL NAME(vector) __attribute__((vector_size(BYTES), may_alias, aligned(sizeof(REAL))));

/* Copy columns of op(B) from column j on to a panel of `width`; zeros follow the last one. */
static TARGET __attribute__((noinline)) void NAME(copy_panel)(const struct host_product *p,
                                                              size_t j, size_t width, REAL *panel)
{
	const REAL *b = (const REAL *)p->b + j * (p->turned_b ? p->ldb : 1);
	const size_t columns = p->n - j < width ? p->n - j : width;
	size_t i = 0, l;

	for (; i + LANES <= columns && !p->turned_b; i += LANES)
		for (l = 0; l < p->k; l++)
			*(NAME(vector) *)(panel + l * width + i) =
			        *(const NAME(vector) *)(b + l * p->ldb + i);
#ifdef LOAD_SOME
	for (; i < columns && !p->turned_b; i += LANES)
		for (l = 0; l < p->k; l++)
			*(NAME(vector) *)(panel + l * width + i) =
			        LOAD_SOME(b + l * p->ldb + i, columns - i);
#endif
	if (i < columns && columns < width)
		memset(panel, 0, p->k * width * sizeof *panel);
	for (l = 0; i < columns && l < p->k && !p->turned_b; l++)
		memcpy(panel + l * width, b + l * p->ldb, columns * sizeof *panel);
	if (!p->turned_b)
		return;
#if defined TURN && defined TURNS
	for (; i + LANES <= columns; i += LANES, b += LANES * p->ldb) {
		for (l = 0; l + PIECE <= p->k; l += PIECE)
			TURN(b + l, p->ldb, panel + l * width + i, width);
		for (; l < p->k; l++) {
			size_t r;

			for (r = 0; r < LANES; r++)
				panel[l * width + i + r] = b[r * p->ldb + l];
		}
	}
#endif
	for (; i < columns; i++, b += p->ldb)
		for (l = 0; l < p->k; l++)
			panel[l * width + i] = b[l];
}

/* Write rows of C that end at its edge or diagonal.  `sums` are times alpha. */
static TARGET __attribute__((noinline)) void NAME(write_edge)(const struct host_product *p,
                                                              size_t i, size_t j, const REAL *sums,
                                                              size_t rows, size_t width)
{
	const REAL beta = (REAL)p->beta;
	const size_t columns = p->n - j < width ? p->n - j : width, end_row = i + rows;

	for (; i < end_row; i++, sums += width) {
		REAL *c = (REAL *)p->c + i * p->ldc + j;
		size_t at = 0, end = columns;

		if (p->triangle > 0 && i > j)
			at = i - j;
		if (p->triangle < 0 && i + 1 < j + end)
			end = i + 1 > j ? i + 1 - j : 0;
#ifdef LOAD_SOME
		for (; at < end; at += LANES) {
			const size_t n = end - at < LANES ? end - at : LANES;
			NAME(vector) v = LOAD_SOME(sums + at, n);

			if (beta != 0)
				v += beta * LOAD_SOME(c + at, n);
			STORE_SOME(c + at, n, v);
		}
#endif
		for (; at < end; at++)
			c[at] = beta == 0 ? sums[at] : sums[at] + beta * c[at];
	}
}

/* A tile of C from row i and column j on, `wide` vectors wide.  Row l of op(B) is at b + l * ld. */
static TARGET INLINE void NAME(tile)(const struct host_product *p, size_t i, size_t j,
                                     const REAL *b, size_t ld, const size_t rows, const size_t wide)
{
	const REAL alpha = (REAL)p->alpha, beta = (REAL)p->beta;
	const int fresh = p->beta == 0;
	const size_t k = p->k, ldc = p->ldc, across = p->turned_a ? p->lda : 1,
	             down = p->turned_a ? 1 : p->lda;
	const REAL *a[MOST_ROWS / 4];
	REAL *c = (REAL *)p->c + i * p->ldc + j;
	NAME(vector) s[MOST_ROWS][WIDEST];
	size_t l, r, v;

	UNROLL for (r = 0; r < rows; r++)
	{
		UNROLL for (v = 0; v < wide; v++)
		{
			s[r][v] = (NAME(vector)){ 0 };
		}
	}
	/* Each fourth row has a pointer, which the compiler cannot see through: more would not fit
	 * into the registers. */
	UNROLL for (r = 0; r < rows; r += 4)
	{
		a[r / 4] = (const REAL *)p->a + (i + r) * down;
		__asm__("" : "+r"(a[r / 4]));
	}
	for (l = 0; l < k; l++, b += ld) {
		NAME(vector) row[WIDEST];

		UNROLL for (v = 0; v < wide; v++)
		{
			row[v] = *(const NAME(vector) *)(b + v * LANES);
		}
		UNROLL for (r = 0; r < rows; r++)
		{
			UNROLL for (v = 0; v < wide; v++)
			{
				s[r][v] += a[r / 4][r % 4 * down] * row[v];
			}
		}
		UNROLL for (r = 0; r < rows; r += 4)
		{
			a[r / 4] += across;
		}
	}
	if (p->triangle || p->n - j < wide * LANES) {
		REAL sums[24 * LANES]; /* 6 x 4 vectors, the largest tile */

		UNROLL for (r = 0; r < rows; r++)
		{
			UNROLL for (v = 0; v < wide; v++)
			{
				*(NAME(vector) *)(sums + (r * wide + v) * LANES) = alpha * s[r][v];
			}
		}
		NAME(write_edge)(p, i, j, sums, rows, wide * LANES);
		return;
	}
	UNROLL for (r = 0; r < rows; r++, c += ldc)
	{
		UNROLL for (v = 0; v < wide; v++)
		{
			NAME(vector) *to = (NAME(vector) *)(c + v * LANES);

			s[r][v] *= alpha;
			ROUND(s[r][v]);
			if (!fresh)
				s[r][v] += beta * *to;
			*to = s[r][v];
		}
	}
}

/* Rows of the next tile, of those that are left.  The widest tiles have 6, or else are alike, since
 * with few sums the processor waits for them. */
static size_t NAME(rows)(size_t left, size_t wide)
{
	if (wide == WIDEST && left > 3)
		return left >= 12 ? 6 : left > 6 ? (left + 1) / 2 : left;
	if (WIDEST == 4 && wide == 1 && left >= 16)
		return 16;
	return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

static TARGET void NAME(product)(const struct host_product *p)
{
	REAL panel[HOST_MOST_TERMS * 2 * LANES] __attribute__((aligned(BYTES)));
	/* Else rows of B stay in a near cache. */
	const int packs =
	        p->turned_b || (p->m > 12 && p->k * p->ldb * sizeof(REAL) > BYTES_IN_PLACE(BYTES));
	size_t i, j, rows, wide;
	int copied;

	for (j = 0; j < p->n; j += wide * LANES) {
		const REAL *b = (const REAL *)p->b + j;
		size_t ld = p->ldb;

		wide = p->n - j <= LANES ? 1 : p->n - j <= 3 * LANES ? 2 : WIDEST;
		copied = packs || p->n - j < wide * LANES;
		if (copied && wide * p->k > 2 * HOST_MOST_TERMS) /* than the panel has room for */
			wide = 2;
		if (copied) {
			ld = wide * LANES;
			NAME(copy_panel)(p, j, ld, panel);
			b = panel;
		}
		for (i = 0; i < p->m; i += rows) {
			rows = NAME(rows)(p->m - i, wide);
#define TILE(r, w) \
	case w * 32 + r: \
		NAME(tile)(p, i, j, b, ld, r, w); \
		break
			switch (wide * 32 + rows) {
				TILE(1, 1);
				TILE(2, 1);
				TILE(4, 1);
				TILE(8, 1);
#if BYTES == 64
				TILE(16, 1);
				TILE(1, 2);
				TILE(2, 2);
				TILE(4, 2);
				TILE(8, 2);
#endif
				TILE(1, WIDEST);
				TILE(2, WIDEST);
				TILE(4, WIDEST);
				TILE(5, WIDEST);
				TILE(6, WIDEST);
			}
#undef TILE
		}
	}
}

#undef WIDEST
#undef PIECE
#undef LOAD_SOME
#undef STORE_SOME
#undef TURN
#undef LANES
#undef TARGET
#undef NAME
#undef BYTES
#undef REAL
