/* SPDX-License-Identifier: MIT */
/*
 * plot_axis.c - where an axis begins and ends, and its round ticks.
 */
#include <inttypes.h>
#include <math.h>

#include "plot.h"

enum {
	MOST_TICKS = 8,
	MOST_DECIMALS = 9
};

char *plot_number(char text[PLOT_NUMBER], double x, int decimals)
{
	const double most = 1e15; /* digits that a double has */
	int64_t scale = 1, all, part;
	int i;

	x = fmax(-most, fmin(x, most));
	for (i = 0; i < decimals && i < MOST_DECIMALS && fabs(x) * (double)scale < most; i++)
		scale *= 10;
	all = llround(fabs(x) * (double)scale);
	part = all % scale;
	for (decimals = i; decimals > 0 && part % 10 == 0; decimals--)
		part /= 10;
	i = snprintf(text, PLOT_NUMBER, "%s%" PRId64, x < 0 && all > 0 ? "-" : "", all / scale);
	if (decimals > 0)
		snprintf(text + i, PLOT_NUMBER - (size_t)i, ".%0*d", decimals, (int)part);
	return text;
}

double plot_step(double span, int most)
{
	static const double round_steps[] = { 1.0, 2.0, 5.0, 10.0 };
	const double power = pow(10.0, floor(log10(span / most)));
	size_t i = 0;

	/* 0.3 / 0.1 is a little less than 3 and means it. */
	while (i < 3 && span / (round_steps[i] * power) > most * (1.0 + 1e-9))
		i++;
	return round_steps[i] * power;
}

int plot_decimals(double step)
{
	int n = 0;

	for (; n < MOST_DECIMALS && fabs(step - round(step)) > 1e-6 * fabs(step); n++)
		step *= 10.0;
	return n;
}

/* Take in all values that have a partner. */
static void widen(struct plot_axis *a, const double *value, const double *partner, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!isfinite(value[i]) || !isfinite(partner[i]))
			continue;
		a->from = fmin(a->from, value[i]);
		a->to = fmax(a->to, value[i]);
	}
}

/* A tick at both ends. */
static void settle(struct plot_axis *a)
{
	if (!(a->from < a->to))
		a->to = a->from + 1.0;
	if (!(a->step > 0.0))
		a->step = plot_step(a->to - a->from, MOST_TICKS);
	a->from = a->step * floor(a->from / a->step + 1e-9);
	a->to = a->step * ceil(a->to / a->step - 1e-9);
}

void plot_axes(const struct plot_panel *p, struct plot_axis *x, struct plot_axis *y)
{
	const struct plot_series *s;

	*x = p->x;
	*y = p->y;
	for (s = p->series; s < p->series + p->count; s++) {
		if (!(p->x.from < p->x.to))
			widen(x, s->x, s->y, s->n);
		if (!(p->y.from < p->y.to))
			widen(y, s->y, s->x, s->n);
	}
	settle(x);
	settle(y);
}
