#!/bin/bash
# SPDX-License-Identifier: MIT
#
# emulated.sh [ARCHITECTURE...] - what reads files, and the cache, on other processors, under QEMU, and with musl: the
# fuzzers' inputs (test/fuzz/data) and 2,000 changed ones of each.  After make; no test runs it.  Needs qemu-user,
# musl-tools and Debian's cross compilers.  OpenCL has no platform there, and zlib is no more than stdio, so inputs are
# not compressed.
set -euo pipefail
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
ln -s /usr/include/CL /usr/include/zlib.h /usr/include/zconf.h /usr/include/jansson*.h /usr/include/cairo "$to"

cat >"$to/main.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void *gzopen(const char *name, const char *how) { return fopen(name, how); }
int gzread(void *f, void *to, unsigned n) { return (int)fread(to, 1, n, f); }
const char *gzerror(void *f, int *code) { return *code = 0, f ? "" : "none"; }
int gzclose(void *f) { return fclose(f); }

int main(int n, char **path)
{
	static uint8_t data[1 << 20], other[1 << 20];
	uint32_t r = 1;
	int i, k, m;

	for (i = 1; i < n; i++) {
		FILE *f = fopen(path[i], "rb");
		size_t size, used;

		if (!f)
			return 2;
		size = used = fread(data, 1, sizeof data, f);
		fclose(f);
		LLVMFuzzerTestOneInput(data, size);
		for (k = 0; k < 2000; k++, used = size) {
			memcpy(other, data, size);
			for (m = 0; m <= k % 4 && size; m++) {
				r = r * 1664525 + 1013904223;
				other[(r >> 8) % size] = m % 2 ? data[(r >> 12) % size] : (uint8_t)(r >> 16);
			}
			if (k % 8 == 7)
				used = (r >> 4) % (size + 1);
			LLVMFuzzerTestOneInput(other, used);
		}
	}
	printf("%d inputs\n", 2001 * (n - 1));
	return 0;
}
END
sed -n 's/^\(cl[A-Z][A-Za-z0-9]*\)(.*/int \1(void) { return -1001; }/p' /usr/include/CL/cl.h >"$to/opencl.c"

shopt -s extglob
[ $# != 0 ] || set -- aarch64 arm riscv64 s390x musl
for arch; do
	cc=$arch-linux-gnu-gcc emulator=qemu-$arch
	case $arch in
	arm) cc=arm-linux-gnueabihf-gcc ;;
	musl) cc=musl-gcc emulator= ;;
	esac
	mkdir "$to/$arch"
	# musl has no argp.h for the programs' options.
	printf '%s\0' lib/*/*.c build/sources.c examples/nbody/*.c examples/clopt-gem/read/*.c \
		examples/common/!(options).c test/fuzz/*.c "$to"/*.c | xargs -0 -n 1 -P "$(nproc)" sh -c \
		"$cc -std=gnu99 -D_POSIX_C_SOURCE=200809L -O0 -ffunction-sections -pthread -Iinclude -Ilib -Iexamples \
		-isystem '$to' -isystem '$to/cairo' -c -o '$to/$arch/'\$(echo \"\$0\" | tr / _).o \"\$0\""
	$cc -static -Wl,--gc-sections -o "$to/fuzz-$arch" "$to/$arch"/*.o -lm -pthread 2>"$to/log" || {
		cat "$to/log"
		exit 1
	}
	for target in pqr msms points bodies cache; do
		printf '%-8s %-7s' "$arch" $target
		FUZZ_TARGET=$target $emulator "$to/fuzz-$arch" test/fuzz/data/$target/*
	done
done
