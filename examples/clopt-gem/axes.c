/* SPDX-License-Identifier: MIT */
/*
 * axes.c - principal axes, by Jacobi's rotations.
 *
 * A rotation in the plane of two axes makes their off-diagonal element zero;
 * going round the three pairs shrinks all of them quadratically, so a few
 * sweeps do for a 3 x 3 matrix.
 */
#include <math.h>
#include <string.h>

#include "draw.h"

static void covariance(const struct gem_points *p, double centre[3], double s[3][3])
{
	size_t i;
	int j, k;

	memset(centre, 0, 3 * sizeof *centre);
	memset(s, 0, 9 * sizeof **s);
	for (i = 0; i < p->n; i++)
		for (j = 0; j < 3; j++)
			centre[j] += p->at[i][j] / (double)p->n;
	for (i = 0; i < p->n; i++)
		for (j = 0; j < 3; j++)
			for (k = 0; k < 3; k++)
				s[j][k] += (p->at[i][j] - centre[j]) * (p->at[i][k] - centre[k]);
}

/* Rotate so that s[a][b] is 0; the rows of v keep the axes. */
static void rotate(double s[3][3], double v[3][3], int a, int b)
{
	double theta, t, c, n, x, y;
	int i;

	if (s[a][b] == 0)
		return;
	theta = (s[b][b] - s[a][a]) / (2 * s[a][b]);
	t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
	c = 1 / hypot(t, 1);
	n = t * c;
	for (i = 0; i < 3; i++) {
		x = s[i][a];
		y = s[i][b];
		s[i][a] = c * x - n * y;
		s[i][b] = n * x + c * y;
	}
	for (i = 0; i < 3; i++) {
		x = s[a][i];
		y = s[b][i];
		s[a][i] = c * x - n * y;
		s[b][i] = n * x + c * y;
		x = v[a][i];
		y = v[b][i];
		v[a][i] = c * x - n * y;
		v[b][i] = n * x + c * y;
	}
	s[a][b] = s[b][a] = 0;
}

/* The sign of an axis is free; with its largest part positive it is the same
 * each time. */
static void face(double v[3])
{
	int i, most = 0;

	for (i = 1; i < 3; i++)
		if (fabs(v[i]) > fabs(v[most]))
			most = i;
	if (v[most] < 0)
		for (i = 0; i < 3; i++)
			v[i] = -v[i];
}

void gem_axes(const struct gem_points *p, double centre[3], double axis[3][3])
{
	double s[3][3], v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	int sweep, i, j, order[3] = { 0, 1, 2 };

	covariance(p, centre, s);
	for (sweep = 0; sweep < 12; sweep++) {
		rotate(s, v, 0, 1);
		rotate(s, v, 0, 2);
		rotate(s, v, 1, 2);
	}
	for (i = 0; i < 2; i++)
		for (j = 0; j < 2; j++)
			if (s[order[j]][order[j]] < s[order[j + 1]][order[j + 1]]) {
				int k = order[j];

				order[j] = order[j + 1];
				order[j + 1] = k;
			}
	for (i = 0; i < 2; i++) {
		memcpy(axis[i], v[order[i]], sizeof axis[i]);
		face(axis[i]);
	}
	for (i = 0; i < 3; i++)
		axis[2][i] = axis[0][(i + 1) % 3] * axis[1][(i + 2) % 3] -
		             axis[0][(i + 2) % 3] * axis[1][(i + 1) % 3];
}
