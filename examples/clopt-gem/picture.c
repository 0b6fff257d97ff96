/* SPDX-License-Identifier: MIT */
/*
 * picture.c - the picture as a whole: the surface, its name, and the bar that
 * says what its colours mean.
 *
 * All is drawn at twice the size, and 2 x 2 pixels become one at the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

static const unsigned char paper = 250;

/* The end of the colours that t is, or 0 for t = 0: a number with its sign, in
 * three digits or, to a million, as an integer; and where values lie beyond, the
 * sign that says so. */
static void label(char *s, size_t size, const struct gem_range *r, double t)
{
	const char *beyond = t < 0 && r->below ? "< " : t > 0 && r->above ? "> " : "";
	int shortly = r->end < 999.5 || r->end >= 1e6;

	if (t == 0)
		snprintf(s, size, "0");
	else
		snprintf(s, size, shortly ? "%s%+.3g" : "%s%+.0f", beyond, t * r->end);
}

static void box(struct gem_canvas *c, double x0, double y0, double x1, double y1,
                const float rgb[3])
{
	size_t x, y;
	int i;

	for (y = (size_t)y0; y < (size_t)y1 && y < c->h; y++)
		for (x = (size_t)x0; x < (size_t)x1 && x < c->w; x++)
			for (i = 0; i < 3; i++)
				c->rgb[3 * (y * c->w + x) + (size_t)i] =
				        (unsigned char)(255 * rgb[i]);
}

/* The bar with its top at y, and ticks right of it at its middle and its ends. */
static void bar(struct gem_canvas *c, double x, double y, double w, double h, double text,
                const struct gem_range *range)
{
	static const float grey[3] = { 0.35f, 0.35f, 0.35f };
	const double edge = fmax(1, w / 20);
	char s[40];
	float rgb[3];
	double i, t;

	box(c, x - edge, y - edge, x + w + edge, y + h + edge, grey);
	for (i = 0; i < h; i++) {
		gem_colour(1 - 2 * (i + 0.5) / h, rgb);
		box(c, x, y + i, x + w, y + i + 1, rgb);
	}
	for (t = 1; t >= -1; t--) {
		i = y + h * (1 - t) / 2;
		box(c, x + w, i - edge / 2, x + w + text / 2, i + edge / 2 + 1, grey);
		label(s, sizeof s, range, t);
		gem_stroke(c, x + w + text * 0.9, i, text, s);
	}
}

/* The molecule's name, in the upper left corner.  A long one is made to fit. */
static void title(struct gem_canvas *c, const char *name, double text)
{
	size_t n = strlen(name), cut = n > 4 && strcmp(name + n - 4, ".pqr") == 0 ? 4 : 0;
	double gap = 2 * text, room = (double)c->w - 2 * gap, wide;
	char s[256];

	snprintf(s, sizeof s, "%.*s", (int)(n - cut), name);
	wide = gem_stroke(NULL, 0, 0, text, s);
	gem_stroke(c, gap, gap, wide > room ? text * room / wide : text, s);
}

/* Returns how wide the surface may be. */
static size_t legend(struct gem_canvas *c, const struct gem_picture *o)
{
	double text = (double)c->w / 60, gap = 2 * text, w = 1.5 * text, wide = 0, unit, x, t;
	double h = 0.5 * (double)c->h, y = ((double)c->h - h) / 2;
	char s[40];

	for (t = -1; t <= 1; t += 2) {
		label(s, sizeof s, &o->range, t);
		wide = fmax(wide, gem_stroke(NULL, 0, 0, text, s));
	}
	unit = gem_stroke(NULL, 0, 0, text, o->unit->label);
	x = (double)c->w - gap - fmax(w + 0.9 * text + wide, unit);
	if (x < (double)c->w / 2)
		return c->w; /* too small a picture for letters */
	bar(c, x, y, w, h, text, &o->range);
	title(c, o->title, text);
	gem_stroke(c, x, y - 2 * text, text, o->unit->label);
	return (size_t)x;
}

static void halve(struct gem_canvas *to, const struct gem_canvas *from)
{
	size_t x, y, row = 3 * from->w;
	const unsigned char *s;
	unsigned char *d = to->rgb;

	for (y = 0; y < to->h; y++)
		for (x = 0; x < 3 * to->w; x++) {
			/* x counts colours, three to a pixel. */
			s = from->rgb + 2 * y * row + x / 3 * 6 + x % 3;
			*d++ = (unsigned char)((s[0] + s[3] + s[row] + s[row + 3] + 2) / 4);
		}
}

static int draw(struct gem_canvas *out, const struct gem_points *p, const float *value,
                const struct gem_picture *o, struct gem_error *e)
{
	struct gem_canvas c = { NULL, 2 * o->size, 2 * o->size };
	int rc;

	c.rgb = malloc(3 * c.w * c.h);
	out->rgb = malloc(3 * out->w * out->h);
	if (!c.rgb || !out->rgb) {
		rc = gem_fail(e, "out of memory for a picture of %zu x %zu", o->size, o->size);
	} else {
		memset(c.rgb, paper, 3 * c.w * c.h);
		rc = gem_splat(&c, legend(&c, o), p, value, o->range.end, e);
	}
	if (rc == 0)
		halve(out, &c);
	free(c.rgb);
	return rc;
}

int gem_write_png(const char *path, const struct gem_points *p, const float *value,
                  const struct gem_picture *o, struct gem_error *e)
{
	struct gem_canvas c = { NULL, o->size, o->size };
	struct outfile file;
	int rc = draw(&c, p, value, o, e);

	if (rc == 0)
		rc = outfile_open(&file, path, e->text, sizeof e->text);
	if (rc == 0) {
		rc = gem_png(file.f, &c, o, e);
		if (rc)
			outfile_drop(&file);
		else
			rc = outfile_commit(&file, e->text, sizeof e->text);
	}
	free(c.rgb);
	return rc;
}
