/* SPDX-License-Identifier: MIT */
/*
 * meter_busy.c - a loop that takes the same time whenever the processor has the same speed.  The
 * Makefile compiles it with the compiler's best options.
 */
#include "meter.h"

float meter_busy(size_t count)
{
	float lane[1024 / 8], sum = 0.0f;
	size_t i, k;

	for (i = 0; i < 1024 / 8; i++)
		lane[i] = (float)i;
	for (k = 0; k < 8 * count; k++)
		for (i = 0; i < 1024 / 8; i++)
			lane[i] = lane[i] * 0.999f + 0.001f;
	for (i = 0; i < 1024 / 8; i++)
		sum += lane[i];
	return sum;
}
