/* SPDX-License-Identifier: MIT */
/*
 * plot_put.c - pieces of SVG that all plots are made of.
 */
#include "plot.h"

static const char style[] = "<style>\n"
                            "text{font:12px 'DejaVu Sans',Verdana,Helvetica,sans-serif;fill:#222}\n"
                            ".title{font-size:16px;font-weight:bold}.name{font-weight:bold}\n"
                            ".middle{text-anchor:middle}.right{text-anchor:end}\n"
                            ".grid{stroke:#ddd}.axis{stroke:#222;fill:none}\n"
                            ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
                            ".reference{stroke-dasharray:6 4}\n"
                            ".frame{stroke:#222;stroke-dasharray:3 2}\n"
                            "</style>\n";

/* Okabe and Ito's, which colour-blind eyes tell apart. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00" };

const char *plot_colour(size_t i)
{
	return colours[i % (sizeof colours / sizeof *colours)];
}

void plot_put(FILE *to, const char *before, double x, const char *after)
{
	char text[PLOT_NUMBER];

	fprintf(to, "%s%s%s", before, plot_number(text, x, 2), after);
}

static void put_quoted(FILE *to, const char *text)
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

void plot_put_text(FILE *to, const char *class, double x, double y, const char *what)
{
	fprintf(to, "<text class=\"%s\"", class);
	plot_put(to, " x=\"", x, "\"");
	plot_put(to, " y=\"", y, "\">");
	put_quoted(to, what);
	fputs("</text>\n", to);
}

void plot_put_line(FILE *to, const char *class, double x, double y, double x2, double y2)
{
	fprintf(to, "<path class=\"%s\"", class);
	plot_put(to, " d=\"M", x, ",");
	plot_put(to, "", y, "L");
	plot_put(to, "", x2, ",");
	plot_put(to, "", y2, "\"/>\n");
}

void plot_put_box(FILE *to, const char *class, const char *fill, double x, double y, double width,
                  double height)
{
	fprintf(to, "<rect class=\"%s\" fill=\"%s\"", class, fill);
	plot_put(to, " x=\"", x, "\"");
	plot_put(to, " y=\"", y, "\"");
	plot_put(to, " width=\"", width, "\"");
	plot_put(to, " height=\"", height, "\"/>\n");
}

void plot_head(FILE *to, const char *title, unsigned width, unsigned height)
{
	fprintf(to,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%u\" height=\"%u\" "
	        "viewBox=\"0 0 %u %u\">\n<title>",
	        width, height, width, height);
	put_quoted(to, title);
	fprintf(to, "</title>\n%s<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n", style, width,
	        height);
	plot_put_text(to, "title middle", 0.5 * width, 26, title);
}
