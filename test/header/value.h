/* SPDX-License-Identifier: MIT */
/* value.h - constants and functions of the headers, in C and as C++ links them. */
#ifdef __cplusplus
#define CONSTANT extern const
#define LINKED(function) \
	extern "C" { \
	function; \
	}
#else
#define CONSTANT const
#define LINKED(function) function;
#endif
