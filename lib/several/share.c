/* SPDX-License-Identifier: MIT */
/*
 * share.c - the dealer: which member computes which results.  The results are a box of rows and
 * columns.  Each member begins with a strip whose width is proportional to its speed, and takes it
 * block by block.  A member whose strip is used up steals from the end of the strip that would
 * finish last, as much as lets both finish together by the measured speeds.  It steals a part only
 * if it would finish it sooner than the owner, so a slow device never delays the end.  Cuts lie at
 * whole grains, so results do not depend on the partition.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "several.h"

/* Least number of groups of a block on each compute unit, if there are as many. 16 groups of a sum
 * over pairs fill a compute unit of a GPU, and fewer take as long. */
#define GROUPS 4
#define GROUPS_OF_PAIRS 16
/* Most blocks of a member, beside those that its memory requires. */
#define BLOCKS 64
/* Stealing pays if the owner would finish later by this fraction of the time so far. */
#define WORTH 0.05

struct member {
	struct region panel,
	        rest; /* not taken: columns as wide as a block, and the columns after them */
	struct region *taken;
	size_t done, takes, room; /* the first `done' of them are computed */
	double weight; /* relative speed, until the call has measured it */
	double began; /* time of the first take */
	double results; /* number taken */
	double latest[MAX_QUEUES +
	              1]; /* sizes of the last takes, which may be in flight; newest first */
};

struct share {
	pthread_mutex_t lock;
	struct partition box;
	int stopped; /* atomic */
	double taken; /* results taken by all members */
	struct region *back; /* given back by failed members */
	size_t backs;
	unsigned members;
	struct member member[];
};

static double results(const struct region *r)
{
	return (double)r->count[0] * (double)r->count[1];
}

static double left(const struct member *m)
{
	return results(&m->panel) + results(&m->rest);
}

/* Results taken and perhaps not computed. */
static double under_way(const struct member *m)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i <= MAX_QUEUES; i++)
		sum += m->latest[i];
	return sum;
}

/* Measured results per second of this call; 0: none yet. */
static double shown(const struct member *m)
{
	const double done = m->results - under_way(m);

	return done > 0 ? done / (clopt__now() - m->began) : 0;
}

static double speed(const struct share *s, const struct member *m)
{
	double speeds = 0, weights = 0;
	unsigned i;

	if (shown(m) > 0)
		return shown(m);
	for (i = 0; i < s->members; i++)
		if (shown(&s->member[i]) > 0) {
			speeds += shown(&s->member[i]);
			weights += s->member[i].weight;
		}
	return m->weight * (weights > 0 ? speeds / weights : 1);
}

/* Round down to whole grains. */
static size_t grains(const struct share *s, unsigned along, double count)
{
	return (size_t)(count / (double)s->box.grain[along]) * s->box.grain[along];
}

/* Give each member a strip of whole grains, so that all finish at about the same time. */
static void deal(struct share *s)
{
	const unsigned along = s->box.by_columns ? 1 : 0;
	const size_t all = s->box.dim[along], grain = s->box.grain[along];
	const size_t grains = clopt__groups(all, grain);
	struct member *m, *best, *const end = s->member + s->members;
	double weights = 0;
	size_t dealt = 0;

	for (m = s->member; m < end; m++)
		weights += m->weight;
	for (m = s->member; m < end; m++) {
		size_t *const count = &m->rest.count[along];

		*count = (size_t)((double)grains * (m->weight / weights));
		*count = clopt__smaller(*count, grains - dealt);
		dealt += *count;
	}
	/* A slow member may have one grain too many: grains left over go to the member that would
	 * finish first. */
	for (; dealt < grains; dealt++) {
		for (m = best = s->member; m < end; m++)
			if ((double)(m->rest.count[along] + 1) * best->weight <
			    (double)(best->rest.count[along] + 1) * m->weight)
				best = m;
		best->rest.count[along]++;
	}
	/* The last strip may end inside a grain. */
	for (m = s->member, dealt = 0; m < end; m++) {
		m->rest.count[!along] = s->box.dim[!along];
		m->rest.first[along] = dealt;
		m->rest.count[along] = clopt__smaller(m->rest.count[along] * grain, all - dealt);
		dealt += m->rest.count[along];
	}
}

int clopt__share_open(struct clopt *ctx, const struct partition *box, const double *weights,
                      unsigned members, struct share **share)
{
	struct share *s = calloc(1, sizeof *s + members * sizeof *s->member);
	unsigned i;

	if (!s || pthread_mutex_init(&s->lock, NULL)) {
		free(s);
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to share a call");
	}
	s->box = *box;
	s->members = members;
	for (i = 0; i < members; i++)
		s->member[i].weight = weights[i];
	deal(s);
	*share = s;
	return CLOPT_OK;
}

void clopt__share_close(struct share *s)
{
	unsigned i;

	if (!s)
		return;
	for (i = 0; i < s->members; i++)
		free(s->member[i].taken);
	free(s->back);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Move the last `count` rows (along 0) or columns of a region to another region, and more so that
 * it begins at a whole grain. */
static void move_end(const struct share *s, struct region *from, unsigned along, size_t count,
                     struct region *to)
{
	const size_t end = from->first[along] + from->count[along];
	size_t at = end - count;

	at -= at % s->box.grain[along];
	at = clopt__larger(at, from->first[along]);
	*to = *from;
	from->count[along] = at - from->first[along];
	to->first[along] = at;
	to->count[along] = end - at;
}

/* Steal from the member that would finish last, if that is much later than this one: columns that
 * it has not begun, if there are many, else rows. fetch: seconds for the inputs of one column. 0:
 * nothing is worth it. */
static int steal(struct share *s, struct member *m, double fetch)
{
	struct member *from = NULL;
	double mine = speed(s, m), end = under_way(m) / mine;
	struct region *r;
	double its, last = 0, part, least;
	size_t count;
	unsigned i, along;

	for (i = 0; i < s->members; i++) {
		const struct member *o = &s->member[i];
		const double seconds = (left(o) + under_way(o)) / speed(s, o);

		if (o != m && left(o) > 0 && seconds > last) {
			from = &s->member[i];
			last = seconds;
		}
	}
	if (!from || s->box.fixed)
		return 0;
	its = speed(s, from);
	r = results(&from->rest) > 0 ? &from->rest : &from->panel;
	along = r == &from->rest && r->count[1] >= 2 * s->box.grain[1];
	if (along) /* each further column needs its inputs */
		mine = 1 / (1 / mine + fetch / (double)r->count[0]);
	else
		end += fetch * (double)r->count[1];
	if (last <= end || (m->began > 0 && last - end < WORTH * (clopt__now() - m->began)))
		return 0;
	part = (last - end) * mine * its / (mine + its);
	count = grains(s, along, part / (double)r->count[!along]);
	least = (double)s->box.grain[along] * (double)r->count[!along];
	if (!count && end + least / mine < last)
		count = s->box.grain[along];
	count = clopt__smaller(count, r->count[along]);
	if (!count)
		return 0;
	move_end(s, r, along, count, &m->rest);
	return 1;
}

/* Number of rows of the next block. */
static size_t rows_of(const struct share *s, const struct clopt *ctx, const struct member *m,
                      size_t most)
{
	const size_t have = m->panel.count[0], units = ctx->device.info.compute_units;
	const size_t grain = s->box.grain[0];
	const size_t across = clopt__larger(m->panel.count[1] / s->box.grain[1], 1);
	/* Different speeds may change, and nobody can steal a block in flight. */
	const int pairs = ctx->device.traits & T_GPU && s->box.dim[1] == 1; /* cut along one size */
	const size_t full = pairs ? GROUPS_OF_PAIRS : GROUPS;
	const size_t groups = s->box.alike ? full : 1, part = s->box.alike ? 2 : 4;
	size_t least = s->box.dim[0] / (BLOCKS * s->members), rows = have;

	if (grain > 1)
		least = clopt__larger(least, clopt__larger(groups * units / across, 1) * grain);
	/* The first block is small, since the member may be slow.  A last block leaves at least its
	 * own size for others to steal. */
	if (!s->box.fixed && !s->box.known && shown(m) == 0)
		rows = least;
	else if (!s->box.fixed && results(&m->rest) == 0)
		rows = clopt__larger(have / part, least);
	rows = clopt__larger(rows - rows % grain, grain);
	rows = clopt__smaller(rows, most > grain ? most - most % grain : most);
	/* Leave no rest of less than a grain. */
	return have <= most && have < rows + s->box.grain[0] ? have : clopt__smaller(rows, have);
}

/* Find something for the member to take. 0: nothing is left. */
static int supply(struct share *s, struct member *m, size_t columns, double fetch)
{
	if (results(&m->panel) > 0)
		return 1;
	if (results(&m->rest) == 0) {
		if (s->backs)
			m->rest = s->back[--s->backs];
		else if (!steal(s, m, fetch))
			return 0;
	}
	m->panel = m->rest;
	m->panel.count[1] = clopt__smaller(m->rest.count[1], columns);
	m->rest.first[1] += m->panel.count[1];
	m->rest.count[1] -= m->panel.count[1];
	return 1;
}

/* Whether region r continues the one right above it. */
static int goes_on(const struct region *above, const struct region *r)
{
	return above->first[1] == r->first[1] && above->count[1] == r->count[1] &&
	       above->first[0] + above->count[0] == r->first[0];
}

/* undone: number of blocks that may be in flight, this one included. */
static int note(struct member *m, const struct region *r, unsigned undone)
{
	const size_t room = 2 * m->room + 16;
	struct region *longer;

	if (m->takes > m->done && goes_on(&m->taken[m->takes - 1], r)) {
		m->taken[m->takes - 1].count[0] += r->count[0];
	} else {
		if (m->takes == m->room) {
			longer = realloc(m->taken, room * sizeof *longer);
			if (!longer)
				return 0;
			m->taken = longer;
			m->room = room;
		}
		m->taken[m->takes++] = *r;
	}
	m->began = m->began > 0 ? m->began : clopt__now();
	m->results += results(r);
	memmove(m->latest + 1, m->latest, MAX_QUEUES * sizeof *m->latest);
	m->latest[0] = results(r);
	if (undone <= MAX_QUEUES)
		m->latest[undone] = 0;
	return 1;
}

int clopt__share_take(struct clopt *ctx, struct share *s, unsigned member, const size_t *most,
                      double fetch, unsigned undone, struct region *r, int *none)
{
	struct member *m = &s->member[member];
	int rc = CLOPT_OK;

	pthread_mutex_lock(&s->lock);
	/* Wait for the first block: it shows the member's speed. */
	*none = clopt__flag(&s->stopped) ||
	        (!s->box.alike && !s->box.fixed && under_way(m) > 0 && shown(m) == 0) ||
	        !supply(s, m, most[1], fetch);
	if (!*none) {
		*r = m->panel;
		r->count[0] = rows_of(s, ctx, m, most[0]);
		if (note(m, r, undone)) {
			m->panel.first[0] += r->count[0];
			m->panel.count[0] -= r->count[0];
			s->taken += results(r);
		} else {
			rc = clopt__fail(ctx, CLOPT_ENOMEM, "no memory to share a call");
		}
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void clopt__share_idle(struct share *s, unsigned member)
{
	pthread_mutex_lock(&s->lock);
	memset(s->member[member].latest, 0, sizeof s->member[member].latest);
	pthread_mutex_unlock(&s->lock);
}

/* Number of all results; not 0, to divide by. */
static double most(const struct share *s)
{
	return fmax(1, (double)s->box.dim[0] * (double)s->box.dim[1]);
}

double clopt__share_done(struct share *s)
{
	double done;

	pthread_mutex_lock(&s->lock);
	done = s->taken / most(s);
	pthread_mutex_unlock(&s->lock);
	return done;
}

int clopt__share_stopped(struct share *s)
{
	return clopt__flag(&s->stopped);
}

void clopt__share_stop(struct share *s)
{
	__atomic_store_n(&s->stopped, 1, __ATOMIC_SEQ_CST);
}

/* Return a failed member's taken and remaining results. */
static int give_back(struct clopt *ctx, struct share *s, struct member *m)
{
	struct region *longer = realloc(s->back, (s->backs + m->takes + 2) * sizeof *longer);
	size_t i;

	if (!longer)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to share a call");
	s->back = longer;
	for (i = m->done; i < m->takes; i++) {
		s->taken -= results(&m->taken[i]);
		m->results -= results(&m->taken[i]);
		s->back[s->backs++] = m->taken[i];
	}
	m->takes = m->done;
	if (results(&m->panel) > 0)
		s->back[s->backs++] = m->panel;
	if (results(&m->rest) > 0)
		s->back[s->backs++] = m->rest;
	memset(m->latest, 0, sizeof m->latest);
	memset(&m->panel, 0, sizeof m->panel);
	memset(&m->rest, 0, sizeof m->rest);
	return CLOPT_OK;
}

int clopt__share_end(struct clopt *ctx, struct share *s, unsigned member, int failed, int *began)
{
	struct member *m = &s->member[member];
	int rc = CLOPT_OK;

	pthread_mutex_lock(&s->lock);
	*began |= failed && m->takes > m->done;
	if (failed)
		rc = give_back(ctx, s, m);
	m->done = m->takes;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int clopt__share_part(const struct share *s, unsigned member, size_t i, struct region *r)
{
	const struct member *m = &s->member[member];

	if (i < m->takes)
		*r = m->taken[i];
	return i < m->takes;
}

double clopt__share_of(const struct share *s, unsigned member)
{
	return s->member[member].results / most(s);
}

int clopt__share_left(const struct share *s)
{
	return s->taken < (double)s->box.dim[0] * (double)s->box.dim[1];
}
