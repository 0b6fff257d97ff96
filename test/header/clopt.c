/* SPDX-License-Identifier: MIT */
/* clopt.h needs no other header before it, and bears being included twice. */
#include "clopt.h"
#include "clopt.h"

size_t size_of_options(void)
{
	return sizeof(struct clopt_options);
}
