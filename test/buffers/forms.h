/* SPDX-License-Identifier: MIT */
/*
 * forms.h - the tests of routines on buffers, in two files.
 */
#ifndef FORMS_H
#define FORMS_H

#include "clopt_cl.h"
#include "suites.h"

void forms_orders(TCase *c); /* queues and events */

#endif
