/* SPDX-License-Identifier: MIT */
/* clopt.h as C++: as alone and as safe to include twice as in C. */
#include "clopt.h"
#include "clopt.h"

size_t size_of_options()
{
	return sizeof(clopt_options);
}
