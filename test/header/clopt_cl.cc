/* SPDX-License-Identifier: MIT */
/* clopt_cl.h as C++: as alone and as safe to include twice as in C. */
#include "clopt_cl.h"
#include "clopt_cl.h"

size_t size_of_options()
{
	return sizeof(clopt_options);
}
