/* SPDX-License-Identifier: MIT */
/*
 * layer.h - a layer between the OpenCL loader and the drivers, which plants faults and hides what a
 * device has.  Any program gets it by
 *
 *	OPENCL_LAYERS=build/test/liblayer.so CLOPT_LAYER=fail=1000,no-images PROGRAM
 *
 * Words of CLOPT_LAYER, with commas between.  N: one of N calls, by chance.
 *
 *	seed=N       of the chance
 *	fail=N       the call fails; each second failing wait has not waited
 *	lose=N       the OpenCL context is lost: all its calls fail from now on
 *	delay=N      the command, and those behind it in its queue, begin up to 10 ms later
 *	stuck=N      they never begin
 *	wrong=N      a bit is flipped in what a launched kernel has written
 *	share        all contexts, of one device, are one until it is lost: PoCL's take half a
 *	             second each
 *	discrete     the device has memory of its own, so that calls are spread over queues as
 *	             on a GPU
 *	no-images, no-fp64, group=64, local=16384, buffer=16777216, in-order
 *	             the device has no images, no double, work-groups of at most 64
 *	             work-items, so many bytes of local memory, buffers of so many bytes,
 *	             no queues out of order
 */
#ifndef LAYER_H
#define LAYER_H

enum layer_fault {
	LAYER_FAIL,
	LAYER_LOSE,
	LAYER_DELAY,
	LAYER_STUCK,
	LAYER_WRONG,
	LAYER_FAULTS
};

/* For a program that loads it too, by dlsym. */
void layer_set(const char *words); /* as CLOPT_LAYER, from now on */
long layer_planted(int fault); /* how often, so far */
long layer_live(void); /* OpenCL objects that were made and not released */
int layer_unstick(void); /* lets what never begins begin; how many there were */

#endif
