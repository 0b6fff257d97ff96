/* SPDX-License-Identifier: MIT */
/*
 * peers_report.c - ratios as CSV, for programs, and as bars.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "../../examples/clopt/plot/plot.h"

int peers_results_add(struct peers_results *r, const struct peers_result *one)
{
	if (r->used == r->room) {
		const size_t room = r->room ? 2 * r->room : 64;
		struct peers_result *list = realloc(r->list, room * sizeof *list);

		if (!list) {
			fprintf(stderr, "peers: out of memory\n");
			return 1;
		}
		r->list = list;
		r->room = room;
	}
	r->list[r->used++] = *one;
	return 0;
}

void peers_results_at_goal(const struct peers_results *r, FILE *to)
{
	size_t i, p;

	for (p = 1; p < PEERS_CANDIDATES; p++) {
		const struct peers_candidate *const peer = &peers_candidates[p];
		const struct peers_result *worst = NULL;
		size_t cases = 0, there = 0;

		for (i = 0; i < r->used; i++) {
			const struct peers_result *const one = &r->list[i];

			if (strcmp(one->peer, peer->name) != 0)
				continue;
			cases++;
			there += one->ratio >= peer->goal;
			if (!worst || one->ratio < worst->ratio)
				worst = one;
		}
		if (worst)
			fprintf(to, "%s: %zu of %zu cases at %.2f or above; least %.3g (%s)\n",
			        peer->name, there, cases, peer->goal, worst->ratio, worst->name);
	}
}

static int is_transpose(const struct peers_result *r)
{
	return strncmp(r->name, "transpose", 9) == 0;
}

static void write_csv(const struct peers_results *r, int transpose, FILE *to)
{
	size_t i;

	fputs("case,peer,ratio\n", to);
	for (i = 0; i < r->used; i++)
		if (is_transpose(&r->list[i]) == transpose)
			fprintf(to, "%s,%s,%.4g\n", r->list[i].name, r->list[i].peer,
			        r->list[i].ratio);
}

/* A group of bars for each peer. */
static void write_svg(const struct peers_results *r, int transpose, const char *device, FILE *to)
{
	struct plot_bar *bar = calloc(r->used + 1, sizeof *bar);
	struct plot_bars groups[PEERS_CANDIDATES];
	char title[256];
	size_t i, p, n = 0, count = 0;

	if (!bar) {
		fprintf(stderr, "peers: out of memory\n");
		return;
	}
	for (p = 1; p < PEERS_CANDIDATES; p++) {
		struct plot_bars g = { .title = peers_candidates[p].name,
			               .label = "times as fast",
			               .bar = bar + n };

		for (i = 0; i < r->used; i++)
			if (is_transpose(&r->list[i]) == transpose &&
			    strcmp(r->list[i].peer, g.title) == 0)
				bar[n++] =
				        (struct plot_bar){ r->list[i].name, r->list[i].ratio, 0.0 };
		g.count = (size_t)(bar + n - g.bar);
		if (g.count > 0)
			groups[count++] = g;
	}
	snprintf(title, sizeof title, "libclopt beside others: %s", device);
	plot_bars_svg(to, title, groups, count);
	free(bar);
}

/* FOLDER/matmul.csv and so on. */
static int write_file(const struct peers_results *r, int transpose, const char *folder,
                      const char *end, const char *device)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s.%s", folder, transpose ? "transpose" : "matmul", end);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		return 1;
	}
	if (strcmp(end, "csv") == 0)
		write_csv(r, transpose, f);
	else
		write_svg(r, transpose, device, f);
	if (ferror(f) | fclose(f)) {
		perror(path);
		return 1;
	}
	return 0;
}

int peers_results_write(const struct peers_results *r, const char *folder, const char *device)
{
	int transpose, rc = 0;
	size_t i, n;

	for (transpose = 0; transpose < 2; transpose++) {
		for (i = n = 0; i < r->used; i++)
			n += is_transpose(&r->list[i]) == transpose;
		if (n == 0)
			continue;
		rc |= write_file(r, transpose, folder, "csv", device);
		rc |= write_file(r, transpose, folder, "svg", device);
	}
	return rc;
}
