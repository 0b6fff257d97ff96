# SPDX-License-Identifier: MIT
#
#	make            build/libclopt.a, build/libclopt.so, build/libclopt-blas.so, build/examples/*;
#	                with V=1 each command is shown whole
#	make demo       draw the potential round a protein, then check the main routines
#	make check      the quick suites, and the kernels that this machine picks; with ALL=1 all that there
#	                is to test; with SAN=1 under the address and undefined-behaviour sanitizers; with
#	                SAN=thread those of threads under the race detector
#	make fuzz       readers, files, settings and calls with libFuzzer's inputs, SECONDS=60 for each target;
#	                TARGETS='pqr map' for some; what is kept of the inputs is in build/fuzz/corpus
#	make soak       mixed calls from four threads while drivers fail, SECONDS=60 in all
#	make coverage   build/cov/coverage.txt: lines and branches of lib/ that the tests of make check reach;
#	                with ALL=1 those of all its suites
#	make check-intel  make check on Intel's OpenCL for processors, which it fetches to build/intel
#	make bench      every kernel; then the scripts of examples/bench: ladders, roofline, scaling, transfers,
#	                trees, OpenBLAS, CLBlast, cuBLAS and plain C where they are; pictures in build/bench;
#	                BENCH='--device gpu --seconds 1' for all of them
#	make blas-alternative  build/blas/libblas.so.3, the drop-in as an alternative of Debian's,
#	                in front of BLAS_NEXT=-l:libopenblas.so.0
#	make lint, format, clean
#	make rooms      the picture of lib/ in docs/architecture.md
#	make man        build/man, from the comments of the headers and the programs' --help
#	make html       build/html, a site of README.md, docs/ and the man pages
#	make amd-table  build/amd/registers.md and issue.md, by a compiler for AMD's GPUs
#	                ROWS='matmul/(mfma|wmma)': only the lines of rows whose names begin so
#	make deps       install what is missing on a Debian system; demo and check do so too
#	make wheel      build/clopt-*.whl: the Python package with the library and an OpenCL loader
#	make install, uninstall    with PREFIX=/usr/local and DESTDIR=, and LIBDIR, INCLUDEDIR, MANDIR, DOCDIR
#	make dist       build/libclopt-VERSION.tar.gz, of the last commit
#	make deb        Debian packages, in build/deb; check-deb installs and uses them in a folder
#	make abi        lib/abi.txt, the binary interface that later versions must keep
#
# All that is built goes to build/.  A new file in lib/, cl/, examples/ or test/ needs no edit here.
# lib/ROOM/*.c is the library; what stands deeper, such as lib/blas/src/, is no part of it.

# Make's own rules would build the folder examples/clopt from examples/clopt.c.
MAKEFLAGS += --no-builtin-rules

# A short line for each file that is made.
ifneq ($(V),1)
.SILENT:
say = $(info $(1) $@)
endif

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/clopt
# As Debian hardens its packages; a packager's own flags replace these.
CFLAGS ?= -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
LDFLAGS ?= -Wl,-z,relro,-z,now
PKG_CONFIG ?= pkg-config
# libhdf5, for nbody alone, is used if it is there.
HDF5 := $(shell $(PKG_CONFIG) --exists hdf5 && echo hdf5)
TOOL_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags cairo jansson libpng zlib $(HDF5)) $(HDF5:hdf5=-DWITH_HDF5)
TOOL_LIBS ?= $(shell $(PKG_CONFIG) --libs cairo jansson libpng zlib $(HDF5))
CHECK_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS ?= $(shell $(PKG_CONFIG) --libs check)
LIBS = -lOpenCL -lm -lpthread

B = build
ifeq ($(SAN),1)
B = build/san
CFLAGS = -O1 -g -fno-omit-frame-pointer
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined
else ifeq ($(SAN),thread)
B = build/tsan
CFLAGS = -O1 -g
SANITIZE = -fsanitize=thread
else ifeq ($(SAN),fuzz)
B = build/fuzz
CC = clang
CFLAGS = -O1 -g -fno-omit-frame-pointer
SANITIZE = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
else ifeq ($(SAN),coverage)
B = build/cov
CFLAGS = -O1 -g
# Counters of the library alone, unoptimized, so that its branches are those of the text.
$(B)/obj/lib/%.o: CFLAGS = -O0 -g
$(B)/obj/lib/%.o: SANITIZE = --coverage -fprofile-update=atomic
LINK_COUNTERS = --coverage
endif
OWN = -std=c99 -D_POSIX_C_SOURCE=200809L -Iinclude -Wall -Wextra -Wpedantic -Wshadow \
	-Wmissing-prototypes -Wvla -fvisibility=default -fPIC -pthread $(SANITIZE)
# Debug information without this folder's name, so that a build has the same bits anywhere.
OWN += '-ffile-prefix-map=$(CURDIR)=.'
LINK = $(CC) $(CFLAGS) $(SANITIZE) $(LINK_COUNTERS) $(LDFLAGS)

VERSION := $(shell sed -n 's/^.define CLOPT_VERSION_[A-Z]* //p' include/clopt.h | paste -sd.)
# While the major version is 0, a minor one may change the interface.
SERIES := $(patsubst 0,$(basename $(VERSION)),$(firstword $(subst ., ,$(VERSION))))
SONAME := libclopt.so.$(SERIES)
SO := $(B)/libclopt.so.$(VERSION)
LIB := $(B)/libclopt.a
# clopt_mpi.h goes with its library.
HEADERS := $(filter-out include/clopt_mpi.h,$(wildcard include/*.h include/*.hpp include/*.f90))
ROOMS := $(patsubst %/,%,$(wildcard lib/*/))
objects = $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard $(1))))
LIB_OBJ := $(call objects,lib/*/*.c) $(B)/obj/build/sources.o
BLAS := $(B)/libclopt-blas.so
BLAS_OBJ := $(call objects,lib/blas/src/*.c)
BLAS_NEXT ?= -l:libopenblas.so.0
# What examples/ffi/ and examples/bench/ have of C is another language's to compile.
EXAMPLES := $(wildcard examples/*.c)
PROGRAM_OBJ := $(filter-out $(B)/obj/examples/ffi/% $(B)/obj/examples/bench/%,$(call objects,$(EXAMPLES) examples/*/*.c examples/*/*/*.c))
TEST_ROOMS := $(filter-out %/blas %/fake %/ffi %/fuzz %/header %/layer %/mpi %/soak,$(patsubst %/,%,$(wildcard test/*/)))
TEST_C := $(sort $(wildcard $(addsuffix /*.c,$(TEST_ROOMS))))
TEST_OBJ := $(call objects,$(TEST_C)) $(B)/obj/build/cases.o
FAKE := $(B)/test/libfake.so
LAYER := $(B)/test/liblayer.so
TESTED_OBJ := $(call objects,$(foreach p,clopt clopt-gem nbody common,examples/$p/*.c examples/$p/*/*.c))
# The programs as functions of the tests: the main of examples/NAME.c is example_NAME there.
EXAMPLE_OBJ := $(patsubst examples/%.c,$(B)/obj/example/%.o,$(EXAMPLES))
COMMON := $(B)/common.a
PROGRAMS := $(patsubst %.c,$(B)/%,$(EXAMPLES))
FORMATTED := $(wildcard lib/*/*.[ch] lib/blas/src/*.[ch] lib/mpi/src/*.[ch] include/*.h include/*.hpp \
	$(foreach d,examples test,$d/*.[ch] $d/*/*.[ch] $d/*/*/*.[ch] $d/*/*.cc))
DEMO := $(basename $(notdir $(firstword $(wildcard examples/data/*.pqr))))

FILLED := $(patsubst lib/%.in,$(B)/%,$(wildcard lib/*.in))

all: $(LIB) $(SO) $(BLAS) $(PROGRAMS) $(FILLED) man
$(LIB_OBJ) $(PROGRAM_OBJ): | $(B)/asked
# Made again when libhdf5 has come or gone.
$(call objects,examples/nbody/*/*.c test/nbody/*.c): $(B)/hdf5-$(HDF5:hdf5=1)
$(B)/hdf5-$(HDF5:hdf5=1):
	@mkdir -p $(@D)
	@rm -f $(B)/hdf5-*
	@touch $@
# What a build lacks is told once, with the command that installs it; the compiler says the rest.
$(B)/asked:
	@mkdir -p $(@D)
	@test/deps.sh --say build && touch $@ || :

objects: $(LIB_OBJ) $(BLAS_OBJ) $(PROGRAM_OBJ)

# What is kept of kernels and of verdicts on them depends on how they are made, run and judged: its
# key has the digest of all of the library and cl/.
DIGESTED := $(sort $(wildcard lib/*/*.[ch]) $(shell find cl -name '*.cl' -o -name '*.clh'))

# The kernels as C text.  A folder is newer when a file in it has come or gone, here and below.
$(B)/sources.c: lib/embed.awk $(DIGESTED) $(shell find cl)
	$(call say,AWK)
	@mkdir -p $(@D)
	awk -v digest="$$(cat $(DIGESTED) | cksum)" -f lib/embed.awk \
		$(sort $(shell find cl -name '*.cl' -o -name '*.clh')) > $@

# The list of all suites of tests.
$(B)/cases.c: test/frame/cases.awk $(TEST_C) $(TEST_ROOMS)
	$(call say,AWK)
	@mkdir -p $(@D)
	awk -f $< $(TEST_C) > $@

$(B)/obj/%.o: %.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(OWN) -MMD -MP -c -o $@ $<
# What is generated lies beside the objects, so that the tree itself may be read-only.
$(B)/obj/build/%.o: $(B)/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(OWN) -MMD -MP -c -o $@ $<
# On 32-bit systems files with larger inode numbers or 2 GiB are refused otherwise.
$(B)/obj/examples/%.o $(B)/obj/example/%.o: OWN += -D_FILE_OFFSET_BITS=64
$(B)/obj/examples/%.o: OWN += $(TOOL_CFLAGS)
# Multiply-adds in one instruction; gcc -std=c99 makes two of them.  On s390x it makes doubles of the floats
# beside a vector, which then do not fit.
$(B)/obj/lib/host/%.o: OWN += -std=gnu99 -ffp-contract=fast
$(B)/obj/example/%.o: examples/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(OWN) $(TOOL_CFLAGS) -Wno-missing-prototypes \
		-Dmain=example_$(subst -,_,$*) -MMD -MP -c -o $@ $<
$(B)/obj/test/%.o $(B)/obj/build/cases.o: OWN += -Ilib -Itest/frame -Iexamples -Iexamples/clopt \
	$(TOOL_CFLAGS) $(CHECK_CFLAGS)

# Members of one name, as table/matmul.o and verify/matmul.o, would replace each other with `r`.
$(LIB): $(LIB_OBJ) $(ROOMS)
	$(call say,AR)
	rm -f $@
	$(AR) qcsD $@ $(LIB_OBJ)

$(SO): $(LIB_OBJ) $(ROOMS) lib/clopt.map
	$(call say,LINK)
	$(LINK) -shared -Wl,-soname,$(SONAME),--version-script,lib/clopt.map,--no-undefined \
		-o $@ $(LIB_OBJ) $(LIBS)
	ln -sf $(@F) $(B)/$(SONAME)
	ln -sf $(SONAME) $(B)/libclopt.so

# It finds libclopt beside itself, since LD_PRELOAD names only the one file.  dlclose would lose its
# context, so it stays.
$(BLAS): $(BLAS_OBJ) $(SO)
	$(call say,LINK)
	$(LINK) -shared -Wl,-soname,$(@F),-rpath,'$$ORIGIN',--no-undefined,-z,nodelete -o $@ $^ \
		-Wl,--as-needed -lm -lpthread -ldl

# The same under the name that programs ask for, with the symbols that it lacks from the next BLAS.
run-blas-alternative: $(B)/blas/libblas.so.3
$(B)/blas/libblas.so.3: $(BLAS_OBJ) $(SO)
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F),-rpath,'$$ORIGIN/..',--no-undefined,-z,nodelete -o $@ $^ \
		-Wl,--as-needed -lm -lpthread -ldl -Wl,--no-as-needed $(BLAS_NEXT)

# For the MPI whose compiler MPICC is; it finds libclopt in the folder above.
MPICC ?= mpicc
MPI ?= $(B)/mpi
MPI_PROGRAMS := $(MPI)/clopt-gem $(MPI)/nbody
run-mpi: $(MPI)/libclopt-mpi.so $(MPI_PROGRAMS)
$(MPI)/libclopt-mpi.so: $(wildcard lib/mpi/src/*.[ch]) include/clopt_mpi.h $(SO)
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) $(OWN) $(LDFLAGS) -shared -Wl,-soname,$(@F),-rpath,'$$ORIGIN/..:$$ORIGIN' -o $@ \
		$(filter %.c,$^) $(SO)

# The library of the wheel finds the OpenCL loader beside itself.
$(B)/wheel/$(SONAME): $(LIB_OBJ) lib/clopt.map
	@mkdir -p $(@D)
	$(LINK) -shared -s -Wl,-soname,$(SONAME),--version-script,lib/clopt.map,--no-undefined \
		-Wl,--enable-new-dtags,-rpath,'$$ORIGIN' -o $@ $(LIB_OBJ) $(LIBS)

run-wheel: $(B)/wheel/$(SONAME)
	rm -f $(B)/clopt-*.whl
	python3 -B lib/python/wheel.py $(VERSION) $< "$$($(CC) -print-file-name=libOpenCL.so.1)" $(B)

# What pkg-config and CMake read, for the folders of `make install`.
$(FILLED): $(B)/%: lib/%.in FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|; s|@SERIES@|$(SERIES)|; s|dir=$(PREFIX)/|dir=$${prefix}/|' $< > $@

# Man pages, from the headers' comments, the programs' --help and README.md; shells' completions.
man: $(B)/man/made
$(B)/man/made: docs/manual.py docs/completions.py docs/environment.md README.md $(HEADERS) $(B)/examples/clopt $(B)/examples/clopt-gem
	$(call say,MAN)
	@rm -rf $(@D)
	LD_LIBRARY_PATH=$(B) docs/manual.py man $(B)/examples $(@D)
	LD_LIBRARY_PATH=$(B) docs/completions.py $(B)/examples $(B)/share
	@touch $@

$(COMMON): $(call objects,examples/common/*.c) examples/common
	$(call say,AR)
	rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

# A program is examples/NAME.c, the files of examples/NAME/ and its rooms, if there is such a folder,
# and what it needs of examples/common/.  They have the library inside, so that they run from here;
# packages say PROGRAM_LIB='$(SO)'.
PROGRAM_LIB ?= $(LIB)
.SECONDEXPANSION:
$(PROGRAMS): $(B)/%: $(B)/obj/%.o $$(call objects,$$*/*.c $$*/*/*.c) $$(wildcard $$* $$*/*/) $(COMMON) \
		$(PROGRAM_LIB)
	$(call say,LINK)
	@mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(COMMON) $(PROGRAM_LIB) -Wl,--as-needed $(TOOL_LIBS) $(LIBS)

# Each OpenCL function that the library calls, each allocation, each call on files, and each device array
# between two calls goes through its __wrap_ in test/.  An OpenCL function that has none there does not link.
FILE_CALLS = open openat mkdir fdopendir fstat read write close renameat
$(B)/test/check: $(TEST_OBJ) $(TESTED_OBJ) $(EXAMPLE_OBJ) $(LIB) $(TEST_ROOMS) | $(FAKE)
	$(call say,LINK)
	@mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(LIB) -Wl,--as-needed $(CHECK_LIBS) $(TOOL_LIBS) $(LIBS) \
		$$(nm -u $(LIB) | sed -n 's/^ *U \(cl[A-Z][A-Za-z0-9]*\)$$/-Wl,--wrap=\1/p' | sort -u) \
		$(foreach f,malloc calloc realloc pthread_create $(FILE_CALLS) \
			clopt__idle_take clopt__idle_give clopt__host_transpose clopt__host_vectors clopt__move_near \
			clopt__trial_run clopt__throughput _mark_point,-Wl,--wrap=$f)

$(B)/test/fuzz: $(call objects,test/fuzz/*.c) $(TESTED_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK) -fsanitize=fuzzer -o $@ $^ $(TOOL_LIBS) $(LIBS)

# An OpenCL driver of the tests' own, which the loader finds where they want it to.
$(FAKE): $(call objects,test/fake/*.c)
	@mkdir -p $(@D)
	$(LINK) -shared -o $@ $^

# A layer for the OpenCL loader, which plants faults and hides what devices have.
$(LAYER): $(call objects,test/layer/*.c)
	@mkdir -p $(@D)
	$(LINK) -shared -o $@ $^ -lpthread

# Counts what the library allocates, apart from what drivers do.
$(B)/obj/test/soak/%.o: OWN += -std=c11
$(B)/test/soak: $(call objects,test/soak/*.c) $(LIB) | $(LAYER)
	$(LINK) -o $@ $^ $(foreach f,malloc calloc realloc free strdup posix_memalign,-Wl,--wrap=$f) $(LIBS) -ldl

# With none of the options above, as for somebody who puts the files into a program of his own.
$(B)/bare.so: $(wildcard lib/*/*.[ch] include/*.h) $(B)/sources.c
	$(CC) -shared -fPIC -Wl,--no-undefined -o $@ -Iinclude lib/*/*.c $(B)/sources.c $(LIBS)

# What is missing is installed first.  The rest is a make of its own, since this one may have
# started without a pkg-config to ask.
check lint: NEEDS = $@
ifeq ($(ALL)/$(SAN),1/)
check: other-languages
endif
check-intel: NEEDS = check
run-check run-check-intel: export CLOPT_CACHE_DIR = 0
# PoCL alone, whatever other drivers are installed, unless the caller names some.
ifeq ($(OCL_ICD_VENDORS)$(OCL_ICD_FILENAMES),)
ifneq ($(wildcard /etc/OpenCL/vendors/pocl.icd),)
run-check run-coverage: $(B)/vendors/pocl.icd
run-check run-coverage: export OCL_ICD_VENDORS = $(abspath $(B)/vendors)
endif
endif
$(B)/vendors/pocl.icd: /etc/OpenCL/vendors/pocl.icd
	@mkdir -p $(@D)
	cp $< $@
check-installed: export MAKE := $(MAKE)
amd-table: NEEDS = amd
bench: NEEDS = bench
# Tests of other languages and systems, and those by PIL, are skipped where these are missing.
other-languages:
	@for what in all ffi python ranks cross; do test/deps.sh $$what || :; done
html: NEEDS = html
mpi: NEEDS = mpi
mpi: export MPICC := $(MPICC)
blas-alternative: NEEDS = openblas
demo check check-intel bench soak lint amd-table html mpi wheel blas-alternative:
	@test/deps.sh $(or $(NEEDS),build)
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc)) run-$@

ifeq ($(SAN),1)
# Leaks are looked for in one process that calls every routine: after each of Check's hundred forks
# it takes ten times as long, and the leak checker now and then trips over PoCL's ending threads.
# Compiling a kernel for the first time takes seconds in a driver whose malloc is watched; kernels
# are not, so small shapes do.  PoCL's LLVM gives threads signal stacks, and the sanitizer, which
# would too, cannot take them back.
run-check: $(B)/test/check $(B)/examples/routines
	ASAN_OPTIONS=fast_unwind_on_malloc=0:use_sigaltstack=0 \
		LSAN_OPTIONS=suppressions=test/lsan.supp:print_suppressions=0 $(B)/examples/routines \
		>$(B)/routines.log 2>&1 & trap "kill $$!; exit 130" INT TERM; \
	CK_TIMEOUT_MULTIPLIER=10 UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 \
		CLOPT_TEST_SMALL=1 CLOPT_TEST_ALL=1 test/run.sh $< some; \
	status=$$?; wait $$! || status=$$?; cat $(B)/routines.log; exit $$status
else ifeq ($(SAN),thread)
# Each case in one process: staging, started calls and the pipeline have threads too.  GCC 12's sanitizer takes
# the thread-local memory of PoCL's compiler for hundreds of terabytes.  The longest suites come first.
run-check: $(B)/test/check
	TSAN_OPTIONS=intercept_tls_get_addr=0 CLOPT_TEST_SMALL=1 CLOPT_TEST_ALL=1 CK_FORK=no test/run.sh $< several cancel freivalds threads started map buffers idle
else
check-installed: all $(B)/bare.so
	export MAKEFLAGS= CC='$(CC)' CXX='$(CXX)'; test/headers.sh $(SO) && test/abi.sh && \
		test/library.sh $(SO) && test/install.sh && test/manual.sh $(SO) $(B)/man && \
		test/completions.sh $(B)/examples $(B)/share && python3 -B test/counts.py && test/programs.py $(B)/examples \
		$(if $(filter 1,$(ALL)),&& CLOPT_TEST_ALL=1 test/mpi.sh && test/source.sh && test/cross.sh && test/ffi.sh \
		&& test/docs.py && "$$MAKE" -s run-html && test/links.py $(B)/html)
run-quick: $(B)/test/check
	CK_EXCLUDE_TAGS="walk long picked" CLOPT_TEST_ALL=$(ALL) $<
# Beside the suites of test/run.sh, since scripts wait for processes, and the simulator has one thread.  The quick
# suites are one process, whose lines end the run.
ifeq ($(ALL),1)
MASKS = no-images no-fp64 group=64 local=16384 buffer=16777216 in-order
SUITES = walk long joined
BESIDE = simulator scripts quick
run-check: $(B)/test/soak
run-simulator: $(B)/test/check
	test/oclgrind.sh $<
run-scripts: check-installed
	export CLOPT_TEST_ALL=1 && test/blas.sh $(BLAS) && test/adding.sh && $(MAKE) --no-print-directory run-wheel && \
	test/python.sh $(SO) && $(B)/test/soak $(LAYER) 25 && PART=1/18 test/masked.sh $(B)/test/check $(LAYER) all && \
	PART=1/36 SUITES="variants buffers" test/masked.sh $(B)/test/check $(LAYER) $(MASKS)
else
SUITES = picked
BESIDE = scripts quick
run-scripts: check-installed
endif
run-check: all $(B)/bare.so $(B)/test/check
	export CLOPT_TEST_ALL=$(ALL); status=0; jobs=; trap 'kill $$jobs; exit 130' INT TERM; \
	for job in $(BESIDE); do \
		$(MAKE) --no-print-directory run-$$job >$(B)/$$job.log 2>&1 & jobs="$$jobs $$!"; done; \
	for suites in $(SUITES); do test/run.sh $(B)/test/check $$suites || { status=$$?; break; }; done; \
	for job in $$jobs; do wait $$job || status=$$?; done; \
	cat $(BESIDE:%=$(B)/%.log); exit $$status
endif

SECONDS ?= 60
fuzz:
	@test/deps.sh fuzz
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc)) SAN=fuzz build/fuzz/test/fuzz
	test/fuzz.sh build/fuzz/test/fuzz $(SECONDS) build/fuzz/corpus $(TARGETS)

coverage:
	@test/deps.sh coverage
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc)) SAN=coverage run-coverage
# clopt__fail returns no success, so that the branch for one is never taken.
run-coverage: $(B)/test/check
	find $(B) -name '*.gcda' -delete
	$(if $(filter 1,$(ALL)),export CLOPT_TEST_ALL=1 && for s in walk long joined; do test/run.sh $< $$s || exit; done, \
		test/run.sh $< default)
	CK_EXCLUDE_TAGS="walk long" CLOPT_TEST_ALL=$(ALL) $<
	gcovr -r . --object-directory $(B)/obj -f lib/ --exclude-throw-branches \
		--exclude-branches-by-pattern '.*\bTRY\(clopt__fail.*' -s -o $(B)/coverage.txt $(B)/obj/lib

run-soak: $(B)/test/soak
	$< $(LAYER) $(SECONDS) $(SEED)

run-check-intel: $(B)/test/check
	test/intel.sh $<

BENCHES := ladders roofline scaling transfers trees peers pairs latency advice
run-bench: $(B)/examples/clopt $(SO)
	$< bench
	python=python3; python3 -c 'import matplotlib' 2>/dev/null || python=/usr/bin/python3; \
	for script in $(BENCHES); do PYTHONPATH=lib/python LD_LIBRARY_PATH=$(B) $$python -B examples/bench/$$script.py \
		--folder $(B)/bench $(BENCH) || exit; done

# The programs again, with --mpi, on the shared libraries, since both use one libclopt.
$(MPI)/ranks.o: examples/common/ranks.c $(wildcard examples/common/*.h include/*.h)
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) $(OWN) -DCLOPT_WITH_MPI -c -o $@ $<
$(MPI_PROGRAMS): $(MPI)/%: $(B)/obj/examples/%.o $$(call objects,examples/$$*/*.c examples/$$*/*/*.c) $(MPI)/ranks.o \
		$(COMMON) $(MPI)/libclopt-mpi.so
	$(MPICC) $(CFLAGS) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..:$$ORIGIN/../lib' -o $@ $(filter %.o,$^) $(COMMON) \
		$(MPI)/libclopt-mpi.so $(SO) -Wl,--as-needed $(TOOL_LIBS) $(LIBS)

run-demo: $(PROGRAMS)
	@mkdir -p $(B)/demo
	$(B)/examples/clopt-gem $(foreach t,png csv ply,--$t $(B)/demo/$(DEMO).$t) examples/data/$(DEMO).pqr
	@echo "The picture is $(abspath $(B)/demo/$(DEMO).png)"
	$(B)/examples/routines

# The manual as a site that needs no server: build/html/index.html.
run-html: man
	docs/pages.py $(B)/man $(B)/html

run-amd-table: $(B)/test/check
	test/amd.sh $< $(if $(ROWS),'$(ROWS)')

# The rooms of lib/ and what uses what, from the includes and the objects.
rooms: $(LIB_OBJ)
	test/rooms.sh $(B)/obj/lib picture docs/architecture.md

# The checkers, most of which have one thread, run beside the compilers.  clang warns before it optimizes.  A frame
# of 40 KiB is too large for the threads of some callers.
run-lint: $(LIB_OBJ)
	test/rooms.sh $(B)/obj/lib
	test/lint.sh $(FORMATTED) >$(B)/lint.log 2>&1 & trap "kill $$!; exit 130" INT TERM; \
	$(MAKE) objects B=build/lint-gcc CC=gcc CFLAGS='-O2 -Werror -Wframe-larger-than=40960' && \
	$(MAKE) objects B=build/lint-clang CC=clang CFLAGS='-O0 -Werror'; \
	status=$$?; wait $$! || status=$$?; cat $(B)/lint.log; exit $$status

format:
	clang-format -i $(FORMATTED)

deps:
	@test/deps.sh check; test/deps.sh mpi

# Quoted wherever they stand, since a folder may have a blank in its name.
BIN = $(DESTDIR)$(PREFIX)/bin
DEV = $(DESTDIR)$(LIBDIR)
INC = $(DESTDIR)$(INCLUDEDIR)
MAN = $(DESTDIR)$(MANDIR)
DOC = $(DESTDIR)$(DOCDIR)
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = $(foreach p,clopt clopt-gem,bash-completion/completions/$p zsh/site-functions/_$p \
	fish/vendor_completions.d/$p.fish)
install: all
	install -d "$(BIN)" "$(INC)" "$(DEV)/pkgconfig" "$(DEV)/cmake/clopt" "$(DOC)"
	install $(B)/examples/clopt $(B)/examples/clopt-gem "$(BIN)"
	install -m 644 $(HEADERS) "$(INC)"
	install -m 644 $(LIB) $(SO) $(BLAS) "$(DEV)"
	cp -P $(B)/$(SONAME) $(B)/libclopt.so "$(DEV)"
	install -m 644 $(B)/clopt.pc "$(DEV)/pkgconfig"
	install -m 644 $(filter %.cmake,$(FILLED)) "$(DEV)/cmake/clopt"
	for s in 1 3 7; do install -d "$(MAN)/man$$s" && install -m 644 $(B)/man/man$$s/* "$(MAN)/man$$s" || exit; done
	for f in $(COMPLETIONS); do install -D -m 644 $(B)/share/$$f "$(SHARE)/$$f" || exit; done
	install -m 644 README.md COPYING "$(DOC)"
	rm -rf "$(DOC)/docs" "$(DOC)/examples"
	cp -R docs examples "$(DOC)"
	chmod -R u=rwX,go=rX "$(DOC)/docs" "$(DOC)/examples"

install-mpi: install run-mpi
	install -m 644 include/clopt_mpi.h "$(INC)"
	install -m 644 $(MPI)/libclopt-mpi.so "$(DEV)"
	install $(MPI)/clopt-gem "$(BIN)/clopt-gem-mpi"
	install -m 644 $(B)/clopt-mpi.pc "$(DEV)/pkgconfig"

uninstall:
	rm -f "$(BIN)/clopt-gem-mpi" "$(INC)/clopt_mpi.h" "$(DEV)/libclopt-mpi.so" "$(DEV)/pkgconfig/clopt-mpi.pc"
	rm -f "$(BIN)/clopt" "$(BIN)/clopt-gem" $(patsubst include/%,"$(INC)/%",$(HEADERS)) \
		"$(DEV)/libclopt.a" "$(DEV)/libclopt.so" "$(DEV)/$(SONAME)" "$(DEV)/$(notdir $(SO))" \
		"$(DEV)/libclopt-blas.so" \
		"$(DEV)/pkgconfig/clopt.pc" "$(MAN)"/man1/clopt.1 "$(MAN)"/man1/clopt-gem.1 \
		"$(MAN)"/man3/clopt_*.3 "$(MAN)"/man7/clopt.7 "$(MAN)"/man7/clopt-environment.7 \
		"$(DOC)/README.md" "$(DOC)/COPYING" $(patsubst %,"$(SHARE)/%",$(COMPLETIONS))
	rm -rf "$(DEV)/cmake/clopt" "$(DOC)/docs" "$(DOC)/examples"
	[ ! -d "$(DOC)" ] || rmdir "$(DOC)"

dist:
	@mkdir -p build
	git archive --prefix=libclopt-$(VERSION)/ -o build/libclopt-$(VERSION).tar HEAD
	gzip -9nf build/libclopt-$(VERSION).tar

# Of this folder as it is.  Files in packages get the date of the last commit, or of the tarball.
deb: SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y include/clopt.h)
deb:
	@test/deps.sh deb
	rm -rf build/deb
	mkdir -p build/deb/source
	cp -R $(filter-out build,$(wildcard *)) build/deb/source
	lib/debian/fill.sh build/deb/source $(VERSION) $(SERIES) $(SOURCE_DATE_EPOCH)
	cd build/deb/source && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc -b

check-deb: deb
	test/deb.sh build/deb

abi:
	test/abi.sh update

clean:
	rm -rf build

.DELETE_ON_ERROR:
.PHONY: all fuzz soak coverage run-coverage man objects blas-alternative other-languages mpi wheel rooms demo check check-intel bench lint amd-table html format deps \
	install uninstall dist deb check-deb abi clean FORCE \
	run-demo run-check run-quick run-simulator run-scripts run-soak check-installed run-check-intel run-bench run-lint \
	run-amd-table run-html run-mpi run-wheel run-blas-alternative
-include $(patsubst %.o,%.d,$(LIB_OBJ) $(BLAS_OBJ) $(PROGRAM_OBJ) $(TEST_OBJ) $(EXAMPLE_OBJ) \
	$(call objects,test/fake/*.c test/fuzz/*.c test/layer/*.c test/soak/*.c))
