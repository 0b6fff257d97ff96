/* SPDX-License-Identifier: MIT */
/*
 * rotate.c - turns a picture about its centre: the example of many lectures on OpenCL, three ways.
 *
 *	buffers   the lectures' kernel, one work-item per pixel of the result, by clopt_map: also
 *	          for pictures larger than the device's memory, in bands
 *	nearest   from an image, by a sampler that takes the nearest pixel
 *	linear    by a sampler that mixes four pixels
 *
 * The last two use OpenCL objects made in the library's context.
 *
 * The lectures' kernel has three errors.  In `src[(int)floor(y * W + x)]` the fraction of a row
 * becomes a shift by columns: round y and x down separately.  `(int)x >= 0` also holds for -0.9:
 * compare before the conversion.  And a pixel that comes from outside is not written: it is black
 * here, or transparent.  Points are the middles of pixels, at + 0.5, so that four quarter turns
 * restore each pixel.  All ways are checked against double.
 *
 *	rotate [--angle A] [--expand] [--way buffers|nearest|linear] IN.png OUT.png
 *
 * A in degrees, counterclockwise (30).  --expand: the result is as large as the turned picture.
 * PNG of any kind, also with transparency; the result has the channels and the depth of the input.
 */
#include <getopt.h>
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clopt_cl.h>

static const char *const by_buffers =
        "__kernel void turn(ulong count, ulong first, __global const ushort4 *in,\n"
        "                   __global ushort4 *out, int4 size, float c, float s)\n"
        "{\n"
        "	const uint i = get_global_id(0), wide = size.z;\n" /* bands are whole rows */
        "	const float dx = i % wide + 0.5f - 0.5f * size.z;\n"
        "	const float dy = first / wide + i / wide + 0.5f - 0.5f * size.w;\n"
        "	const float x = c * dx - s * dy + 0.5f * size.x;\n"
        "	const float y = s * dx + c * dy + 0.5f * size.y;\n"
        "	if (i < count)\n"
        "		out[i] = x >= 0 && x < size.x && y >= 0 && y < size.y ?\n"
        "			in[(size_t)(int)y * size.x + (int)x] : (ushort4)0;\n"
        "}\n";

static const char *const by_images =
        "__kernel void turn(__read_only image2d_t in, __write_only image2d_t out,\n"
        "                   sampler_t how, float c, float s)\n"
        "{\n"
        "	const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "	const int2 size = get_image_dim(out);\n"
        "	const float2 d = convert_float2(at) + 0.5f - 0.5f * convert_float2(size);\n"
        "	const float2 from = (float2)(c * d.x - s * d.y, s * d.x + c * d.y) +\n"
        "			0.5f * convert_float2(get_image_dim(in));\n"
        "	if (at.x < size.x && at.y < size.y)\n"
        "		write_imagef(out, at, read_imagef(in, how, from));\n"
        "}\n";

enum way {
	BUFFERS,
	NEAREST,
	LINEAR,
	WAYS
};
static const char *const ways[] = { "buffers", "nearest", "linear" };

#define FULL 65535

/* Pixels of red, green, blue and opacity, from 0 to FULL. */
struct picture {
	size_t w, h;
	int channels, depth; /* of its file */
	uint16_t (*px)[4];
};

static struct clopt *ctx;

static void must(int rc)
{
	if (rc != CLOPT_OK) {
		fprintf(stderr, "rotate: %s\n", clopt_error(ctx));
		exit(1);
	}
}

static void must_cl(const char *what, cl_int code)
{
	if (code != CL_SUCCESS) {
		fprintf(stderr, "rotate: %s: OpenCL's error %d\n", what, (int)code);
		exit(1);
	}
}

/* A black picture of this size, for a file like another picture's. */
static struct picture picture(size_t w, size_t h, const struct picture *like)
{
	struct picture p = { w, h, like->channels, like->depth, calloc(w * h, sizeof *p.px) };

	if (!p.px) {
		fprintf(stderr, "rotate: no memory for %zu x %zu pixels\n", w, h);
		exit(1);
	}
	return p;
}

/* ---- PNG ------------------------------------------------------------------------- */

static void png_failed(png_structp png, png_const_charp why)
{
	fprintf(stderr, "rotate: %s: %s\n", (const char *)png_get_error_ptr(png), why);
	exit(1);
}

static FILE *open_file(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

static struct picture read_png(char *path)
{
	FILE *f = open_file(path, "rb");
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, path, png_failed, NULL);
	png_infop info = png_create_info_struct(png);
	struct picture p = { 0 };
	const uint16_t one = 1;
	int colour, passes;
	size_t y;

	png_init_io(png, f);
	png_read_info(png, info);
	colour = png_get_color_type(png, info);
	p.channels = (colour & PNG_COLOR_MASK_COLOR ? 3 : 1) +
	             (colour & PNG_COLOR_MASK_ALPHA || png_get_valid(png, info, PNG_INFO_tRNS));
	p.depth = png_get_bit_depth(png, info) == 16 ? 16 : 8;
	png_set_expand_16(png);
	png_set_gray_to_rgb(png);
	png_set_add_alpha(png, FULL, PNG_FILLER_AFTER);
	if (*(const unsigned char *)&one) /* PNG's numbers are big-endian */
		png_set_swap(png);
	passes = png_set_interlace_handling(png);
	png_read_update_info(png, info);
	p = picture(png_get_image_width(png, info), png_get_image_height(png, info), &p);
	while (passes--)
		for (y = 0; y < p.h; y++)
			png_read_row(png, (png_bytep)p.px[y * p.w], NULL);
	png_read_end(png, NULL);
	png_destroy_read_struct(&png, &info, NULL);
	fclose(f);
	return p;
}

static void write_png(char *path, const struct picture *p)
{
	static const int colours[] = { PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
		                       PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
	static const int from[4][4] = { { 0 }, { 0, 3 }, { 0, 1, 2 }, { 0, 1, 2, 3 } };
	FILE *f = open_file(path, "wb");
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, path, png_failed, NULL);
	png_infop info = png_create_info_struct(png);
	unsigned char *row = (unsigned char *)picture(p->w, 1, p).px, *to;
	size_t x, y;
	int k;

	png_init_io(png, f);
	png_set_IHDR(png, info, (png_uint_32)p->w, (png_uint_32)p->h, p->depth,
	             colours[p->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
	             PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (y = 0; y < p->h; y++) {
		for (to = row, x = 0; x < p->w; x++)
			for (k = 0; k < p->channels; k++) {
				const unsigned v = p->px[y * p->w + x][from[p->channels - 1][k]];

				*to++ = (unsigned char)(p->depth == 16 ? v >> 8 : (v + 128) / 257);
				if (p->depth == 16)
					*to++ = (unsigned char)v;
			}
		png_write_row(png, row);
	}
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
	free(row);
	if (fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* Multiply colours by opacity, or divide them again.  Filters mix the products: the colour of an
 * invisible pixel must not show. */
static void weigh(struct picture *p, int back)
{
	size_t i;
	int k;

	for (i = 0; i < p->w * p->h; i++) {
		const double opacity = p->px[i][3] / (double)FULL;
		const double factor = !back ? opacity : opacity > 0 ? 1 / opacity : 0;

		for (k = 0; k < 3; k++)
			p->px[i][k] = (uint16_t)(fmin(p->px[i][k] * factor, FULL) + 0.5);
	}
}

/* ---- Turning ------------------------------------------------------------------------- */

struct turn {
	double c, s; /* cosine and sine */
};

/* Exactly 0 and 1 for quarter turns. */
static struct turn turn_by(double degrees)
{
	const double a = degrees * 3.14159265358979323846 / 180;
	struct turn t = { cos(a), sin(a) };

	if (fmod(degrees, 90) == 0) {
		t.c = round(t.c);
		t.s = round(t.s);
	}
	return t;
}

/* Both functions return the kernel's seconds. */
static double turn_buffers(struct picture *in, struct picture *out, struct turn t)
{
	int32_t size[4] = { (int32_t)in->w, (int32_t)in->h, (int32_t)out->w, (int32_t)out->h };
	float c = (float)t.c, s = (float)t.s;
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
	struct clopt_report report = CLOPT_REPORT_INIT;

	map.source = by_buffers;
	map.name = "turn";
	map.items = out->w * out->h;
	map.items_per_group = 256;
	map.granule = out->w;
	map.args = args;
	map.nargs = sizeof args / sizeof *args;
	must(clopt_map(ctx, &map));
	must(clopt_last_report(ctx, &report));
	return report.kernel_seconds;
}

static cl_mem image(cl_mem_flags flags, const struct picture *p, void *from)
{
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT16 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
		                     .image_width = p->w,
		                     .image_height = p->h };
	cl_int code;
	cl_mem m = clCreateImage(clopt_cl_context(ctx), flags, &format, &desc, from, &code);

	must_cl("clCreateImage", code);
	return m;
}

/* In a queue of the library, which reads the time of the event. */
static double turn_images(const struct picture *in, struct picture *out, struct turn t,
                          cl_kernel kernel, cl_filter_mode filter)
{
	const size_t origin[3] = { 0, 0, 0 }, region[3] = { out->w, out->h, 1 };
	const size_t group[2] = { 16, 16 };
	const size_t grid[2] = { (out->w + 15) / 16 * 16, (out->h + 15) / 16 * 16 };
	const float c = (float)t.c, s = (float)t.s;
	cl_mem from = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, in, in->px);
	cl_mem to = image(CL_MEM_WRITE_ONLY, out, NULL);
	cl_int code;
	cl_sampler sampler =
	        clCreateSampler(clopt_cl_context(ctx), CL_FALSE, CL_ADDRESS_CLAMP, filter, &code);
	struct clopt_queue *queue;
	struct clopt_event *event;
	cl_event ended;
	double seconds;

	must_cl("clCreateSampler", code);
	must(clopt_queue_new(ctx, &queue));
	must_cl("clSetKernelArg", clSetKernelArg(kernel, 0, sizeof from, &from));
	must_cl("clSetKernelArg", clSetKernelArg(kernel, 1, sizeof to, &to));
	must_cl("clSetKernelArg", clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
	must_cl("clSetKernelArg", clSetKernelArg(kernel, 3, sizeof c, &c));
	must_cl("clSetKernelArg", clSetKernelArg(kernel, 4, sizeof s, &s));
	must_cl("clEnqueueNDRangeKernel",
	        clEnqueueNDRangeKernel(clopt_queue_cl(queue), kernel, 2, NULL, grid, group, 0, NULL,
	                               &ended));
	must_cl("clEnqueueReadImage", clEnqueueReadImage(clopt_queue_cl(queue), to, CL_TRUE, origin,
	                                                 region, 0, 0, out->px, 0, NULL, NULL));
	must(clopt_event_from_cl(ctx, ended, &event));
	must(clopt_event_seconds(event, &seconds));
	clopt_event_free(event);
	clReleaseEvent(ended);
	clopt_queue_free(queue);
	clReleaseSampler(sampler);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
	return seconds;
}

/* ---- The check ----------------------------------------------------------------------- */

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

/* The difference of a number from the mixture of four pixels. */
static double linear_off(const struct picture *in, double x, double y, int k, double got)
{
	const double u = floor(x - 0.5), v = floor(y - 0.5), fx = x - 0.5 - u, fy = y - 0.5 - v;
	const double upper = (1 - fx) * get(in, u, v, k) + fx * get(in, u + 1, v, k);
	const double lower = (1 - fx) * get(in, u, v + 1, k) + fx * get(in, u + 1, v + 1, k);

	return fabs(got - (1 - fy) * upper - fy * lower);
}

/* Whether the result is right.  Samplers may round weights to 8 bits. */
static int check(int way, const struct picture *in, const struct picture *out, struct turn t,
                 double seconds)
{
	const double slack = 3e-7 * (double)(in->w + in->h + out->w + out->h);
	const double bound = way == LINEAR ? FULL * (1. / 256 + 2 * slack) + 1 : 0;
	double worst = 0;
	size_t i, j;
	int k;

	for (j = 0; j < out->h; j++)
		for (i = 0; i < out->w; i++) {
			const double dx = (double)i + 0.5 - (double)out->w / 2;
			const double dy = (double)j + 0.5 - (double)out->h / 2;
			const double x = t.c * dx - t.s * dy + (double)in->w / 2;
			const double y = t.s * dx + t.c * dy + (double)in->h / 2;

			for (k = 0; k < 4; k++) {
				const double got = out->px[j * out->w + i][k];

				worst = fmax(worst, way == LINEAR ?
				                            linear_off(in, x, y, k, got) :
				                            nearest_off(in, x, y, slack, k, got));
			}
		}
	printf("%-8s %9.3f ms, %s: off by at most %.2g of the full range\n", ways[way],
	       1e3 * seconds, worst <= bound ? "right" : "WRONG", worst / FULL);
	return worst <= bound;
}

/* ---- The program ----------------------------------------------------------------------- */

static cl_kernel build(void)
{
	cl_device_id device = clopt_cl_device(ctx);
	const char *source = by_images;
	cl_int code;
	cl_program program =
	        clCreateProgramWithSource(clopt_cl_context(ctx), 1, &source, NULL, &code);
	cl_kernel kernel;

	must_cl("clCreateProgramWithSource", code);
	must_cl("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
	kernel = clCreateKernel(program, "turn", &code);
	must_cl("clCreateKernel", code);
	clReleaseProgram(program); /* the kernel keeps it */
	return kernel;
}

/* Whether the device's images can be as large as these pictures. */
static int has_images(const struct picture *in, const struct picture *out)
{
	struct clopt_device_info info = { .size = sizeof info };

	must(clopt_device_get(ctx, &info));
	if (in->w <= info.image2d_width && out->w <= info.image2d_width &&
	    in->h <= info.image2d_height && out->h <= info.image2d_height)
		return 1;
	printf("%s has images up to %zu x %zu: only on buffers\n", info.name, info.image2d_width,
	       info.image2d_height);
	return 0;
}

/* Run all ways that the device supports.  The result of the wanted way goes to a file.  Returns 1
 * if any result is wrong. */
static int run(struct picture *in, struct picture *out, struct turn t, int wanted, char *path)
{
	const int images = has_images(in, out);
	cl_kernel kernel = images ? build() : NULL;
	double seconds = 0;
	int way, again, bad = 0;

	for (way = 0; way < (images ? WAYS : 1); way++) {
		if (way == LINEAR)
			weigh(in, 0);
		for (again = 0; again < 2; again++) /* the first time may build a kernel */
			if (way == BUFFERS)
				seconds = turn_buffers(in, out, t);
			else
				seconds = turn_images(in, out, t, kernel,
				                      way == LINEAR ? CL_FILTER_LINEAR :
				                                      CL_FILTER_NEAREST);
		bad |= !check(way, in, out, t, seconds);
		if (way == LINEAR)
			weigh(out, 1);
		if (way == (images ? wanted : BUFFERS))
			write_png(path, out);
	}
	if (images)
		clReleaseKernel(kernel);
	return bad;
}

static int usage(void)
{
	fprintf(stderr, "Usage: rotate [--angle DEGREES] [--expand] [--way buffers|nearest|linear] "
	                "IN.png OUT.png\n");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option known[] = { { "angle", required_argument, NULL, 'a' },
		                               { "expand", no_argument, NULL, 'e' },
		                               { "way", required_argument, NULL, 'w' },
		                               { NULL, 0, NULL, 0 } };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	double angle = 30, w, h;
	int expand = 0, way = BUFFERS, o, bad;
	struct picture in, out;
	struct turn t;
	char *end = "";

	while ((o = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (o == 'a')
			angle = strtod(optarg, &end);
		else if (o == 'w')
			for (way = 0; way < WAYS && strcmp(optarg, ways[way]) != 0; way++)
				;
		expand |= o == 'e';
		if (o == '?' || *end || end == optarg || !isfinite(angle) || way == WAYS)
			return usage();
	}
	if (argc - optind != 2)
		return usage();
	in = read_png(argv[optind]);
	t = turn_by(angle);
	w = fabs(t.c) * (double)in.w + fabs(t.s) * (double)in.h;
	h = fabs(t.s) * (double)in.w + fabs(t.c) * (double)in.h;
	out = expand ? picture((size_t)ceil(w - 1e-6), (size_t)ceil(h - 1e-6), &in) :
	               picture(in.w, in.h, &in);
	options.profile = 1; /* for the kernels' times */
	must(clopt_open(&ctx, &options));
	printf("%zu x %zu by %g degrees: %zu x %zu\n", in.w, in.h, angle, out.w, out.h);
	bad = run(&in, &out, t, way, argv[optind + 1]);
	clopt_close(ctx);
	free(in.px);
	free(out.px);
	return bad;
}
