/* SPDX-License-Identifier: MIT */
/*
 * stroke.c - the letters of a picture, drawn as lines.
 *
 * A glyph is a list of points, two digits each: x from 0 to 4, y from 0 at the
 * base to 8, and as '/' and '.', which come before '0', one and two below the
 * base.  A blank lifts the pen.  What numbers, units and most names of files
 * need is here; any other character leaves a gap.
 */
#include <math.h>
#include <string.h>

#include "draw.h"

static const struct glyph {
	char c;
	unsigned char width;
	const char *path;
} glyphs[] = {
	{ '0', 4, "103041473818070110" },
	{ '1', 3, "062820 1030" },
	{ '2', 4, "0607183847450040" },
	{ '3', 4, "07183847453424344341301001" },
	{ '4', 4, "30380343" },
	{ '5', 4, "480805354441301001" },
	{ '6', 4, "473818070110304143341403" },
	{ '7', 4, "084810" },
	{ '8', 4, "14050718384745341403011030414334" },
	{ '9', 4, "011030414738180705143445" },
	{ '+', 4, "0444 2226" },
	{ '-', 4, "0444" },
	{ '.', 0, "0000" },
	{ ',', 1, "110/" },
	{ ':', 0, "0000 0404" },
	{ '/', 3, "0038" },
	{ '_', 4, "0/4/" },
	{ '=', 4, "0343 0545" },
	{ '~', 4, "03143344" },
	{ '(', 1, "18060210" },
	{ ')', 1, "08161200" },
	{ '#', 4, "1018 3038 0242 0646" },
	/* At most and at least: these two have a line below. */
	{ '<', 4, "470543 0141" },
	{ '>', 4, "074503 0141" },
	{ 'A', 4, "002840 1333" },
	{ 'B', 4, "00083847453404 3443413000" },
	{ 'C', 4, "4738180701103041" },
	{ 'D', 4, "00082846422000" },
	{ 'E', 4, "48080040 0434" },
	{ 'F', 4, "480800 0434" },
	{ 'G', 4, "47381807011030414424" },
	{ 'H', 4, "0008 4048 0444" },
	{ 'I', 2, "0020 0828 1018" },
	{ 'J', 3, "3831201001" },
	{ 'K', 4, "0008 4804 1540" },
	{ 'L', 3, "080030" },
	{ 'M', 4, "0008244840" },
	{ 'N', 4, "00084048" },
	{ 'O', 4, "103042463818060210" },
	{ 'P', 4, "00083847453404" },
	{ 'Q', 4, "103042463818060210 2240" },
	{ 'R', 4, "00083847453404 2440" },
	{ 'S', 4, "473818070514344341301001" },
	{ 'T', 4, "0848 2820" },
	{ 'U', 4, "080110304148" },
	{ 'V', 4, "082048" },
	{ 'W', 4, "0810243048" },
	{ 'X', 4, "0048 0840" },
	{ 'Y', 4, "082448 2420" },
	{ 'Z', 4, "08480040" },
	{ 'a', 3, "0415253430 33130201102031" },
	{ 'b', 3, "0800 0415253431201001" },
	{ 'c', 3, "3425150401102031" },
	{ 'd', 3, "3830 3425150401102031" },
	{ 'e', 3, "033334251504011030" },
	{ 'f', 3, "38281710 0535" },
	{ 'g', 3, "353/2.1.0/ 3425150401102031" },
	{ 'h', 3, "0800 0415253430" },
	{ 'i', 0, "0500 0707" },
	{ 'j', 1, "151/0. 1717" },
	{ 'k', 3, "0008 3502 1330" },
	{ 'l', 0, "0800" },
	{ 'm', 4, "0005 04152420 24354440" },
	{ 'n', 3, "0500 0415253430" },
	{ 'o', 3, "102031342515040110" },
	{ 'p', 3, "050. 0415253431201001" },
	{ 'q', 3, "353. 3425150401102031" },
	{ 'r', 2, "0500 041525" },
	{ 's', 3, "3425150431201001" },
	{ 't', 3, "17112030 0535" },
	{ 'u', 3, "0501102031 3530" },
	{ 'v', 4, "052045" },
	{ 'w', 4, "0510243045" },
	{ 'x', 3, "0530 0035" },
	{ 'y', 4, "0520 451." },
	{ 'z', 3, "05350030" },
};

static const struct glyph *find(char c)
{
	size_t i;

	for (i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
		if (glyphs[i].c == c)
			return &glyphs[i];
	return NULL;
}

/* Darken the pixels within half of the line from a to b.  Taking the darker of
 * old and new leaves no knots where lines meet. */
static void line(struct gem_canvas *c, double ax, double ay, double bx, double by, double half)
{
	double dx = bx - ax, dy = by - ay, dd = dx * dx + dy * dy, t, d;
	double x, y, x0 = fmin(ax, bx) - half - 1, y0 = fmin(ay, by) - half - 1;
	unsigned char ink, *px;
	int i;

	for (y = floor(fmax(y0, 0)); y < (double)c->h && y < fmax(ay, by) + half + 1; y++)
		for (x = floor(fmax(x0, 0)); x < (double)c->w && x < fmax(ax, bx) + half + 1; x++) {
			t = dd > 0 ? ((x + 0.5 - ax) * dx + (y + 0.5 - ay) * dy) / dd : 0;
			t = fmax(0, fmin(t, 1));
			d = hypot(x + 0.5 - ax - t * dx, y + 0.5 - ay - t * dy);
			d = fmax(0, fmin(half + 0.5 - d, 1));
			ink = (unsigned char)(255 - 205 * d);
			px = &c->rgb[3 * ((size_t)y * c->w + (size_t)x)];
			for (i = 0; i < 3; i++)
				px[i] = px[i] < ink ? px[i] : ink;
		}
}

static void draw(struct gem_canvas *c, double x, double base, double unit, const char *p)
{
	for (; p[2]; p += 2) {
		if (p[2] == ' ') {
			p++;
			continue;
		}
		line(c, x + unit * (p[0] - '0'), base - unit * (p[1] - '0'),
		     x + unit * (p[2] - '0'), base - unit * (p[3] - '0'), 0.5 * unit);
	}
}

double gem_stroke(struct gem_canvas *c, double x, double y, double height, const char *text)
{
	double unit = height / 8, at = 0;
	const struct glyph *g;

	for (; *text; text++) {
		g = find(*text);
		if (g && c)
			draw(c, x + at, y + height / 2, unit, g->path);
		at += unit * ((g ? g->width : 2) + 2);
	}
	return at > 0 ? at - 2 * unit : 0;
}
