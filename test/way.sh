#!/bin/sh
# SPDX-License-Identifier: MIT
#
# way.sh LIBRARY - the functions of lib/ on the way of one clopt_sgemm of 1000 x 1000 x 1000 on arrays, once the context
# has done the same before: those inside which the call reaches OpenCL, by room, and how many others it enters.
# LIBRARY is static, compiled with -g -finstrument-functions.
set -eu
LC_ALL=C
export LC_ALL
to=$(dirname "$1")
functions=$(nm -u "$1" | sed -n 's/^ *U \(cl[A-Z][A-Za-z0-9]*\)$/\1/p' | sort -u)
{
	cat <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include "clopt.h"
		enum { N = 1000, MOST = 1 << 16 };
		static void *seen[2][MOST];
		static unsigned n[2];
		static int recording;
		static __thread void *stack[512];
		static __thread unsigned depth;
		#define HOOK __attribute__((no_instrument_function)) void
		HOOK see(int kind, void *function)
		{
			if (__atomic_load_n(&recording, __ATOMIC_SEQ_CST))
				seen[kind][__atomic_fetch_add(&n[kind], 1, __ATOMIC_SEQ_CST) % MOST] = function;
		}
		HOOK __cyg_profile_func_enter(void *function, void *from) { (void)from; see(0, stack[depth++] = function); }
		HOOK __cyg_profile_func_exit(void *function, void *from) { (void)function, (void)from, depth--; }
		HOOK reached(void) { for (unsigned i = 0; i < depth; i++) see(1, stack[i]); }
		/* An OpenCL function: all arguments are integers and pointers, 14 at most. */
		#define A(type) type a, type b, type c, type d, type e, type f, type g, type h, type i, type j, type k, type l, type m, type o
		#define OPENCL(name) \
			long __real_##name(A(long)); \
			long __wrap_##name(A(long)) { reached(); return __real_##name(A()); }
	END
	echo "$functions" | sed 's/.*/OPENCL(&)/'
	cat <<-'END'
		int main(void)
		{
			float *a = calloc(3 * N * N, sizeof *a);
			struct clopt *ctx;
			int status = clopt_open(&ctx, NULL);
			for (int i = 0; i < 2 && status == CLOPT_OK; i++) {
				recording = i == 1;
				status = clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, N, N, N, 1, a, N,
				                     a + N * N, N, 0, a + 2 * N * N, N);
			}
			recording = 0;
			for (int kind = 0; kind < 2; kind++)
				for (unsigned i = 0; i < n[kind] && i < MOST; i++)
					printf("%d %p\n", kind, seen[kind][i]);
			return status != CLOPT_OK;
		}
	END
} >"$to/way.c"
# shellcheck disable=SC2046,SC2086 # One word for each function.
${CC:-cc} -g -no-pie -Iinclude -o "$to/way" "$to/way.c" "$1" $(printf ' -Wl,--wrap=%s' $functions) -lOpenCL -lm -lpthread
"$to/way" >"$to/seen"
# named KIND: "room function" of each, once; functions of headers have the header's room.
named() {
	sed -n "s/^$1 //p" "$to/seen" | sort -u | addr2line -fe "$to/way" | paste - - |
		sed -n 's|^\([^\t]*\)\t.*lib/\([a-z]*\)/[^/]*$|\2 \1|p' | sort -u
}
named 1 >"$to/on-the-way"
awk '{ functions[$1] = functions[$1] " " $2; n[$1]++ } END { for (room in n) print room ": " n[room] "," functions[room] }' \
	"$to/on-the-way" | sort | fold -s -w 120
echo "$(wc -l <"$to/on-the-way") functions on the way to OpenCL, of $(named 0 | wc -l) that are entered"
