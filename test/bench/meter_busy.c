/* SPDX-License-Identifier: MIT */
/*
 * meter_busy.c - something for a processor to do that takes the same time whenever
 * the processor is as fast.  The Makefile has the compiler's best options for it.
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
