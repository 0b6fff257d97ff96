/* SPDX-License-Identifier: MIT */
/*
 * faults.h - tasks of faults.c in the other forms of a call; faults/forms.c.
 *
 * All are of n x n elements, or of n bodies, and leave the result on the host.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "clopt_device.h"
#include "clopt_tune.h"

int faults_started(struct clopt *ctx, size_t n, const float *in, float *out);
int faults_transpose(struct clopt *ctx, size_t n, const float *in, float *out);
int faults_in_place(struct clopt *ctx, size_t n, const float *in, float *out);
int faults_gemm(struct clopt *ctx, size_t n, const float *in, float *out);
/* Plans a transpose that runs in bands, as the device allows; no array is written. */
int faults_plan(struct clopt *ctx, size_t n);
/* The same by handles made of OpenCL's, as a caller has who uses OpenCL beside the library. */
int faults_handles(struct clopt *ctx, size_t n, const float *in, float *out);
/* The same of a part of a buffer by OpenCL, twice, beside calls with nothing to compute or copy. */
int faults_parts(struct clopt *ctx, size_t n, const float *in, float *out);
/* Does the work in a context of two others. */
int faults_joined(int check, int (*work)(struct clopt *ctx));
int faults_tree(struct clopt *ctx, size_t n, const float *sources, float *sums);
int faults_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities);

#endif
