/* SPDX-License-Identifier: MIT */
/*
 * table.c - rules for the rows of the table.  Needs no device, so a bad row fails in milliseconds.
 */
#include <string.h>

#include "base/context.h"
#include "table/table.h"
#include "suites.h"

static const struct source *source(const char *file, size_t length)
{
	const struct source *s = clopt__sources;

	while (s->file && (strncmp(s->file, file, length) || s->file[length]))
		s++;
	return s;
}

/* Whether all these files exist; names are separated by blanks. */
static int exist(const char *files)
{
	size_t n;

	for (; files && *files; files += n + (files[n] == ' ')) {
		n = strcspn(files, " ");
		if (!source(files, n)->file)
			return 0;
	}
	return 1;
}

START_TEST(files_exist)
{
	const struct variant *v;
	int i, op;

	for (op = 0; op < CLOPT_OPS; op++)
		for (i = 0; i < 3; i++)
			ck_assert(exist(clopt__ops[op]->prelude[i]));
	for (v = clopt__variant(0); v; v = clopt__next_variant(v))
		ck_assert_msg(exist(v->file) && exist(v->prelude), "%s: no cl/%s or cl/%s", v->name,
		              v->file, v->prelude);
}
END_TEST

START_TEST(files_are_used)
{
	const struct source *s;
	const struct variant *v;
	int i, op, used;

	for (s = clopt__sources; s->file; s++) {
		used = !strcmp(s->file, "common.clh") || !strcmp(s->file, clopt__epilogue_row.file);
		for (op = 0; op < CLOPT_OPS; op++)
			for (i = 0; i < 3; i++)
				used |= clopt__ops[op]->prelude[i] &&
				        !strcmp(clopt__ops[op]->prelude[i], s->file);
		for (i = 0; i < CLOPT_LAWS; i++)
			used |= clopt__laws[i].file && !strcmp(clopt__laws[i].file, s->file);
		for (v = clopt__variant(0); v; v = clopt__next_variant(v))
			used |= !strcmp(v->file, s->file) ||
			        (v->prelude && strstr(v->prelude, s->file));
		ck_assert_msg(used, "cl/%s is in no row", s->file);
	}
}
END_TEST

START_TEST(names)
{
	const struct variant *v, *w;
	size_t n;

	for (v = clopt__variant(0); v; v = clopt__next_variant(v)) {
		n = strlen(clopt__ops[v->op]->name);
		ck_assert_msg(!strncmp(v->name, clopt__ops[v->op]->name, n) && v->name[n] == '/',
		              "%s does not begin with %s/", v->name, clopt__ops[v->op]->name);
		ck_assert(!strchr(v->name, ','));
		for (w = clopt__variant(0); w != v; w = clopt__next_variant(w))
			ck_assert_msg(strcmp(w->name, v->name), "two rows %s", v->name);
	}
}
END_TEST

START_TEST(geometry)
{
	const struct variant *v;

	for (v = clopt__variant(0); v; v = clopt__next_variant(v)) {
		const size_t computing =
		        clopt__option_number(v, "CONSUMERS"); /* the others fetch */
		const size_t items = computing ? computing : v->wg[0] * v->wg[1];
		const size_t results = v->out[0] * v->out[1];

		ck_assert_msg(items && results && (results % items == 0 || items % results == 0),
		              "%s: %zu results for %zu work-items", v->name, results, items);
		ck_assert(v->wg[0] * v->wg[1] <= 1024);
		ck_assert(clopt__ops[v->op]->extent[1] != NO_DIM || v->out[1] == 1);
		ck_assert((v->images | v->texels) >> clopt__ops[v->op]->operands == 0);
		ck_assert(!(v->images & v->texels));
		ck_assert(!(v->images | v->texels) || (v->needs & T_IMAGES));
	}
}
END_TEST

/* Each operation's rows are contiguous and end with a row for any device. */
START_TEST(always_an_answer)
{
	int seen[CLOPT_OPS] = { 0 };
	const struct variant *v;
	int op;

	for (v = clopt__variant(0); v; v = clopt__next_variant(v)) {
		const int last = !v[1].name || v[1].op != v->op;

		ck_assert_msg(!last || (!v->needs && !v->likes && !v->images && !v->texels &&
		                        v->wg[0] * v->wg[1] == 1),
		              "%s is the last row of its operation but is particular", v->name);
		seen[v->op] += last;
	}
	for (op = 0; op < CLOPT_OPS; op++)
		ck_assert_int_eq(seen[op], 1);
}
END_TEST

/* Whether a row for `those` also serves `these`; 0 stands for all. */
static int covers(unsigned these, unsigned those)
{
	return !these || (those && !(those & ~these));
}

/* A row below another row that requires no more is never picked.  (Rows that read images are passed
 * over when a shape does not fit an image; study rows are never picked.) */
START_TEST(each_can_be_picked)
{
	const struct variant *v, *w;

	for (v = clopt__variant(0); v; v = clopt__next_variant(v))
		for (w = clopt__variant(0); w != v; w = clopt__next_variant(w))
			ck_assert_msg(
			        v->likes & T_STUDY || w->op != v->op || w->images || w->texels ||
			                w->few || w->fill || w->deep || w->host ||
			                (w->outputs == 1u << CLOPT_OUTPUTS_JERK &&
			                 w->outputs != v->outputs) ||
			                (w->rows16 && !v->rows16) || (w->uneven && !v->uneven) ||
			                w->wg[0] * w->wg[1] > v->wg[0] * v->wg[1] ||
			                (v->precisions & ~w->precisions) || w->laws ||
			                w->math > v->math || !covers(w->shapes, v->shapes) ||
			                !covers(w->types, v->types) ||
			                ((w->needs | w->likes) & ~(v->needs | v->likes)),
			        "%s is always picked before %s", w->name, v->name);
}
END_TEST

/* Shapes of a product's sizes, also of unusual sizes. */
START_TEST(shapes_of_sizes)
{
	static const struct {
		size_t m, n, k;
		unsigned shape;
	} cases[] = {
		{ 2, 0, 1024, SHAPE_DEEP },
		{ 64, 64, 1024, SHAPE_DEEP },
		{ 65, 64 * 8, 1024, SHAPE_DEEP },
		{ 65, 64 * 8 + 1, 1024, SHAPE_PLAIN },
		{ SIZE_MAX, SIZE_MAX, SIZE_MAX, SHAPE_PLAIN },
		{ 2, SIZE_MAX - 40, 1024, SHAPE_PLAIN },
		{ SIZE_MAX - 40, 2, 1024, SHAPE_PLAIN },
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct clopt_problem p = { .op = CLOPT_OP_MATMUL,
			                         .dim = { cases[i].m, cases[i].n, cases[i].k },
			                         .batch = 1 };

		ck_assert_uint_eq(clopt__shape(&p, 8), cases[i].shape);
	}
}
END_TEST

START_TEST(public_view)
{
	size_t i;

	for (i = 0; clopt_variant_name(i); i++)
		ck_assert_int_eq(clopt_variant_op(i), (int)clopt__variant(i)->op);
	ck_assert(i > 0 && !clopt__variant(i));
	ck_assert_int_eq(clopt_variant_op(i), -1);
	ck_assert_ptr_null(clopt_variant_name(i + 1000));
	ck_assert_ptr_null(clopt_op_name(-1));
	ck_assert_ptr_null(clopt_op_name(CLOPT_OPS));
	ck_assert_str_eq(clopt_op_name(CLOPT_OP_MATMUL), "matmul");
}
END_TEST

/* d^2 takes 3 subtractions, 3 multiplications and 2 additions; Coulomb's term a root, a division
 * and a multiply-add more. */
START_TEST(operations_of_a_law)
{
	int law;

	for (law = CLOPT_LAW_COULOMB; law < CLOPT_LAWS; law++)
		ck_assert_uint_ge(clopt_law_flops(law, CLOPT_OUTPUTS_FIELD),
		                  clopt_law_flops(law, CLOPT_OUTPUTS_PHI));
	ck_assert_uint_eq(clopt_law_flops(CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI), 11);
	ck_assert_uint_eq(clopt_law_flops(CLOPT_LAW_DEFAULT, CLOPT_OUTPUTS_PHI), 0);
	ck_assert_uint_eq(clopt_law_flops(CLOPT_LAWS, CLOPT_OUTPUTS_FIELD), 0);
}
END_TEST

SUITE(table, quick)
{
	tcase_add_test(c, operations_of_a_law);
	tcase_add_test(c, files_exist);
	tcase_add_test(c, files_are_used);
	tcase_add_test(c, names);
	tcase_add_test(c, geometry);
	tcase_add_test(c, always_an_answer);
	tcase_add_test(c, each_can_be_picked);
	tcase_add_test(c, shapes_of_sizes);
	tcase_add_test(c, public_view);
}
