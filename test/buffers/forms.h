/* SPDX-License-Identifier: MIT */
/*
 * forms.h - the tests of routines on buffers, in three files.
 */
#ifndef FORMS_H
#define FORMS_H

#include "clopt_cl.h"
#include "suites.h"

void forms_orders(TCase *c); /* queues and events */
void forms_apart(TCase *c); /* parts of one buffer, OpenCL objects of the caller's */

#endif
