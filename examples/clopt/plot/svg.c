/* SPDX-License-Identifier: MIT */
/*
 * svg.c - pieces of SVG, numbers, and axes with round ticks.
 */
#include "svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

enum {
	MOST_DECIMALS = 9
};

static const char style[] =
        "<style>\n"
        "text{font:12px 'DejaVu Sans',Verdana,Helvetica,sans-serif;fill:#222}\n"
        ".title{font-size:16px;font-weight:bold}.name{font-weight:bold}\n"
        ".middle{text-anchor:middle}.right{text-anchor:end}.inside{font-size:11px;fill:#fff}\n"
        ".grid{stroke:#ddd}.axis{stroke:#222;fill:none}.edge{stroke:#fff;stroke-width:.6}\n"
        ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
        ".reference{stroke-dasharray:6 4}\n"
        ".frame{stroke:#222;stroke-dasharray:3 2}\n"
        "</style>\n";

const char *plot_colour(size_t i)
{
	static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
		                               "#e69f00", "#56b4e9", "#000000" };

	return colours[i % (sizeof colours / sizeof *colours)];
}

/* ---- Numbers ---------------------------------------------------------------------- */

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

/* ---- Pieces ----------------------------------------------------------------------- */

void plot_text(FILE *to, const char *text)
{
	for (; text && *text; text++)
		if (*text == '&')
			fputs("&amp;", to);
		else if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '>')
			fputs("&gt;", to);
		else
			fputc(*text >= ' ' && *text <= '~' ? *text : '?', to);
}

void svg(FILE *to, const char *format, ...)
{
	char number[PLOT_NUMBER];
	va_list args;

	va_start(args, format);
	for (; *format; format++)
		if (*format == '%')
			fputs(plot_number(number, va_arg(args, double), 2), to);
		else if (*format == '$')
			plot_text(to, va_arg(args, const char *));
		else
			fputc(*format == '\'' ? '"' : *format, to);
	va_end(args);
}

void svg_text(FILE *to, const char *class, double x, double y, const char *text)
{
	svg(to, "<text class='$' x='%' y='%'>$</text>\n", class, x, y, text);
}

void svg_line(FILE *to, const char *class, double x, double y, double x2, double y2)
{
	svg(to, "<path class='$' d='M%,%L%,%'/>\n", class, x, y, x2, y2);
}

void svg_box(FILE *to, const char *class, const char *fill, double x, double y, double width,
             double height)
{
	svg(to, "<rect class='$' fill='$' x='%' y='%' width='%' height='%'/>\n", class, fill, x, y,
	    width, height);
}

void svg_head(FILE *to, const char *title, double width, double height)
{
	svg(to,
	    "<svg xmlns='http://www.w3.org/2000/svg' role='img' width='%' height='%' "
	    "viewBox='0 0 % %'>\n<title>$</title>\n",
	    width, height, width, height, title);
	fputs(style, to);
	svg_box(to, "", "#fff", 0, 0, width, height);
	svg_text(to, "title middle", 0.5 * width, 26, title);
}

/* ---- Axes ------------------------------------------------------------------------- */

double svg_at(const struct svg_scale *s, double value)
{
	return s->start +
	       s->length * ((s->log ? log10(value) : value) - s->from) / (s->to - s->from);
}

int svg_shown(double value)
{
	return value > 0.0 && isfinite(value);
}

void svg_take_in(struct svg_scale *s, double value)
{
	if (!svg_shown(value))
		return;
	s->from = fmin(s->from, log10(value));
	s->to = fmax(s->to, log10(value));
}

/* Logarithmic ticks are powers of ten, and where these are few 2 and 5 times them. */
void svg_axis(FILE *to, const struct svg_scale *s, int upright, double near, double far,
              const char *label)
{
	static const double parts[] = { 1.0, 2.0, 5.0 };
	const int each = s->to - s->from < 3.0 ? 3 : 1;
	const double end = s->start + s->length, middle = s->start + 0.5 * s->length;
	char text[PLOT_NUMBER];
	double value, place, share;
	int i;

	for (i = 0;; i++) {
		value = s->log ? parts[i % each] * pow(10.0, floor(s->from) + i / each) :
		                 s->from + i * s->step;
		place = svg_at(s, value);
		share = (place - s->start) / s->length;
		if (share > 1.0 + 1e-9)
			break;
		if (share < -1e-9)
			continue;
		if (s->log && value < 0.9e-3)
			snprintf(text, sizeof text, "%.0fe%.0f", parts[i % each],
			         floor(s->from) + i / each);
		else
			plot_number(text, value, plot_decimals(s->log ? value : s->step));
		if (upright) {
			svg_line(to, "grid", near, place, far, place);
			svg_text(to, "right", near - 8, place + 4, text);
		} else {
			svg_line(to, "grid", place, near, place, far);
			svg_text(to, "middle", place, near + 18, text);
		}
	}
	if (upright) {
		svg_line(to, "axis", near, s->start, near, end);
		svg(to, "<g transform='translate(%,%) rotate(-90)'>\n", near - 54, middle);
		svg_text(to, "middle", 0, 0, label);
		fputs("</g>\n", to);
	} else {
		svg_line(to, "axis", s->start, near, end, near);
		svg_text(to, "middle", middle, near + 40, label);
	}
}
