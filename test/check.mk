# SPDX-License-Identifier: MIT
#
# check.mk - tests, checkers, measurements, and pages that are made by running programs.

# if-all WITH,WITHOUT: of these, by whether ALL=1 is asked for.
if-all = $(if $(filter 1,$(ALL)),$(1),$(2))
CHECK_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS ?= $(shell $(PKG_CONFIG) --libs check)
TEST_ROOMS := $(filter-out %/blas %/fake %/ffi %/fuzz %/header %/layer %/mpi %/soak,$(patsubst %/,%,$(wildcard test/*/)))
TEST_C := $(sort $(wildcard $(addsuffix /*.c,$(TEST_ROOMS))))
TEST_OBJ := $(call objects,$(TEST_C)) $(B)/obj/build/cases.o
FAKE := $(B)/test/libfake.so
LAYER := $(B)/test/liblayer.so
TESTED_OBJ := $(call objects,$(foreach p,clopt clopt-gem nbody common,examples/$p/*.c examples/$p/*/*.c)) $(SCRIPTS)
# The programs as functions of the tests: the main of examples/NAME.c is example_NAME there.
EXAMPLE_OBJ := $(patsubst examples/%.c,$(B)/obj/example/%.o,$(EXAMPLES))
FORMATTED = $(shell find lib include examples test -name '*.[ch]' -o -name '*.cc' -o -name '*.hpp')

# The list of all suites of tests.
$(B)/cases.c: test/frame/cases.awk $(TEST_C) $(TEST_ROOMS)
	$(call say,AWK)
	@mkdir -p $(@D)
	awk -f $< $(TEST_C) > $@
$(B)/obj/example/%.o: OWN += -Wno-missing-prototypes -Dmain=example_$(subst -,_,$*)
$(B)/obj/example/%.o: examples/%.c
	$(compile)
# Their callbacks seldom use all that they get.
$(B)/obj/test/%.o $(B)/obj/build/cases.o: OWN += -Ilib -Itest/frame -Iexamples -Iexamples/clopt \
	-Wno-unused-parameter $(TOOL_CFLAGS) $(CHECK_CFLAGS)
# The linker alone calls wrappers.
$(B)/obj/test/frame/%.o $(B)/obj/test/soak/%.o: OWN += -Wno-missing-prototypes
# Counts what the library allocates, apart from what drivers do.
$(B)/obj/test/soak/%.o: OWN += -std=c11

# Each OpenCL function that the library calls, each allocation, each call on files, and each device array
# between two calls goes through its __wrap_ in test/.  An OpenCL function that has none there does not link.
$(B)/test/check: $(TEST_OBJ) $(TESTED_OBJ) $(EXAMPLE_OBJ) $(LIB) $(TEST_ROOMS) | $(FAKE)
	$(call say,LINK)
	@mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(LIB) -Wl,--as-needed $(CHECK_LIBS) $(TOOL_LIBS) $(LIBS) \
		$$(nm -u $(LIB) | sed -n 's/^ *U \(cl[A-Z][A-Za-z0-9]*\)$$/-Wl,--wrap=\1/p' | sort -u) \
		$(foreach f,malloc calloc realloc pthread_create open openat mkdir fdopendir fstat read write close renameat \
			clopt__idle_take clopt__idle_give clopt__host_transpose clopt__host_vectors clopt__move_near \
			clopt__trial_run clopt__throughput _mark_point,-Wl,--wrap=$f)
$(B)/test/fuzz: $(call objects,test/fuzz/*.c) $(TESTED_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK) -fsanitize=fuzzer -o $@ $^ $(TOOL_LIBS) $(LIBS)
$(B)/test/soak: $(call objects,test/soak/*.c) $(LIB) | $(LAYER)
	$(LINK) -o $@ $^ $(foreach f,malloc calloc realloc free strdup posix_memalign,-Wl,--wrap=$f) $(LIBS) -ldl
# An OpenCL driver of the tests' own, which the loader finds where they want it to; a layer for the loader, which
# plants faults and hides what devices have.
$(FAKE) $(LAYER): $(B)/test/lib%.so: $$(call objects,test/$$*/*.c)
	@mkdir -p $(@D)
	$(LINK) -shared -o $@ $^ -lpthread
# With none of the options above, as for somebody who puts the files into a program of his own.
$(B)/bare.so: $(wildcard lib/*/*.[ch] include/*.h) $(B)/sources.c
	$(CC) -shared -fPIC -Wl,--no-undefined -o $@ -Iinclude lib/*/*.c $(B)/sources.c $(LIBS)

run-check run-check-intel: export CLOPT_CACHE_DIR = 0
# PoCL alone, whatever other drivers are installed, unless the caller names some.
ifeq ($(OCL_ICD_VENDORS)$(OCL_ICD_FILENAMES),)
ifneq ($(wildcard /etc/OpenCL/vendors/pocl.icd),)
run-check run-coverage: $(B)/vendors/pocl.icd
run-check run-coverage: export OCL_ICD_VENDORS = $(abspath $(B)/vendors)
endif
endif
$(B)/vendors/pocl.icd: /etc/OpenCL/vendors/pocl.icd
	@mkdir -p $(@D) && cp $< $@

ifeq ($(SAN),1)
# Leaks are looked for in one process that calls every routine: after each of Check's hundred forks
# it takes ten times as long, and the leak checker now and then trips over PoCL's ending threads.
# Compiling a kernel for the first time takes seconds in a driver whose malloc is watched; kernels
# are not, so small shapes do.  PoCL's LLVM gives threads signal stacks, and the sanitizer, which
# would too, cannot take them back.
run-check: $(B)/test/check $(PROGRAMS)
	ASAN_OPTIONS=fast_unwind_on_malloc=0:use_sigaltstack=0 \
		LSAN_OPTIONS=suppressions=test/lsan.supp:print_suppressions=0 $(B)/examples/routines \
		>$(B)/routines.log 2>&1 & trap "kill $$!; exit 130" INT TERM; \
	CK_TIMEOUT_MULTIPLIER=10 UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 \
		CLOPT_TEST_SMALL=1 CLOPT_TEST_ALL=1 test/run.sh $< some && \
		ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 test/gem.py $(B)/examples && \
		ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 test/nbody.py $(B)/examples; \
	status=$$?; wait $$! || status=$$?; cat $(B)/routines.log; exit $$status
else ifeq ($(SAN),thread)
# Each case in one process: staging, started calls and the pipeline have threads too.  GCC 12's sanitizer takes
# the thread-local memory of PoCL's compiler for hundreds of terabytes.  The longest suites come first.
run-check: $(B)/test/check
	TSAN_OPTIONS=intercept_tls_get_addr=0 CLOPT_TEST_SMALL=1 CLOPT_TEST_ALL=1 CK_FORK=no test/run.sh $< several cancel freivalds threads started map buffers idle
else
check-installed: export MAKE := $(MAKE)
check-installed: all $(B)/bare.so
	export MAKEFLAGS= CC='$(CC)' CXX='$(CXX)'; test/headers.sh $(SO) && test/abi.sh && \
		test/library.sh $(SO) && test/install.sh && test/manual.sh $(SO) $(B)/man && \
		test/completions.sh $(B)/examples $(B)/share && python3 -B test/counts.py && test/programs.py $(B)/examples && test/snapshots.py $(B)/examples \
		&& test/gem.py $(B)/examples && test/nbody.py $(B)/examples \
		$(call if-all,&& CLOPT_TEST_ALL=1 test/mpi.sh && test/source.sh && test/cross.sh && test/ffi.sh \
		&& python3 -B test/recipes/check.py && test/docs.py && "$$MAKE" -s run-html && test/links.py $(B)/html)
# What compilers and the library say of planted faults is shown only if a test fails.
run-quick: $(B)/test/check
	CK_EXCLUDE_TAGS="walk long picked" CLOPT_TEST_ALL=$(ALL) $< 2>$(B)/quick.stderr || \
		{ status=$$?; cat $(B)/quick.stderr; exit $$status; }
# Beside the suites of test/run.sh, since scripts wait for processes, and the simulator has one thread.  The scripts
# run one after the other, so that all else yields to them.  The quick suites are one process, whose lines end the
# run; what failed is shown last.
SUITES = $(call if-all,walk long joined,picked)
BESIDE = $(call if-all,simulator) scripts quick
MASKS = no-images no-fp64 group=64 local=16384 buffer=16777216 in-order
run-simulator: $(B)/test/check
	test/oclgrind.sh $<
run-scripts: check-installed $(FAKE)
	$(call if-all,export CLOPT_TEST_ALL=1 && test/blas.sh $(BLAS) && test/adding.sh && \
	$(MAKE) --no-print-directory run-wheel && test/python.sh $(SO) && $(B)/test/soak $(LAYER) 10 && \
	PART=1/18 test/masked.sh $(B)/test/check $(LAYER) all && \
	PART=1/36 SUITES="variants buffers" test/masked.sh $(B)/test/check $(LAYER) $(MASKS))
run-check: all $(B)/bare.so $(B)/test/check $(call if-all,$(B)/test/soak)
	: >$(B)/test/check.failed; export CLOPT_TEST_ALL=$(ALL); status=0; jobs=; trap 'kill $$jobs; exit 130' INT TERM; \
	for job in $(BESIDE); do nice=nice; [ $$job != scripts ] || nice=; \
		$$nice $(MAKE) --no-print-directory run-$$job >$(B)/$$job.log 2>&1 & jobs="$$jobs $$!"; done; \
	for suites in $(SUITES); do nice test/run.sh $(B)/test/check $$suites || { status=$$?; break; }; done; \
	set -- $(BESIDE:%=$(B)/%.log); for job in $$jobs; do \
		if wait $$job; then cat $$1; else status=$$?; cat $$1 >>$(B)/test/check.failed; fi; shift; done; \
	cat $(B)/test/check.failed; exit $$status
endif

run-check-intel: $(B)/test/check $(PROGRAMS)
	test/intel.sh $<
SECONDS ?= 60
run-fuzz: $(B)/test/fuzz
	test/fuzz.sh $< $(SECONDS) $(B)/corpus $(TARGETS)
run-soak: $(B)/test/soak
	$< $(LAYER) $(SECONDS) $(SEED)
# clopt__fail returns no success, so that the branch for one is never taken.
run-coverage: $(B)/test/check
	find $(B) -name '*.gcda' -delete
	$(call if-all,export CLOPT_TEST_ALL=1 && for s in walk long joined; do test/run.sh $< $$s || exit; done, \
		test/run.sh $< default)
	CK_EXCLUDE_TAGS="walk long" CLOPT_TEST_ALL=$(ALL) $<
	gcovr -r . --object-directory $(B)/obj -f lib/ --exclude-throw-branches \
		--exclude-branches-by-pattern '.*\bTRY\(clopt__fail.*' -s -o $(B)/coverage.txt $(B)/obj/lib

BENCHES := ladders roofline scaling transfers trees peers pairs latency advice
run-bench: $(B)/examples/clopt $(SO) $(PYTHON)
	$< bench
	python=python3; python3 -c 'import matplotlib' 2>/dev/null || python=/usr/bin/python3; \
	for script in $(BENCHES); do PYTHONPATH=$(B)/python LD_LIBRARY_PATH=$(B) $$python -B examples/bench/$$script.py \
		--folder $(B)/bench $(BENCH) || exit; done
run-demo: $(PROGRAMS)
	@mkdir -p $(B)/demo
	$(B)/examples/clopt-gem --mode alpb --ionic 0.15 --units kT --range 5 --size 560 \
		$(foreach t,png csv ply,--$t $(B)/demo/1a0q.$t) examples/data/1a0q.pqr
	@echo "The picture is $(abspath $(B)/demo/1a0q.png)"
	$(B)/examples/routines
# The manual as a site that needs no server: build/html/index.html.
run-html: man
	docs/pages.py $(B)/man $(B)/html
run-amd-table: $(B)/test/check
	test/amd.sh $< $(if $(ROWS),'$(ROWS)')

# The rooms of lib/ and what uses what, from the includes and the objects; what they weigh.
rooms: $(LIB)
	test/rooms.sh $(B)/obj/lib picture docs/architecture.md
	test/rooms.sh $(B)/obj/lib weights $<
run-way: $(LIB)
	test/way.sh $<
# The checkers, most of which have one thread, run beside the compilers.  clang warns before it optimizes.  A frame
# of 40 KiB is too large for the threads of some callers.
# Where nothing is built yet, gcc's objects are those of the build.
LINTED = $(if $(wildcard build/obj),build/lint-gcc,build)
run-lint:
	@mkdir -p $(B)
	test/lint.sh $(FORMATTED) >$(B)/lint.log 2>&1 & trap "kill $$!; exit 130" INT TERM; \
	$(MAKE) objects B=$(LINTED) CC=gcc CFLAGS='$(CFLAGS) -Werror -Wframe-larger-than=40960' && \
	test/rooms.sh $(LINTED)/obj/lib && \
	$(MAKE) objects B=build/lint-clang CC=clang CFLAGS='-O0 -Werror'; \
	status=$$?; wait $$! || status=$$?; cat $(B)/lint.log; exit $$status
format: ; clang-format -i $(FORMATTED)
deps: ; @test/deps.sh check; test/deps.sh mpi
check-deb: deb ; test/deb.sh build/deb
abi: ; test/abi.sh update

.PHONY: check-installed run-quick run-simulator run-scripts rooms format deps check-deb abi
-include $(patsubst %.o,%.d,$(TEST_OBJ) $(EXAMPLE_OBJ) $(call objects,$(foreach d,fake fuzz layer soak,test/$d/*.c)))
