/* SPDX-License-Identifier: MIT */
/*
 * picture.c - the picture as a whole: the surface, its name, and the bar with the meaning of the
 * colours.
 */
#include <math.h>
#include <string.h>

#include "../../common/json_text.h"
#include "draw.h"

/* Greys. */
#define INK 0.2
#define LINE 0.35
#define PAPER 0.98

/* The end of the colours that t is, or 0 for t = 0: a number with its sign, in three digits or, to
 * a million, as an integer; and "at most" or "at least" where values lie beyond. */
static const char *label(char s[40], const struct gem_range *r, double t)
{
	const char *beyond = t < 0 && r->below ? "\342\211\244 " :
	                     t > 0 && r->above ? "\342\211\245 " :
	                                         "";
	const int shortly = r->end < 999.5 || r->end >= 1e6;

	if (t == 0)
		snprintf(s, 40, "0");
	else
		snprintf(s, 40, shortly ? "%s%+.3g" : "%s%+.0f", beyond, t * r->end);
	return s;
}

/* The bar with its top at y, and ticks right of it at its middle and its ends. */
static void bar(cairo_t *c, double x, double y, double w, double h, double height,
                const struct gem_range *range)
{
	cairo_pattern_t *colours = cairo_pattern_create_linear(0, y, 0, y + h);
	const double edge = fmax(0.5, w / 20);
	char s[40];
	float rgb[3];
	double at, t;

	picture_box(c, x - edge, y - edge, w + 2 * edge, h + 2 * edge, LINE);
	for (t = 1; t >= -1; t--) {
		gem_colour(t, rgb);
		cairo_pattern_add_color_stop_rgb(colours, (1 - t) / 2, (double)rgb[0],
		                                 (double)rgb[1], (double)rgb[2]);
		at = y + h * (1 - t) / 2;
		picture_box(c, x + w, at - edge / 2, height / 2, edge, LINE);
		picture_text(c, x + w + height * 0.9, at, height, INK, label(s, range, t));
	}
	cairo_set_source(c, colours);
	cairo_pattern_destroy(colours);
	cairo_rectangle(c, x, y, w, h);
	cairo_fill(c);
}

/* The molecule's name, in the upper left corner.  A long name is made to fit. */
static void title(cairo_t *c, const char *name, double size, double height)
{
	const double gap = 2 * height, room = size - 2 * gap;
	json_t *clean = json_text(name); /* a file's name may be no UTF-8 */
	double wide;
	char s[256];

	snprintf(s, sizeof s, "%s", clean ? json_string_value(clean) : "");
	json_decref(clean);
	wide = picture_text_width(c, height, s);
	picture_text(c, gap, gap, wide > room ? height * room / wide : height, INK, s);
}

/* The surface, x pixels wide, or its front above its back; drawn at twice the size: 2 x 2 pixels
 * become one. */
static int surfaces(cairo_t *c, const struct gem_work *g, size_t x, struct fault *e)
{
	const size_t parts = g->o.views ? 2 : 1, h = g->o.size / parts;
	struct gem_view own = { 0 }, *v = g->view ? g->view : &own;
	cairo_surface_t *s;
	size_t i;

	if (!v->set)
		gem_look(v, &g->m, &g->p, &g->o.view);
	for (i = 0; i < parts; i++) {
		s = gem_surface(2 * x, 2 * h, &g->p, g->r.value, g->range.end, v, i == 1, e);
		if (!s)
			return -1;
		cairo_save(c);
		cairo_scale(c, 0.5, 0.5);
		cairo_set_source_surface(c, s, 0, (double)(2 * i * h));
		cairo_paint(c);
		cairo_restore(c);
		cairo_surface_destroy(s);
	}
	return 0;
}

static int draw(cairo_t *c, const struct gem_work *g, struct fault *e)
{
	const double size = (double)g->o.size, height = size / 60, w = 1.5 * height, h = size / 2;
	const double unit = picture_text_width(c, height, g->model.unit.label);
	double wide, x, y = size / 4;
	char s[40];
	int small, i;

	wide = picture_text_width(c, height, label(s, &g->range, -1));
	wide = fmax(wide, picture_text_width(c, height, label(s, &g->range, 1)));
	x = size - 2 * height - fmax(w + 0.9 * height + wide, unit);
	small = x < size / 2; /* too small a picture for letters */
	if (surfaces(c, g, small ? g->o.size : (size_t)x, e))
		return -1;
	if (small)
		return 0;
	bar(c, x, y, w, h, height, &g->range);
	title(c, g->o.name, size, height);
	picture_text(c, x, y - 2 * height, height, INK, g->model.unit.label);
	for (i = 0; g->o.views && i < 2; i++)
		picture_text(c, 2 * height, (i + 1) * h - 2 * height, height, INK,
		             i ? "back" : "front");
	return 0;
}

cairo_surface_t *gem_picture(const struct gem_work *w, struct fault *e)
{
	cairo_surface_t *s = picture_new(w->o.size, w->o.size, w->o.transparent, e);
	cairo_t *c;
	int rc;

	if (!s)
		return NULL;
	c = cairo_create(s);
	cairo_set_source_rgb(c, PAPER, PAPER, PAPER);
	if (!w->o.transparent)
		cairo_paint(c);
	rc = draw(c, w, e);
	if (rc == 0 && cairo_status(c))
		rc = fail(e, "the picture: %s", cairo_status_to_string(cairo_status(c)));
	cairo_destroy(c);
	if (rc) {
		cairo_surface_destroy(s);
		s = NULL;
	}
	return s;
}

int gem_write_png(const char *path, const struct gem_work *w, struct fault *e)
{
	struct picture_note note[] = {
		{ "Title", "" }, { "Range", "" }, { "Units", "" }, { "Software", "" }
	};
	const struct picture o = { gem_picture(w, e), note, 4 };
	int rc;

	snprintf(note[0].text, sizeof note->text, "%.255s", w->o.name);
	snprintf(note[1].text, sizeof note->text, "%.9g to %.9g", -w->range.end, w->range.end);
	snprintf(note[2].text, sizeof note->text, "%s", w->model.unit.label);
	snprintf(note[3].text, sizeof note->text, "clopt-gem %s", clopt_version());
	rc = o.s ? picture_write(path, &o, e) : -1;
	cairo_surface_destroy(o.s);
	return rc;
}
