/* SPDX-License-Identifier: MIT */
/*
 * abi.c - a program that is compiled against an older or a newer header than the library's: each
 * struct with a size lacks its last field, or has one more.  Everything that passes such structs
 * has to work, and lists have to be filled at the caller's distance.
 */
#include <stdio.h>
#include <string.h>

#include "clopt_device.h"
#include "clopt_tune.h"

#define MOST 64
#define EXPECT(condition) \
	do { \
		if (!(condition)) { \
			printf("abi.c:%d: %s: %s%s\n", __LINE__, #condition, clopt_error(NULL), \
			       clopt_error(ctx)); \
			failed = 1; \
		} \
	} while (0)

static struct clopt *ctx;
static int failed;

/* Each list twice: one entry at a time is what all of them have to be. */
static void lists(void)
{
	static struct clopt_device_info devices[MOST], device;
	static struct clopt_quirk quirks[MOST], quirk;
	static struct clopt_skipped_driver skipped[MOST];
	static struct clopt_cache_entry entries[MOST], entry;
	size_t i, n;

	for (i = 0; i < MOST; i++) {
		devices[i].size = sizeof *devices;
		quirks[i].size = sizeof *quirks;
		skipped[i].size = sizeof *skipped;
		entries[i].size = sizeof *entries;
	}
	EXPECT(clopt_device_list(devices, MOST, &n) == CLOPT_OK && n > 0);
	for (i = 0; i < n && i < MOST; i++)
		EXPECT(devices[i].size == sizeof *devices && devices[i].name[0] &&
		       devices[i].max_group > 0 && devices[i].global_bytes > 0);
	device.size = sizeof device;
	EXPECT(clopt_device_get(ctx, &device) == CLOPT_OK);
	for (i = 0; i < n && strcmp(devices[i].name, device.name); i++)
		;
	EXPECT(i < n);
	EXPECT(clopt_quirk_list(quirks, MOST, &n) == CLOPT_OK && n > 1);
	for (i = 0; i < n && i < MOST; i++)
		EXPECT(quirks[i].size == sizeof *quirks && quirks[i].name && quirks[i].effect[0]);
	quirk.size = sizeof quirk;
	EXPECT(clopt_quirk_list(&quirk, 1, &n) == CLOPT_OK && !strcmp(quirk.name, quirks[0].name));
	EXPECT(clopt_skipped_list(skipped, MOST, &n) == CLOPT_OK);
	EXPECT(clopt_cache_list(NULL, entries, MOST, &n) == CLOPT_OK && n > 1);
	for (i = 0; i < n && i < MOST; i++)
		EXPECT(entries[i].kind[0] && entries[i].bytes > 0 &&
		       (i == 0 || entries[i].used <= entries[i - 1].used));
	entry.size = sizeof entry;
	EXPECT(clopt_cache_list(NULL, &entry, 1, &n) == CLOPT_OK &&
	       !strcmp(entry.what, entries[0].what));
}

static void products(void)
{
	static const float a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 1, 0, 0, 1, 1, 1 };
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	struct clopt_call *call = NULL;
	char text[4096];
	float c[4] = { 0 };

	g.m = g.n = 2;
	g.k = 3;
	EXPECT(clopt_gemm(ctx, &g, a, b, c) == CLOPT_OK);
	EXPECT(c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11);
	EXPECT(clopt_last_report(ctx, &report) == CLOPT_OK && report.variant && report.seconds > 0);
	EXPECT(clopt_gemm_start(ctx, &g, a, b, c, &call) == CLOPT_OK);
	EXPECT(clopt_call_wait(call, &report) == CLOPT_OK && report.seconds > 0);
	clopt_call_free(call);
	problem.op = CLOPT_OP_MATMUL;
	problem.dim[0] = problem.dim[1] = 2;
	problem.dim[2] = 3;
	EXPECT(clopt_explain(ctx, &problem, text, sizeof text) == CLOPT_OK && text[0]);
	plan.dry = 1;
	EXPECT(clopt_plan(ctx, &problem, &plan) == CLOPT_OK && plan.fits && plan.bands == 1);
}

static void sums(void)
{
	static const float sources[8] = { 0, 0, 0, 1, 0, 0, 2, 3 }, target[4] = { 0, 0, 1, 0 };
	static double bodies[8] = { 0, 0, 0, 1, 0, 0, 2, 1 }, velocities[8];
	struct clopt_potential_options potential = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options nbody = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_evolve_options evolve = CLOPT_EVOLVE_OPTIONS_INIT;
	float phi = 0, acc[4] = { 0 };

	EXPECT(clopt_potential(ctx, 2, sources, 1, target, &phi, &potential) == CLOPT_OK);
	EXPECT(phi > 3.9999f && phi < 4.0001f);
	EXPECT(clopt_nbody(ctx, 2, sources, 1, target, acc, &nbody) == CLOPT_OK);
	EXPECT(acc[2] > 1.9999f && acc[2] < 2.0001f);
	EXPECT(clopt_nbody_evolve(ctx, 2, bodies, velocities, 1e-3, 2, &evolve) == CLOPT_OK);
	EXPECT(bodies[2] > 0 && bodies[6] < 2);
}

/* Structs of doubles, read and written at their stride. */
static void points(void)
{
	struct {
		double x, y, z, w, ax, ay, az, phi;
	} p[2] = { { 0, 0, 0, 1, 0, 0, 0, 0 }, { 0, 0, 2, 3, 0, 0, 0, 0 } };
	struct clopt_points s = CLOPT_POINTS_INIT;
	struct clopt_results r = CLOPT_RESULTS_INIT;

	s.n = 2;
	s.x = &p->x;
	s.y = &p->y;
	s.z = &p->z;
	s.w = &p->w;
	r.x = &p->ax;
	r.y = &p->ay;
	r.z = &p->az;
	s.stride_bytes = r.stride_bytes = sizeof *p;
	EXPECT(clopt_gravity(ctx, &s, &s, &r, NULL) == CLOPT_OK);
	EXPECT(p[0].az > 0.7499 && p[0].az < 0.7501 && p[1].az > -0.2501 && p[1].az < -0.2499);
	r.x = r.y = r.z = NULL;
	r.phi = &p->phi;
	EXPECT(clopt_potential_points(ctx, &s, &s, &r, NULL) == CLOPT_OK);
	EXPECT(p[0].phi > 1.4999 && p[0].phi < 1.5001 && p[1].phi > 0.4999 && p[1].phi < 0.5001);
}

static void buffers(void)
{
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_buffer *buffer = NULL;
	float in[4] = { 1, 2, 3, 4 }, out[4] = { 0 };

	EXPECT(clopt_buffer_new(ctx, sizeof in, &buffer) == CLOPT_OK);
	EXPECT(clopt_buffer_write(buffer, 0, sizeof in, in, &order) == CLOPT_OK);
	EXPECT(clopt_buffer_read(buffer, 0, sizeof out, out, &order) == CLOPT_OK);
	EXPECT(clopt_finish(ctx) == CLOPT_OK && !memcmp(in, out, sizeof in));
	clopt_buffer_free(buffer);
}

/* An older header has no count of arguments, and so kernels without any. */
static void map(void)
{
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;
#ifdef NEWER
	float in[2] = { 1, 2 }, out[2] = { 0 };
	struct clopt_arg args[2] = { { CLOPT_ARG_IN, NULL, sizeof *in },
		                     { CLOPT_ARG_OUT, NULL, sizeof *out } };

	args[0].data = in;
	args[1].data = out;
	m.args = args;
	m.nargs = 2;
	m.source = "kernel void run(global const float *in, global float *out)"
	           "{ out[get_global_id(0)] = 2 * in[get_global_id(0)]; }";
#else
	m.source = "kernel void run(void) { }";
#endif
	m.name = "run";
	m.items = 2;
	EXPECT(clopt_map(ctx, &m) == CLOPT_OK);
#ifdef NEWER
	EXPECT(out[0] == 2 && out[1] == 4);
#endif
}

static int end_at_once(void *user, const struct clopt_tune_step *step)
{
	return step && !user;
}

static void tune(void)
{
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	struct clopt_tune_options options = CLOPT_TUNE_OPTIONS_INIT;
	char record[512] = "";

	problem.op = CLOPT_OP_TRANSPOSE;
	problem.dim[0] = problem.dim[1] = 64;
	options.budget_seconds = 0.1;
	options.rows_only = 1;
	options.dry = 1;
	options.progress = end_at_once;
	EXPECT(clopt_tune(ctx, &problem, &options, record, sizeof record) == CLOPT_OK);
	EXPECT(strstr(record, "transpose"));
}

/* What the library does not know may be zero; if not, the caller wants something of it. */
static void unknown_fields(void)
{
#ifdef NEWER
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	const float a = 1;
	float c = 0;

	g.m = g.n = g.k = 1;
	g.later = 1;
	EXPECT(clopt_gemm(ctx, &g, &a, &a, &c) == CLOPT_EINVAL &&
	       strstr(clopt_error(ctx), "as new as"));
#endif
}

static void occupancy(void)
{
	struct clopt_resources use = CLOPT_RESOURCES_INIT;
	struct clopt_occupancy_info o = CLOPT_OCCUPANCY_INFO_INIT;

	use.registers = 32;
	EXPECT(clopt_occupancy("sm_90", &use, &o) == CLOPT_OK && o.waves == 64);
}

int main(void)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;

	EXPECT(clopt_open(&ctx, &options) == CLOPT_OK);
	if (ctx) {
		products();
		sums();
		points();
		buffers();
		map();
		tune();
		lists();
		unknown_fields();
		occupancy();
	}
	clopt_close(ctx);
	return failed;
}
