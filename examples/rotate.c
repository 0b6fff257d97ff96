/* SPDX-License-Identifier: MIT */
/*
 * rotate.c - turns a picture about its centre: the example of many lectures on OpenCL, with the
 * lectures' kernel, one work-item per pixel of the result, by clopt_map: also for pictures larger
 * than the device's memory, in bands.
 *
 * The lectures' kernel has three errors.  In `src[(int)floor(y * W + x)]` the fraction of a row
 * becomes a shift by columns: round y and x down separately.  `(int)x >= 0` also holds for -0.9:
 * compare before the conversion.  And a pixel that comes from outside is not written: it is
 * transparent here.  Points are the middles of pixels, at + 0.5, so that four quarter turns restore
 * each pixel.  The result is checked against double.
 *
 *	rotate DEGREES IN.png OUT.png
 *
 * Counterclockwise; the result holds the whole turned picture, in 8 bits, with transparency.
 */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clopt.h>
#include <clopt_device.h>

static const char *const source =
        "__kernel void turn(ulong count, ulong first, __global const uchar4 *in,\n"
        "                   __global uchar4 *out, int4 size, float c, float s)\n"
        "{\n"
        "	const uint i = get_global_id(0), wide = size.z;\n" /* bands are whole rows */
        "	const float dx = i % wide + 0.5f - 0.5f * size.z;\n"
        "	const float dy = first / wide + i / wide + 0.5f - 0.5f * size.w;\n"
        "	const float x = c * dx - s * dy + 0.5f * size.x;\n"
        "	const float y = s * dx + c * dy + 0.5f * size.y;\n"
        "	if (i < count)\n"
        "		out[i] = x >= 0 && x < size.x && y >= 0 && y < size.y ?\n"
        "			in[(size_t)(int)y * size.x + (int)x] : (uchar4)0;\n"
        "}\n";

struct picture {
	size_t w, h;
	unsigned char (*px)[4]; /* red, green, blue, opacity */
};

static struct clopt *ctx;
static double cosine, sine;

static void must(int good, const char *why)
{
	if (!good) {
		fprintf(stderr, "rotate: %s\n", why);
		exit(1);
	}
}
#define MUST(call) must((call) == CLOPT_OK, clopt_error(ctx))

static struct picture picture(size_t w, size_t h)
{
	struct picture p = { w, h, calloc(w * h, sizeof *p.px) };

	must(p.px != NULL, "no memory for the pictures");
	return p;
}

static struct picture read_png(const char *path)
{
	png_image m = { .version = PNG_IMAGE_VERSION };
	struct picture p;

	must(png_image_begin_read_from_file(&m, path), m.message);
	m.format = PNG_FORMAT_RGBA;
	p = picture(m.width, m.height);
	must(png_image_finish_read(&m, NULL, p.px, 0, NULL), m.message);
	return p;
}

static void write_png(const char *path, const struct picture *p)
{
	png_image m = { .version = PNG_IMAGE_VERSION,
		        .format = PNG_FORMAT_RGBA,
		        .width = (png_uint_32)p->w,
		        .height = (png_uint_32)p->h };

	must(png_image_write_to_file(&m, path, 0, p->px, 0, NULL), m.message);
}

static void turn(const struct picture *in, struct picture *out)
{
	int32_t size[4] = { (int32_t)in->w, (int32_t)in->h, (int32_t)out->w, (int32_t)out->h };
	float c = (float)cosine, s = (float)sine;
	const struct clopt_arg args[] = {
		{ CLOPT_ARG_COUNT, NULL, 0 },
		{ CLOPT_ARG_FIRST, NULL, 0 },
		{ CLOPT_ARG_SHARED, in->px, in->w * in->h * sizeof *in->px },
		{ CLOPT_ARG_OUT, out->px, sizeof *out->px },
		{ CLOPT_ARG_VALUE, size, sizeof size },
		{ CLOPT_ARG_VALUE, &c, sizeof c },
		{ CLOPT_ARG_VALUE, &s, sizeof s },
	};
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;

	map.source = source;
	map.name = "turn";
	map.items = out->w * out->h;
	map.items_per_group = 256;
	map.granule = out->w;
	map.args = args;
	map.nargs = sizeof args / sizeof *args;
	MUST(clopt_map(ctx, &map));
}

/* Channel k of the pixel at column x and row y; 0 outside. */
static double get(const struct picture *p, double x, double y, int k)
{
	return x >= 0 && y >= 0 && x < (double)p->w && y < (double)p->h ?
	               p->px[(size_t)y * p->w + (size_t)x][k] :
	               0;
}

/* The difference of a number from the nearest pixel's.  Positions in float are at most `slack`
 * pixels off, so near a border the pixel on the other side is right, too. */
static double nearest_off(const struct picture *in, double x, double y, double slack, int k,
                          double got)
{
	double least = HUGE_VAL;
	int i;

	for (i = 0; i < 4; i++)
		least = fmin(least, fabs(got - get(in, floor(x + (i & 1 ? slack : -slack)),
		                                   floor(y + (i & 2 ? slack : -slack)), k)));
	return least;
}

/* Whether the result is right. */
static int check(const struct picture *in, const struct picture *out)
{
	const double slack = 3e-7 * (double)(in->w + in->h + out->w + out->h);
	double worst = 0;
	size_t i, j;
	int k;

	for (j = 0; j < out->h; j++)
		for (i = 0; i < out->w; i++) {
			const double dx = (double)i + 0.5 - (double)out->w / 2;
			const double dy = (double)j + 0.5 - (double)out->h / 2;
			const double x = cosine * dx - sine * dy + (double)in->w / 2;
			const double y = sine * dx + cosine * dy + (double)in->h / 2;

			for (k = 0; k < 4; k++)
				worst = fmax(worst, nearest_off(in, x, y, slack, k,
				                                out->px[j * out->w + i][k]));
		}
	printf("%s: off by at most %.2g of 255\n", worst == 0 ? "right" : "WRONG", worst);
	return worst == 0;
}

int main(int argc, char **argv)
{
	const double angle = argc == 4 ? atof(argv[1]) : 0;
	struct picture in, out;
	int bad;

	if (argc != 4) {
		fprintf(stderr, "Usage: rotate DEGREES IN.png OUT.png\n");
		return 2;
	}
	in = read_png(argv[2]);
	cosine = cos(angle * 3.14159265358979323846 / 180);
	sine = sin(angle * 3.14159265358979323846 / 180);
	if (fmod(angle, 90) == 0) { /* exactly 0 and 1 */
		cosine = round(cosine);
		sine = round(sine);
	}
	out = picture((size_t)ceil(fabs(cosine) * in.w + fabs(sine) * in.h - 1e-6),
	              (size_t)ceil(fabs(sine) * in.w + fabs(cosine) * in.h - 1e-6));
	MUST(clopt_open(&ctx, NULL));
	printf("%zu x %zu by %g degrees: %zu x %zu\n", in.w, in.h, angle, out.w, out.h);
	turn(&in, &out);
	bad = !check(&in, &out);
	write_png(argv[3], &out);
	clopt_close(ctx);
	free(in.px);
	free(out.px);
	return bad;
}
