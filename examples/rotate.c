/* SPDX-License-Identifier: MIT */
/*
 * rotate.c - turns a picture about its centre: the example of many lectures on OpenCL, three ways.
 *
 *	buffers   the lectures' kernel, one work-item per pixel of the result, by clopt_map: also
 *	          for pictures larger than the device's memory, in bands
 *	nearest   from an image, by a sampler that takes the nearest pixel
 *	linear    by a sampler that mixes four pixels, also the colours of invisible ones
 *
 * The last two use OpenCL objects made in the library's context.
 *
 * The lectures' kernel has three errors.  In `src[(int)floor(y * W + x)]` the fraction of a row
 * becomes a shift by columns: round y and x down separately.  `(int)x >= 0` also holds for -0.9:
 * compare before the conversion.  And a pixel that comes from outside is not written: it is
 * transparent here.  Points are the middles of pixels, at + 0.5, so that four quarter turns restore
 * each pixel.  All ways are checked against double.
 *
 *	rotate DEGREES buffers|nearest|linear IN.png OUT.png
 *
 * Counterclockwise; the result holds the whole turned picture, in 8 bits, with transparency.
 */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clopt_cl.h>

static const char *const by_buffers =
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

static const char *const by_images =
        "__kernel void turn(__read_only image2d_t in, __write_only image2d_t out,\n"
        "                   sampler_t how, float c, float s)\n"
        "{\n"
        "	const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "	const float2 d = convert_float2(at) + 0.5f - 0.5f * "
        "convert_float2(get_image_dim(out));\n"
        "	const float2 from = (float2)(c * d.x - s * d.y, s * d.x + c * d.y) +\n"
        "			0.5f * convert_float2(get_image_dim(in));\n"
        "	write_imagef(out, at, read_imagef(in, how, from));\n"
        "}\n";

enum way {
	BUFFERS,
	NEAREST,
	LINEAR,
	WAYS
};
static const char *const ways[] = { "buffers", "nearest", "linear" };

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
#define MUST_CL(call) must((call) == CL_SUCCESS, #call)

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

static void turn_buffers(const struct picture *in, struct picture *out)
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

	map.source = by_buffers;
	map.name = "turn";
	map.items = out->w * out->h;
	map.items_per_group = 256;
	map.granule = out->w;
	map.args = args;
	map.nargs = sizeof args / sizeof *args;
	MUST(clopt_map(ctx, &map));
}

static cl_mem image(cl_mem_flags flags, const struct picture *p, void *from)
{
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
		                     .image_width = p->w,
		                     .image_height = p->h };
	cl_int code;
	cl_mem m = clCreateImage(clopt_cl_context(ctx), flags, &format, &desc, from, &code);

	MUST_CL(code);
	return m;
}

/* In a queue of the library's. */
static void turn_images(const struct picture *in, struct picture *out, cl_filter_mode filter)
{
	const size_t origin[3] = { 0, 0, 0 }, region[3] = { out->w, out->h, 1 };
	const float c = (float)cosine, s = (float)sine;
	cl_mem from = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, in, in->px);
	cl_mem to = image(CL_MEM_WRITE_ONLY, out, NULL);
	cl_device_id device = clopt_cl_device(ctx);
	cl_int made[4];
	cl_sampler sampler = clCreateSampler(clopt_cl_context(ctx), CL_FALSE, CL_ADDRESS_CLAMP,
	                                     filter, &made[0]);
	cl_program program = clCreateProgramWithSource(
	        clopt_cl_context(ctx), 1, (const char **)(uintptr_t)&by_images, NULL, &made[1]);
	cl_kernel kernel;
	struct clopt_queue *queue;

	MUST_CL(made[0]);
	MUST_CL(made[1]);
	MUST_CL(clBuildProgram(program, 1, &device, "", NULL, NULL));
	kernel = clCreateKernel(program, "turn", &made[2]);
	MUST_CL(made[2]);
	MUST(clopt_queue_new(ctx, &queue));
	MUST_CL(clSetKernelArg(kernel, 0, sizeof from, &from));
	MUST_CL(clSetKernelArg(kernel, 1, sizeof to, &to));
	MUST_CL(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
	MUST_CL(clSetKernelArg(kernel, 3, sizeof c, &c));
	MUST_CL(clSetKernelArg(kernel, 4, sizeof s, &s));
	MUST_CL(clEnqueueNDRangeKernel(clopt_queue_cl(queue), kernel, 2, NULL, region, NULL, 0,
	                               NULL, NULL));
	MUST_CL(clEnqueueReadImage(clopt_queue_cl(queue), to, CL_TRUE, origin, region, 0, 0,
	                           out->px, 0, NULL, NULL));
	clopt_queue_free(queue);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseSampler(sampler);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
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

/* The difference of a number from the mixture of four pixels. */
static double linear_off(const struct picture *in, double x, double y, int k, double got)
{
	const double u = floor(x - 0.5), v = floor(y - 0.5), fx = x - 0.5 - u, fy = y - 0.5 - v;
	const double upper = (1 - fx) * get(in, u, v, k) + fx * get(in, u + 1, v, k);
	const double lower = (1 - fx) * get(in, u, v + 1, k) + fx * get(in, u + 1, v + 1, k);

	return fabs(got - (1 - fy) * upper - fy * lower);
}

/* Whether the result is right.  Samplers may round weights to 8 bits. */
static int check(enum way way, const struct picture *in, const struct picture *out)
{
	const double slack = 3e-7 * (double)(in->w + in->h + out->w + out->h);
	const double bound = way == LINEAR ? 255 * (1. / 256 + 2 * slack) + 1 : 0;
	double worst = 0;
	size_t i, j;
	int k;

	for (j = 0; j < out->h; j++)
		for (i = 0; i < out->w; i++) {
			const double dx = (double)i + 0.5 - (double)out->w / 2;
			const double dy = (double)j + 0.5 - (double)out->h / 2;
			const double x = cosine * dx - sine * dy + (double)in->w / 2;
			const double y = sine * dx + cosine * dy + (double)in->h / 2;

			for (k = 0; k < 4; k++) {
				const double got = out->px[j * out->w + i][k];

				worst = fmax(worst, way == LINEAR ?
				                            linear_off(in, x, y, k, got) :
				                            nearest_off(in, x, y, slack, k, got));
			}
		}
	printf("%-8s %s: off by at most %.2g of 255\n", ways[way],
	       worst <= bound ? "right" : "WRONG", worst);
	return worst <= bound;
}

/* All ways that the device supports; the result of the wanted one goes to a file.  Returns 1 if any
 * is wrong. */
static int run(const struct picture *in, struct picture *out, enum way wanted, const char *path)
{
	struct clopt_device_info info = { .size = sizeof info };
	size_t most = in->w > out->w ? in->w : out->w, tall = in->h > out->h ? in->h : out->h;
	enum way way;
	int bad = 0;

	MUST(clopt_device_get(ctx, &info));
	for (way = BUFFERS; way < WAYS; way++) {
		if (way == BUFFERS)
			turn_buffers(in, out);
		else if (most <= info.image2d_width && tall <= info.image2d_height)
			turn_images(in, out, way == LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST);
		else
			break;
		bad |= !check(way, in, out);
		if (way == wanted)
			write_png(path, out);
	}
	must(way > wanted, "the device has no images of this size");
	return bad;
}

int main(int argc, char **argv)
{
	const double angle = argc == 5 ? atof(argv[1]) : 0;
	struct picture in, out;
	enum way way = BUFFERS;
	int bad;

	while (argc == 5 && way < WAYS && strcmp(argv[2], ways[way]) != 0)
		way++;
	if (argc != 5 || way == WAYS) {
		fprintf(stderr, "Usage: rotate DEGREES buffers|nearest|linear IN.png OUT.png\n");
		return 2;
	}
	in = read_png(argv[3]);
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
	bad = run(&in, &out, way, argv[4]);
	clopt_close(ctx);
	free(in.px);
	free(out.px);
	return bad;
}
