/* SPDX-License-Identifier: MIT */
/*
 * numbers.c - converts the caller's doubles to float, double or two floats, and back.  The host
 * does this, since a device that needs two floats has no double.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

/* Not inline: gcc 12 drops both of two such adjacent roundings (-O2, x86-64). */
double clopt__as_float(double x)
{
	volatile float f = (float)x;

	return (double)f;
}

size_t clopt__number_bytes(int precision)
{
	return precision == CLOPT_PRECISION_FLOAT ? sizeof(cl_float) : sizeof(cl_double);
}

static void put(int precision, double x, void *to, size_t i)
{
	const cl_float high = (cl_float)x;
	/* No low part beyond float's range, since infinity minus infinity is NaN. */
	const cl_float two[2] = { high, high - high == 0 ? (cl_float)(x - (double)high) : 0 };

	switch (precision) {
	case CLOPT_PRECISION_DOUBLE:
		memcpy((char *)to + i * sizeof x, &x, sizeof x);
		break;
	case CLOPT_PRECISION_DOUBLE_SINGLE:
		memcpy((char *)to + i * sizeof two, two, sizeof two);
		break;
	default:
		memcpy((char *)to + i * sizeof high, &high, sizeof high);
	}
}

double clopt__number_at(int precision, const void *from, size_t i)
{
	const char *const at = (const char *)from + i * clopt__number_bytes(precision);
	double x;
	cl_float two[2] = { 0, 0 };

	if (precision == CLOPT_PRECISION_DOUBLE) {
		memcpy(&x, at, sizeof x);
		return x;
	}
	memcpy(two, at, clopt__number_bytes(precision));
	return (double)two[0] + (double)two[1];
}

double clopt__mass_unit(size_t n, const double *bodies)
{
	double most = 0;
	size_t i;
	int size;

	for (i = 0; i < n; i++)
		if (fabs(bodies[4 * i + 3]) <= DBL_MAX)
			most = fmax(most, fabs(bodies[4 * i + 3]));
	if (most == 0)
		return 1;
	/* A device without double gets the unit as a float. */
	size = ilogb(most);
	return ldexp(1, size > 126 ? -126 : size < -126 ? 126 : -size);
}

void clopt__numbers_pack(int precision, size_t n, const double *from, void *to)
{
	size_t i;

	for (i = 0; i < 4 * n; i++)
		put(precision, from[i], to, i);
}

void clopt__numbers_unpack(int precision, size_t n, const void *from, unsigned columns, double *to)
{
	size_t i;

	for (i = 0; i < 4 * n; i++)
		if (i % 4 < columns)
			to[i] = clopt__number_at(precision, from, i);
}

/* Convert binary16 by way of float, whose exponents are larger by 112, except for infinities and
 * NaN. */
static double from_half(uint16_t half)
{
	uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
	float x;

	bits |= bits >= 31u << 23 ? 255u << 23 : 0;
	memcpy(&x, &bits, sizeof x);
	return (double)(half >> 15 ? -x : x) * 0x1p112;
}

/* ---- Elements ---------------------------------------------------------------- */

/* clang-format off */
static const struct element_type types[] = {
	/* type                      name          part and result                           parts bit  unit      stored    least      most */
	{ CLOPT_TYPE_HALF,           "float16",    CLOPT_TYPE_HALF,     CLOPT_TYPE_HALF,     1,    2,   0x1p-24,  0x1p-11,  0x1p-24,   65504 },
	{ CLOPT_TYPE_FLOAT,          "float32",    CLOPT_TYPE_FLOAT,    CLOPT_TYPE_FLOAT,    1,    4,   0x1p-24,  0,        FLT_MIN,   FLT_MAX },
	{ CLOPT_TYPE_DOUBLE,         "float64",    CLOPT_TYPE_DOUBLE,   CLOPT_TYPE_DOUBLE,   1,    8,   0x1p-53,  0,        DBL_MIN,   DBL_MAX },
	{ CLOPT_TYPE_BFLOAT16,       "bfloat16",   CLOPT_TYPE_BFLOAT16, CLOPT_TYPE_BFLOAT16, 1,    32,  0x1p-24,  0x1p-8,   FLT_MIN,   0x1.fep127 },
	{ CLOPT_TYPE_COMPLEX_FLOAT,  "complex64",  CLOPT_TYPE_FLOAT,    CLOPT_TYPE_FLOAT,    2,    64,  0x1p-24,  0,        FLT_MIN,   FLT_MAX },
	{ CLOPT_TYPE_COMPLEX_DOUBLE, "complex128", CLOPT_TYPE_DOUBLE,   CLOPT_TYPE_DOUBLE,   2,    128, 0x1p-53,  0,        DBL_MIN,   DBL_MAX },
	{ CLOPT_TYPE_INT8,           "int8",       CLOPT_TYPE_INT8,     TYPE_INT32,          1,    256, 0,        0,        0,         DBL_MAX },
};
/* clang-format on */

const struct element_type *clopt__type(int type)
{
	size_t i;

	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

double clopt__element(const char *at, int type)
{
	uint16_t half;
	uint32_t bits;
	int32_t whole;
	int8_t byte;
	double d;
	float f;

	switch (type) {
	case CLOPT_TYPE_INT8:
		memcpy(&byte, at, sizeof byte);
		return byte;
	case TYPE_INT32:
		memcpy(&whole, at, sizeof whole);
		return whole;
	case CLOPT_TYPE_HALF:
		memcpy(&half, at, sizeof half);
		return from_half(half);
	case CLOPT_TYPE_BFLOAT16:
		memcpy(&half, at, sizeof half);
		bits = (uint32_t)half << 16;
		memcpy(&f, &bits, sizeof f);
		return (double)f;
	case CLOPT_TYPE_FLOAT:
		memcpy(&f, at, sizeof f);
		return (double)f;
	default:
		memcpy(&d, at, sizeof d);
		return d;
	}
}

/* The bits of x in a 16-bit format.  digits: stored bits of the significand; least: least exponent
 * of normal numbers; infinity: its bits. */
static uint16_t narrow(double x, int digits, int least, uint16_t infinity)
{
	const uint16_t sign = signbit(x) ? 0x8000 : 0;
	int exponent;
	double bits;

	if (isnan(x))
		return (uint16_t)(infinity | 1u << (digits - 1));
	x = fabs(x);
	if (isinf(x))
		return sign | infinity;
	exponent = x == 0 || ilogb(x) < least ? least : ilogb(x);
	/* A significand that is rounded up to the next power of two carries into the exponent. */
	bits = ldexp(exponent - least, digits) + nearbyint(ldexp(x, digits - exponent));
	return sign | (uint16_t)(bits < infinity ? bits : infinity);
}

void clopt__element_put(char *at, int type, double x)
{
	const uint16_t bits =
	        type == CLOPT_TYPE_HALF ? narrow(x, 10, -14, 0x7c00) : narrow(x, 7, -126, 0x7f80);
	const int is_integer = type == CLOPT_TYPE_INT8 || type == TYPE_INT32;
	const uint32_t whole = is_integer ? (uint32_t)(int64_t)nearbyint(x) : 0;
	const uint8_t byte = (uint8_t)whole;
	const float f = (float)x;

	memcpy(at,
	       type == CLOPT_TYPE_DOUBLE ? (const void *)&x :
	       type == CLOPT_TYPE_FLOAT  ? (const void *)&f :
	       type == CLOPT_TYPE_INT8   ? (const void *)&byte :
	       type == TYPE_INT32        ? (const void *)&whole :
	                                   (const void *)&bits,
	       (size_t)type & 0xff);
}

double clopt__element_range(int type)
{
	return type == CLOPT_TYPE_INT8 ? 0x1p7 : type == TYPE_INT32 ? 0x1p31 : 1;
}

double clopt__product_mod(double x, double y)
{
	const uint32_t z = (uint32_t)(int64_t)x * (uint32_t)(int64_t)y;

	return z < 0x80000000 ? (double)z : (double)z - 0x1p32;
}

size_t clopt__times(size_t a, size_t b)
{
	return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

size_t clopt__plus(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

size_t clopt__groups(size_t items, size_t of_group)
{
	return items / of_group + (items % of_group != 0);
}

size_t clopt__smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t clopt__larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

void *clopt__room(void *list, size_t count, size_t *room, size_t elem_bytes)
{
	const size_t more = *room ? 2 * *room : 64;
	void *longer;

	if (count < *room)
		return list;
	longer = realloc(list, more * elem_bytes);
	if (longer)
		*room = more;
	return longer;
}
