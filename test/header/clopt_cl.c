/* SPDX-License-Identifier: MIT */
/* clopt_cl.h needs no other header before it, and bears being included twice. */
#include "clopt_cl.h"
#include "clopt_cl.h"

size_t size_of_options(void)
{
	return sizeof(struct clopt_options);
}
