/* SPDX-License-Identifier: MIT */
/*
 * occupancy.c - waves on a compute unit: figures that vendors published, properties of all
 * architectures, and refusals.
 */
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "suites.h"

#define KIB(n) ((size_t)(n)*1024)

static const struct {
	const char *arch;
	unsigned registers, scalars;
	size_t local, group;
	unsigned groups, waves;
	int limit;
} published[] = {
	/* AMD's lecture "OpenCL Programming & Optimization", on a compute unit of 16384
	 * registers: 35 registers are one group of 256 or three of 128, 17 three groups of 256. The
	 * HD 5870 has as many, of four floats, but keeps 512 of them for itself: what is needed to
	 * the last is not there. */
	{ "terascale2", 35, 0, 0, 256, 1, 4, CLOPT_LIMIT_REGISTERS },
	{ "terascale2", 35, 0, 0, 128, 3, 6, CLOPT_LIMIT_REGISTERS },
	{ "terascale2", 17, 0, 0, 256, 3, 12, CLOPT_LIMIT_REGISTERS },
	{ "terascale2", 16, 0, 0, 256, 3, 12, CLOPT_LIMIT_REGISTERS },
	{ "terascale2", 15, 0, 0, 256, 4, 16, CLOPT_LIMIT_REGISTERS },
	/* AMD's OpenCL Programming Guide of 2011: 4 KiB of local memory leave 8 groups, 8 KiB
	 * four, 16 KiB two, all 32 KiB one. */
	{ "cypress", 4, 0, 4096, 256, 8, 32, CLOPT_LIMIT_WAVES },
	{ "cypress", 4, 0, 8192, 256, 4, 16, CLOPT_LIMIT_LOCAL },
	{ "cypress", 4, 0, 16384, 256, 2, 8, CLOPT_LIMIT_LOCAL },
	{ "cypress", 4, 0, 32768, 256, 1, 4, CLOPT_LIMIT_LOCAL },
	{ "cypress", 4, 0, 0, 64, 8, 8, CLOPT_LIMIT_GROUPS },
	/* CUDA C Programming Guide, "Multiprocessor Level": on 6.x two groups of 512 with 64
	 * registers, and one with 65. */
	{ "sm_61", 64, 0, 0, 512, 2, 32, CLOPT_LIMIT_REGISTERS },
	{ "sm_61", 65, 0, 0, 512, 1, 16, CLOPT_LIMIT_REGISTERS },
	/* 6.0 has its registers in two parts, not four, and so less is left over. */
	{ "sm_60", 104, 0, 0, 32, 18, 18, CLOPT_LIMIT_REGISTERS },
	{ "sm_61", 104, 0, 0, 32, 16, 16, CLOPT_LIMIT_REGISTERS },
	/* NVIDIA's cuda_occupancy.h: a group has half of 5.3's registers at most. */
	{ "sm_53", 33, 0, 0, 768, 2, 48, CLOPT_LIMIT_GROUP_SIZE },
	{ "sm_53", 33, 0, 0, 800, 0, 0, CLOPT_LIMIT_REGISTERS },
	{ "sm_50", 33, 0, 0, 800, 1, 25, CLOPT_LIMIT_REGISTERS },
	{ "sm_75", 64, 0, 0, 1024, 1, 32, CLOPT_LIMIT_WAVES },
	{ "sm_75", 65, 0, 0, 1024, 0, 0, CLOPT_LIMIT_REGISTERS },
	/* Since 8.0 each group takes one KiB of shared memory more than it asks for. */
	{ "sm_80", 32, 0, 32768, 256, 4, 32, CLOPT_LIMIT_LOCAL },
	{ "sm_86", 32, 0, 0, 512, 3, 48, CLOPT_LIMIT_WAVES },
	{ "sm_86", 32, 0, 0, 1024, 1, 32, CLOPT_LIMIT_GROUP_SIZE },
	{ "sm_89", 32, 0, 0, 32, 24, 24, CLOPT_LIMIT_GROUPS },
	{ "sm_90", 128, 0, 0, 256, 2, 16, CLOPT_LIMIT_REGISTERS },
	{ "sm_90", 0, 0, 227 * 1024, 128, 1, 4, CLOPT_LIMIT_LOCAL },
	{ "sm_120", 255, 0, 0, 256, 1, 8, CLOPT_LIMIT_REGISTERS },
	/* AMD's optimization guides: waves of a SIMD, here four times as many, by vector
	 * registers (GCN: 24 are 10 waves, 28 9, 84 3) and scalar registers (first GCN: 48
	 * are 10, 56 9, 104 4; third: 96 8). */
	{ "gfx803", 24, 0, 0, 64, 40, 40, CLOPT_LIMIT_WAVES },
	{ "gfx803", 28, 0, 0, 64, 36, 36, CLOPT_LIMIT_REGISTERS },
	{ "gfx803", 84, 0, 0, 64, 12, 12, CLOPT_LIMIT_REGISTERS },
	{ "gfx803", 24, 96, 0, 64, 32, 32, CLOPT_LIMIT_SCALAR_REGISTERS },
	{ "tahiti", 24, 56, 0, 64, 36, 36, CLOPT_LIMIT_SCALAR_REGISTERS },
	{ "tahiti", 24, 104, 0, 64, 16, 16, CLOPT_LIMIT_SCALAR_REGISTERS },
	{ "gfx906", 24, 0, 0, 128, 16, 32, CLOPT_LIMIT_GROUPS },
	/* CDNA 2: 64 registers are 8 waves of a SIMD, 72 7, 168 3, 512 one. */
	{ "gfx90a", 64, 0, 0, 64, 32, 32, CLOPT_LIMIT_WAVES },
	{ "gfx90a", 72, 0, 0, 64, 28, 28, CLOPT_LIMIT_REGISTERS },
	{ "gfx90a", 168, 0, 0, 64, 12, 12, CLOPT_LIMIT_REGISTERS },
	{ "gfx942", 512, 0, 0, 64, 4, 4, CLOPT_LIMIT_REGISTERS },
	/* RDNA: 48 registers were 20 waves once; then 64 are 16, and with 1536 registers 96. */
	{ "gfx1010", 48, 0, 0, 32, 80, 80, CLOPT_LIMIT_WAVES },
	{ "gfx1030", 64, 0, 0, 32, 64, 64, CLOPT_LIMIT_WAVES },
	{ "gfx1030", 65, 0, 0, 32, 48, 48, CLOPT_LIMIT_REGISTERS },
	{ "gfx1100", 96, 0, 0, 32, 64, 64, CLOPT_LIMIT_WAVES },
	{ "gfx1100", 97, 0, 0, 32, 48, 48, CLOPT_LIMIT_REGISTERS },
};

START_TEST(figures)
{
	struct clopt_resources use = { .size = sizeof use };
	struct clopt_occupancy_info o = { .size = sizeof o };
	size_t i;

	for (i = 0; i < sizeof published / sizeof *published; i++) {
		use.registers = published[i].registers;
		use.scalar_registers = published[i].scalars;
		use.local_bytes = published[i].local;
		use.group = published[i].group;
		CHECK_OK(NULL, clopt_occupancy(published[i].arch, &use, &o));
		ck_assert_msg(o.groups == published[i].groups && o.waves == published[i].waves &&
		                      o.limit == published[i].limit,
		              "%s, %u registers, groups of %zu: %u groups, %u waves, by %s",
		              published[i].arch, use.registers, use.group, o.groups, o.waves,
		              clopt_limit_name(o.limit));
		ck_assert_str_eq(o.arch, published[i].arch);
		ck_assert_double_eq_tol(o.occupancy, (double)o.waves / o.most_waves, 1e-12);
	}
}
END_TEST

/* More of any resource never gives more waves; and the promises of the other fields. */
static void expect_sound(const struct arch *a, const char *name, size_t local, size_t group)
{
	struct clopt_resources use = { .size = sizeof use, .local_bytes = local, .group = group };
	struct clopt_occupancy_info o = { .size = sizeof o }, best = { .size = sizeof best };
	const unsigned of_group = (unsigned)((group + a->wave - 1) / a->wave);
	unsigned least = a->waves, r;

	CHECK_OK(NULL, clopt_occupancy(name, &use, &best));
	for (r = 1; r <= a->item_registers; r++) {
		use.registers = r;
		CHECK_OK(NULL, clopt_occupancy(name, &use, &o));
		ck_assert_msg(o.waves <= least, "%s: %u registers, %u waves, with fewer %u", name,
		              r, o.waves, least);
		least = o.waves;
		ck_assert_uint_eq(o.waves, o.groups * of_group);
		ck_assert_int_eq(o.limit == CLOPT_LIMIT_WAVES, o.waves == a->waves);
		ck_assert_int_eq(o.waves == best.waves, r <= best.most_registers);
		ck_assert(o.groups == 0 || r <= o.most_registers);
		ck_assert(o.groups > 0 ||
		          (o.limit == CLOPT_LIMIT_REGISTERS && r > o.most_registers));
	}
	use.registers = 0;
	for (; use.local_bytes <= KIB(a->group_local_kib); use.local_bytes += 1000) {
		CHECK_OK(NULL, clopt_occupancy(name, &use, &o));
		ck_assert_uint_le(o.waves, best.waves);
		ck_assert_uint_gt(o.waves, 0);
		best = o;
	}
}

START_TEST(each_architecture)
{
	const struct arch *a = &clopt__archs[_i];
	static const size_t groups[] = { 1, 3, 32, 64, 96, 100, 128, 256, 512, 1000, 1024 };
	char name[16];
	size_t i;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(a->names, " "), a->names);
	ck_assert_str_eq(clopt_arch_names((size_t)_i), a->names);
	for (i = 0; i < sizeof groups / sizeof *groups && groups[i] <= a->group; i++) {
		expect_sound(a, name, 0, groups[i]);
		expect_sound(a, name, KIB(a->group_local_kib) / 5, groups[i]);
	}
	expect_sound(a, name, KIB(a->group_local_kib), a->group);
}
END_TEST

/* Each name finds its own row, in capitals, too; shorter and longer words find none. */
START_TEST(names)
{
	struct clopt_resources use = { .size = sizeof use, .group = 1 };
	struct clopt_occupancy_info o = { .size = sizeof o };
	char name[24];
	const char *at;
	size_t i, n;

	for (i = 0; (at = clopt_arch_names(i)); i++)
		for (; *at; at += n + (at[n] == ' ')) {
			n = strcspn(at, " ");
			ck_assert_uint_lt(n, sizeof o.arch);
			snprintf(name, sizeof name, "%.*s", (int)n, at);
			CHECK_OK(NULL, clopt_occupancy(name, &use, &o));
			ck_assert_uint_eq(o.most_waves, clopt__archs[i].waves);
			name[0] = (char)(name[0] - 'a' + 'A');
			CHECK_OK(NULL, clopt_occupancy(name, &use, &o));
			strcat(name, "_");
			expect_refused(clopt_occupancy(name, &use, &o), CLOPT_EINVAL, NULL, name);
		}
	ck_assert_ptr_null(clopt_arch_names(i + 1));
	for (i = 0; i < CLOPT_LIMITS; i++)
		ck_assert_ptr_nonnull(clopt_limit_name((int)i));
	ck_assert_ptr_null(clopt_limit_name(-1));
	ck_assert_ptr_null(clopt_limit_name(CLOPT_LIMITS));
}
END_TEST

/* With an older header's structs only their fields are read or written. */
START_TEST(older_structs)
{
	struct clopt_resources use = { .size = offsetof(struct clopt_resources, private_bytes),
		                       .registers = 128,
		                       .group = 256 };
	struct clopt_occupancy_info o = { .size = offsetof(struct clopt_occupancy_info, limit),
		                          .limit = 77 };

	CHECK_OK(NULL, clopt_occupancy("sm_90", &use, &o));
	ck_assert_uint_eq(o.waves, 16);
	ck_assert_int_eq(o.limit, 77);
	ck_assert_uint_eq(o.size, offsetof(struct clopt_occupancy_info, limit));
}
END_TEST

SUITE(occupancy, quick)
{
	int archs = 0;

	while (clopt__archs[archs].names)
		archs++;
	tcase_add_test(c, figures);
	tcase_add_loop_test(c, each_architecture, 0, archs);
	tcase_add_test(c, names);
	tcase_add_test(c, older_structs);
}
