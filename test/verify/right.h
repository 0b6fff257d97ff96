/* SPDX-License-Identifier: MIT */
/*
 * right.h - calls with clopt_options.check.
 */
#ifndef TEST_VERIFY_RIGHT_H
#define TEST_VERIFY_RIGHT_H

#include "cases/cases.h"

struct clopt *open_check(int check, const char *variants);
struct case_result run_case(struct clopt *ctx, int op, const struct shape *s);
void expect_right(struct clopt *ctx, int op, const struct shape *s);

#endif
