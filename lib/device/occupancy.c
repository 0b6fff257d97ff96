/* SPDX-License-Identifier: MIT */
/*
 * occupancy.c - how many waves of a kernel a compute unit holds, and by which limit.  A group is
 * resident as a whole, so each resource allows a number of groups; the least counts.
 */
#include <stdio.h>
#include <string.h>

#include "../base/text.h"
#include "device.h"

#define KIB 1024u
#define PLENTY 65536u /* groups, where a resource is no limit */

const char *clopt_limit_name(int limit)
{
	static const char *const names[CLOPT_LIMITS] = {
		"waves", "group size", "groups", "local memory", "registers", "scalar registers",
	};

	return limit >= 0 && limit < CLOPT_LIMITS ? names[limit] : NULL;
}

const char *clopt_arch_names(size_t i)
{
	const struct arch *a = clopt__archs;

	while (i-- && a->names)
		a++;
	return a->names;
}

/* Find an architecture, ignoring case: drivers write "Cypress". */
static const struct arch *named(const char *name)
{
	const struct arch *a;
	const char *at;
	size_t n;

	for (a = clopt__archs; a->names; a++)
		for (at = a->names; *at; at += n + (at[n] == ' ')) {
			n = strcspn(at, " ");
			if (strlen(name) == n && clopt__within(name, at, n))
				return a;
		}
	return NULL;
}

static int unknown(const struct clopt *ctx, int status, const char *name)
{
	const struct arch *a;
	char list[2048];
	struct text t = { list, sizeof list };

	for (a = clopt__archs; a->names; a++)
		clopt__say(&t, " %s", a->names);
	return clopt__fail(ctx, status, "architecture \"%s\" is not known: use one of%s", name,
	                   list);
}

static unsigned up(unsigned x, unsigned step)
{
	return (x + step - 1) / step * step;
}

static unsigned waves_of(const struct arch *a, size_t group)
{
	return (unsigned)((group + a->wave - 1) / a->wave);
}

static unsigned by_registers(const struct arch *a, unsigned registers, unsigned waves)
{
	const unsigned each = up(registers, a->step);
	const unsigned most = a->simds * a->registers / (a->halved ? 2 : 1);

	if (!registers)
		return PLENTY;
	if (up(waves, a->simds) * each > most) /* as if waves were spread evenly */
		return 0;
	/* Registers left in a SIMD that are too few for a wave are lost. */
	return a->simds * (a->registers / each) / waves;
}

static unsigned by_scalars(const struct arch *a, unsigned scalars, unsigned waves)
{
	if (!a->scalars || !scalars)
		return PLENTY;
	return a->simds * (a->scalars / up(scalars, a->scalar_step)) / waves;
}

static unsigned by_local(const struct arch *a, size_t bytes)
{
	const unsigned taken = up((unsigned)(bytes + a->reserved_kib * KIB), a->local_step);

	return taken ? a->local_kib * KIB / taken : PLENTY;
}

/* Number of groups that fit, and the limit that excludes one more. */
static unsigned fit(const struct arch *a, const struct clopt_resources *use, int *limit)
{
	const unsigned waves = waves_of(a, use->group);
	const struct {
		int limit;
		unsigned groups;
	} by[] = {
		{ CLOPT_LIMIT_WAVES, a->waves / waves },
		{ CLOPT_LIMIT_GROUPS, a->lone && waves == 1 ? PLENTY : a->groups },
		{ CLOPT_LIMIT_LOCAL, by_local(a, use->local_bytes) },
		{ CLOPT_LIMIT_REGISTERS, by_registers(a, use->registers, waves) },
		{ CLOPT_LIMIT_SCALAR_REGISTERS, by_scalars(a, use->scalar_registers, waves) },
	};
	unsigned i, least = 0;

	for (i = 1; i < sizeof by / sizeof *by; i++)
		if (by[i].groups < by[least].groups)
			least = i;
	*limit = by[least].limit;
	if (*limit == CLOPT_LIMIT_WAVES && by[least].groups * waves < a->waves)
		*limit = CLOPT_LIMIT_GROUP_SIZE;
	return by[least].groups;
}

static unsigned most_registers(const struct arch *a, const struct clopt_resources *use,
                               unsigned groups)
{
	struct clopt_resources with = *use;
	int limit;

	groups = groups ? groups : 1;
	for (with.registers = a->item_registers; with.registers > 1; with.registers--)
		if (fit(a, &with, &limit) >= groups)
			break;
	return with.registers;
}

static int check(const struct clopt *ctx, const char *name, const struct arch *a,
                 const struct clopt_resources *use)
{
	if (use->group > a->group)
		return clopt__fail(ctx, CLOPT_EINVAL, "group is %zu work-items: %s allows 1 to %zu",
		                   use->group, name, a->group);
	if (use->registers > a->item_registers)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "registers is %u: a work-item of %s has at most %u",
		                   use->registers, name, a->item_registers);
	if (a->scalars && use->scalar_registers > a->scalars)
		return clopt__fail(ctx, CLOPT_EINVAL, "scalar_registers is %u: a SIMD of %s has %u",
		                   use->scalar_registers, name, a->scalars);
	if (use->local_bytes > a->group_local_kib * KIB)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "local_bytes is %zu: a group on %s has at most %u",
		                   use->local_bytes, name, a->group_local_kib * KIB);
	return CLOPT_OK;
}

/* given: the caller's struct, perhaps of an older header. */
static int work_out(const struct clopt *ctx, const char *name, const struct arch *a,
                    const struct clopt_resources *given, struct clopt_occupancy_info *result)
{
	struct clopt_resources use = { 0 };
	struct clopt_occupancy_info o = { 0 };
	int rc = CLOPT_OK;

	TRY(clopt__sized_read(ctx, "clopt_resources", given, &use, sizeof use));
	use.group = use.group ? use.group : 256;
	TRY(check(ctx, name, a, &use));
	snprintf(o.arch, sizeof o.arch, "%s", name);
	o.wave = a->wave;
	o.groups = fit(a, &use, &o.limit);
	o.waves = o.groups * waves_of(a, use.group);
	o.most_waves = a->waves;
	o.occupancy = (double)o.waves / a->waves;
	o.most_registers = most_registers(a, &use, o.groups);
	TRY(clopt__sized_give(ctx, "clopt_occupancy_info", result, &o, sizeof o));
out:
	return rc;
}

int clopt_occupancy(const char *arch, const struct clopt_resources *use,
                    struct clopt_occupancy_info *result)
{
	const struct arch *a;
	int rc;

	clopt__doing(clopt__words("clopt_occupancy"));
	if (!arch || !use || !result)
		rc = clopt__fail(NULL, CLOPT_EINVAL, "%s is NULL",
		                 !arch ? "arch" :
		                 !use  ? "use" :
		                         "result");
	else if (!(a = named(arch)))
		rc = unknown(NULL, CLOPT_EINVAL, arch);
	else
		rc = work_out(NULL, arch, a, use, result);
	clopt__done();
	return rc;
}

int clopt__arch(const struct clopt *ctx, char *name, size_t size)
{
	clopt__arch_of(&ctx->device.info, name, size);
	if (!*name)
		return clopt__fail(
		        ctx, CLOPT_EUNSUPPORTED,
		        "%s is not a GPU by NVIDIA or AMD: the occupancy of others is not known; "
		        "clopt_occupancy() takes the name of an architecture instead",
		        ctx->device.info.name);
	return named(name) ? CLOPT_OK : unknown(ctx, CLOPT_EUNSUPPORTED, name);
}

int clopt__occupancy(const struct clopt *ctx, const struct clopt_resources *use,
                     struct clopt_occupancy_info *result)
{
	char name[sizeof result->arch];
	int rc = clopt__arch(ctx, name, sizeof name);

	return rc == CLOPT_OK ? work_out(ctx, name, named(name), use, result) : rc;
}
