/* SPDX-License-Identifier: MIT */
/*
 * forms.h - the tests of routines on buffers, in four files.
 */
#ifndef FORMS_H
#define FORMS_H

#include "clopt_cl.h"
#include "suites.h"

void forms_orders(TCase *c); /* queues and events */
void forms_apart(TCase *c); /* parts of one buffer */
void forms_refusals(TCase *c); /* arguments, OpenCL objects of the caller's */

#endif
