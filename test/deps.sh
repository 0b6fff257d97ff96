#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deps.sh [build|check|all|bench|html|blas|openblas|ffi|python|mpi|ranks|cross|deb|fuzz|coverage|intel|lint|
#         amd] -
# install what is missing on a Debian system, or say how.  With --say it only says how.
#
# It looks for the programs and files that are needed, not for their packages, so that a
# compiler or an OpenCL driver from elsewhere will do.  Prints nothing when nothing is
# missing.
set -u

program() { command -v "$1"; }
library() { pkg-config --exists "$1"; }
header() { echo "#include <$1>" | ${CC:-cc} -E -x c -; }
links() { echo 'int main(void) { return 0; }' | ${CC:-cc} -x c - "-l$1" -o /dev/null; }
# A driver's file proves little: in a container its device may be missing.
driver() {
	[ -n "${OCL_ICD_VENDORS-}${OCL_ICD_FILENAMES-}" ] && return
	ls /etc/OpenCL/vendors/*.icd || return
	program "${CC:-cc}" && header CL/cl.h && links OpenCL || return 0 # asked again after these
	probe=$(mktemp) || return
	${CC:-cc} -x c - -o "$probe" -lOpenCL <<-'END' && "$probe"
		#define CL_TARGET_OPENCL_VERSION 120
		#include <CL/cl.h>
		int main(void)
		{
			cl_platform_id p[32];
			cl_device_id d;
			cl_uint i, n = 0;
			if (clGetPlatformIDs(32, p, &n) != CL_SUCCESS)
				return 1;
			for (i = 0; i < n && i < 32; i++)
				if (clGetDeviceIDs(p[i], CL_DEVICE_TYPE_ALL, 1, &d, NULL) == CL_SUCCESS)
					return 0;
			return 1;
		}
	END
	found=$?
	rm -f "$probe"
	return $found
}

# Tests run on PoCL, unless the caller names other drivers.
pocl() { [ -n "${OCL_ICD_VENDORS-}${OCL_ICD_FILENAMES-}" ] || ls /etc/OpenCL/vendors/pocl.icd; }

# The packages that are missing.  A row: the target that needs it, the package, the test for it.
missing() {
	while read -r who package probe; do
		case $who in
		build | "$1") eval "$probe" >/dev/null 2>&1 </dev/null || echo "$package" ;;
		esac
	done <<-'ROWS'
		build  gcc                 program "${CC:-cc}"
		build  libc6-dev           header stdio.h
		build  make                program make
		build  pkgconf             program pkg-config
		build  mawk                program awk
		build  python3             program python3
		build  opencl-c-headers    header CL/cl.h
		build  ocl-icd-opencl-dev  library OpenCL || links OpenCL
		build  pocl-opencl-icd     driver
		build  libcairo2-dev       library cairo
		build  libjansson-dev      library jansson
		build  libpng-dev          library libpng
		build  zlib1g-dev          library zlib
		check  g++                 program "${CXX:-g++}"
		check  check               library check
		check  python3-gemmi       python3 -c "import gemmi" || /usr/bin/python3 -c "import gemmi"
		check  python3-h5py        python3 -c "import h5py" || /usr/bin/python3 -c "import h5py"
		check  python3-numpy       python3 -c "import numpy" || /usr/bin/python3 -c "import numpy"
		check  pocl-opencl-icd     pocl
		all    oclgrind            program oclgrind
		all    mujs                program mujs
		all    python3-yaml        python3 -c "import yaml"
		bench  python3-numpy       python3 -c "import numpy, matplotlib" || /usr/bin/python3 -c "import numpy, matplotlib"
		bench  python3-matplotlib  python3 -c "import numpy, matplotlib" || /usr/bin/python3 -c "import numpy, matplotlib"
		check  python3-cffi        python3 -c "import cffi"
		check  luajit              program luajit
		check  mandoc              program mandoc
		check  cmark-gfm           program cmark-gfm
		html   mandoc              program mandoc
		html   cmark-gfm           program cmark-gfm
		ffi    gfortran            program "${FC:-gfortran}"
		ffi    luajit              program luajit
		ffi    r-base-core         program R
		ffi    rustc               program rustc
		check  cmake               program cmake
		cross  cmake                    program cmake
		cross  libc6-dev-i386           CC="gcc -m32" header gnu/stubs-32.h
		cross  gcc-aarch64-linux-gnu    program aarch64-linux-gnu-gcc
		cross  libc6-dev-arm64-cross    CC=aarch64-linux-gnu-gcc links c
		cross  gcc-arm-linux-gnueabihf  program arm-linux-gnueabihf-gcc
		cross  libc6-dev-armhf-cross    CC=arm-linux-gnueabihf-gcc links c
		cross  musl-tools               program musl-gcc
		cross  gcc-mingw-w64-x86-64     program x86_64-w64-mingw32-gcc
		deb    dpkg-dev            program dpkg-buildpackage
		deb    debhelper           program dh
		deb    lintian             program lintian
		deb    fakeroot            program fakeroot
		deb    libopenblas0-pthread  ls /usr/lib/*/openblas-pthread/libopenblas.so.0
		deb    cmake               program cmake
		deb    python3-numpy       /usr/bin/python3 -c "import numpy"
		intel  python3-pip         python3 -m pip --version
		blas   libblas-test        dpkg -L libblas-test
		blas   libblas3            ls /usr/lib/*/blas/libblas.so.3
		blas   liblapack3          ls /usr/lib/*/lapack/liblapack.so.3
		blas   libopenblas-dev     pkg-config --exists openblas
		blas   hpcc                program hpcc
		blas   python3-numpy       /usr/bin/python3 -c "import numpy"
		blas   python3-scipy       /usr/bin/python3 -c "import scipy"
		blas   python3-pip         /usr/bin/python3 -m pip --version
		openblas libopenblas-dev     pkg-config --exists openblas
		python python3-numpy       python3 -c "import numpy, matplotlib" || /usr/bin/python3 -c "import numpy, matplotlib"
		python python3-matplotlib  python3 -c "import numpy, matplotlib" || /usr/bin/python3 -c "import numpy, matplotlib"
		python python3-venv        python3 -c "import ensurepip"
		mpi    libopenmpi-dev      CC="${MPICC:-mpicc}" header mpi.h
		mpi    openmpi-bin         program mpirun
		ranks  libopenmpi-dev      CC=mpicc header mpi.h
		ranks  openmpi-bin         program mpirun
		ranks  python3-numpy       /usr/bin/python3 -c "import numpy"
		ranks  python3-mpi4py      /usr/bin/python3 -c "import mpi4py"
		ranks  python3-distributed /usr/bin/python3 -c "import distributed"
		amd    check               library check
		amd    clang-19            program "${CLANG:-clang-19}"
		amd    rocm-device-libs    ls "${AMD_BITCODE:-/usr/lib/$(uname -m)-linux-gnu/amdgcn/bitcode}"
		fuzz   clang               program clang
		fuzz   libclang-rt-14-dev  echo "int LLVMFuzzerTestOneInput(void) { return 0; }" | clang -x c - -fsanitize=fuzzer -o /dev/null
		coverage gcovr             program gcovr
		lint   clang               program clang
		lint   clang-format        program clang-format
		lint   cppcheck            program cppcheck
		lint   shellcheck          program shellcheck
	ROWS
}

say=
[ "${1-}" != --say ] || { say=1; shift; }
what=${1:-check}
# shellcheck disable=SC2046 # One word for each package.
set -- $(missing "$what")
[ $# -eq 0 ] && exit 0

sudo=
[ "$(id -u)" -eq 0 ] || sudo='sudo -n'
if [ -n "$say" ] || ! program apt-get >/dev/null || { [ -n "$sudo" ] && ! $sudo true 2>/dev/null; }; then
	echo "Missing here.  On Debian, run this and try again:"
	echo "    sudo apt-get install -y --no-install-recommends $*"
	exit 1
fi >&2

echo "Installing what is missing: $*"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
apt() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@" >>"$log" 2>&1 </dev/null; }
apt update || true # What is known of the packages may do.
if ! apt -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"; then
	cat "$log" >&2
	exit 1
fi

# shellcheck disable=SC2046
set -- $(missing "$what")
if [ $# -ne 0 ]; then
	echo "Installed, but still not to be found: $*" >&2
	exit 1
fi
