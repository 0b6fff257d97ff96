# SPDX-License-Identifier: MIT
#
#	make            build/libclopt.a, build/libclopt.so, build/libclopt-blas.so, build/examples/*; V=1 shows commands
#	make install, install-mpi, uninstall    with PREFIX=/usr/local, DESTDIR=, LIBDIR, INCLUDEDIR, MANDIR, DOCDIR
#	make demo       draw a protein in salt water with its potential in kT/e, then check the main routines
#	make check      the tests that a change needs; ALL=1: all; SAN=1, SAN=thread: under sanitizers (docs/testing.md)
#	make check-intel, lint, coverage, format, abi, clean
#	make rooms      the picture of lib/ in docs/architecture.md; what rooms weigh, beside the last release
#	make way        the functions on the way of one clopt_sgemm
#	make fuzz       SECONDS=60 for each target, or TARGETS='pqr map'; inputs are kept in build/fuzz/corpus
#	make soak       mixed calls from four threads while drivers fail, SECONDS=60 in all
#	make bench      every kernel; then the scripts of examples/bench, with BENCH='--device gpu --seconds 1'
#	make blas-alternative  build/blas/libblas.so.3, the drop-in in front of BLAS_NEXT=-l:libopenblas.so.0
#	make mpi        build/mpi: the library for MPI and the programs with --mpi, by MPICC=mpicc
#	make wheel      build/clopt-*.whl: the Python package with the library and an OpenCL loader
#	make man, html  build/man; build/html, a site of README.md, docs/ and the man pages
#	make amd-table  build/amd/registers.md and issue.md; ROWS='matmul/(mfma|wmma)': rows that begin so
#	make dist       build/libclopt-VERSION.tar.gz, of the last commit
#	make deb        Debian packages, in build/deb; check-deb installs and uses them in a folder
#	make deps       install what is missing on a Debian system; demo and check do so too
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

# As Debian hardens its packages; a packager's own flags replace these.
CFLAGS ?= -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
LDFLAGS ?= -Wl,-z,relro,-z,now
PKG_CONFIG ?= pkg-config
TOOL_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags cairo jansson libpng zlib)
TOOL_LIBS ?= $(shell $(PKG_CONFIG) --libs cairo jansson libpng zlib)
LIBS = -lOpenCL -lm -lpthread

B = build
ifdef SAN
FOLDER_1 = san
FOLDER_thread = tsan
FOLDER_coverage = cov
B = build/$(or $(FOLDER_$(SAN)),$(SAN))
CFLAGS = -O1 -g -fno-omit-frame-pointer
SANITIZE_1 = -fsanitize=address,undefined -fno-sanitize-recover=undefined
SANITIZE_thread = -fsanitize=thread
SANITIZE_fuzz = -fsanitize=fuzzer-no-link $(SANITIZE_1)
SANITIZE_way = -finstrument-functions
SANITIZE = $(SANITIZE_$(SAN))
endif
ifneq ($(filter 1 thread,$(SAN)),)
# What only calls the library compiles in half the time.
$(B)/obj/test/%.o $(B)/obj/example/%.o $(B)/obj/examples/%.o: CFLAGS = -O0 -g
else ifeq ($(SAN),fuzz)
CC = clang
else ifeq ($(SAN),coverage)
# Counters of the library alone, unoptimized, so that its branches are those of the text.
$(B)/obj/lib/%.o: CFLAGS = -O0 -g
$(B)/obj/lib/%.o: SANITIZE = --coverage -fprofile-update=atomic
LINK_COUNTERS = --coverage
endif
# The prefix map: debug information without this folder's name, so that a build has the same bits anywhere.
OWN = -std=c99 -D_POSIX_C_SOURCE=200809L -Iinclude -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wvla \
	-fvisibility=default -fPIC -pthread $(SANITIZE) '-ffile-prefix-map=$(CURDIR)=.'
LINK = $(CC) $(CFLAGS) $(SANITIZE) $(LINK_COUNTERS) $(LDFLAGS)

VERSION := $(shell sed -n 's/^.define CLOPT_VERSION_[A-Z]* //p' include/clopt.h | paste -sd.)
# While the major version is 0, a minor one may change the interface.
SERIES := $(patsubst 0,$(basename $(VERSION)),$(firstword $(subst ., ,$(VERSION))))
SONAME := libclopt.so.$(SERIES)
SO := $(B)/libclopt.so.$(VERSION)
LIB := $(B)/libclopt.a
BLAS := $(B)/libclopt-blas.so
BLAS_NEXT ?= -l:libopenblas.so.0
# clopt_mpi.h goes with its library.
HEADERS := $(filter-out include/clopt_mpi.h,$(wildcard include/*.h include/*.hpp include/*.f90))
ROOMS := $(patsubst %/,%,$(wildcard lib/*/))
objects = $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard $(1))))
LIB_OBJ := $(call objects,lib/*/*.c) $(B)/obj/build/sources.o
BLAS_OBJ := $(call objects,lib/blas/src/*.c)
# What examples/ffi/ and examples/bench/ have of C is another language's to compile.
EXAMPLES := $(wildcard examples/*.c)
PROGRAM_OBJ := $(filter-out $(B)/obj/examples/ffi/% $(B)/obj/examples/bench/%,\
	$(call objects,$(EXAMPLES) examples/*/*.c examples/*/*/*.c))
PROGRAMS := $(patsubst %.c,$(B)/%,$(EXAMPLES))
COMMON := $(B)/common.a
# The scripts that programs run by python3 -c, as C text.
SCRIPTS := $(patsubst %,$(B)/obj/%.o,$(wildcard $(EXAMPLES:.c=/*.py) $(EXAMPLES:.c=/*/*.py)))

all: $(LIB) $(SO) $(BLAS) $(PROGRAMS) man bindings filled
objects: $(LIB_OBJ) $(BLAS_OBJ) $(PROGRAM_OBJ)
$(LIB_OBJ) $(PROGRAM_OBJ): | $(B)/asked
# What a build lacks is told once, with the command that installs it; the compiler says the rest.
$(B)/asked:
	@mkdir -p $(@D); test/deps.sh --say build && touch $@ || :

# The kernels as C text.  A folder is newer when a file in it has come or gone, here and below.  What is kept of
# kernels and of verdicts on them depends on how they are made, run and judged: its key has the digest of all of the
# library and cl/.
KERNELS := $(sort $(shell find cl -name '*.cl' -o -name '*.clh'))
DIGESTED := $(sort $(wildcard lib/*/*.[ch]) $(KERNELS))
$(B)/sources.c: lib/embed.awk $(DIGESTED) $(shell find cl)
	$(call say,AWK)
	@mkdir -p $(@D)
	awk -v digest="$$(cat $(DIGESTED) | cksum)" -f lib/embed.awk $(KERNELS) > $@

define compile
$(call say,CC)
@mkdir -p $(@D)
$(CC) $(CPPFLAGS) $(CFLAGS) $(OWN) -MMD -MP -c -o $@ $<
endef
$(B)/obj/%.o: %.c
	$(compile)
# What is generated lies beside the objects, so that the tree itself may be read-only.
$(B)/obj/build/%.o: $(B)/%.c
	$(compile)
$(SCRIPTS): $(B)/obj/%.py.o: %.py
	$(call say,CC)
	@mkdir -p $(@D)
	{ echo 'const char $(*F)_py[] = {'; od -An -v -td1 $< | sed 's/[0-9][0-9]*/&,/g'; echo '0 };'; } | \
		$(CC) $(CFLAGS) $(OWN) -x c -c -o $@ -
# On 32-bit systems files with larger inode numbers or 2 GiB are refused otherwise.
$(B)/obj/examples/%.o $(B)/obj/example/%.o: OWN += -D_FILE_OFFSET_BITS=64 $(TOOL_CFLAGS)
# Multiply-adds in one instruction; gcc -std=c99 makes two of them.  On s390x it makes doubles of the floats
# beside a vector, which then do not fit.
$(B)/obj/lib/host/%.o: OWN += -std=gnu99 -ffp-contract=fast

# Members of one name, as table/matmul.o and verify/matmul.o, would replace each other with `r`.
$(LIB): $(LIB_OBJ) $(ROOMS)
$(COMMON): $(call objects,examples/common/*.c) $(SCRIPTS) examples/common
$(LIB) $(COMMON):
	$(call say,AR)
	rm -f $@
	$(AR) qcsD $@ $(filter %.o,$^)

LINK_SO = $(LINK) -shared -Wl,-soname,$(SONAME),--version-script,lib/clopt.map,--no-undefined -o $@ $(LIB_OBJ) $(LIBS)
$(SO): $(LIB_OBJ) $(ROOMS) lib/clopt.map
	$(call say,LINK)
	$(LINK_SO)
	ln -sf $(@F) $(B)/$(SONAME)
	ln -sf $(SONAME) $(B)/libclopt.so

# It finds libclopt beside itself, since LD_PRELOAD names only the one file.  dlclose would lose its context, so it
# stays.  The alternative has the name that programs ask for, and the symbols that it lacks from the next BLAS.
$(BLAS) $(B)/blas/libblas.so.3: $(BLAS_OBJ) $(SO)
	$(call say,LINK)
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F),-rpath,'$$ORIGIN$(ABOVE)',--no-undefined,-z,nodelete -o $@ $^ \
		-Wl,--as-needed -lm -lpthread -ldl $(NEXT)
$(B)/blas/libblas.so.3: ABOVE = /..
$(B)/blas/libblas.so.3: NEXT = -Wl,--no-as-needed $(BLAS_NEXT)

# A program is examples/NAME.c, the files of examples/NAME/ and its rooms, if there is such a folder,
# and what it needs of examples/common/.  They have the library inside, so that they run from here;
# packages say PROGRAM_LIB='$(SO)'.
PROGRAM_LIB ?= $(LIB)
.SECONDEXPANSION:
$(PROGRAMS): $(B)/%: $(B)/obj/%.o $$(call objects,$$*/*.c $$*/*/*.c) $$(wildcard $$* $$*/*/) $(COMMON) $(PROGRAM_LIB)
	$(call say,LINK)
	@mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(COMMON) $(PROGRAM_LIB) -Wl,--as-needed $(TOOL_LIBS) $(LIBS)

# Man pages, from the headers' comments, the programs' --help and docs/; shells' completions.
man: $(B)/man/made
$(B)/man/made: docs/manual.py docs/completions.py docs/environment.md docs/calls.md $(HEADERS) include/clopt_mpi.h \
		$(B)/examples/clopt $(B)/examples/clopt-gem $(B)/examples/nbody
	$(call say,MAN)
	@rm -rf $(@D)
	LD_LIBRARY_PATH=$(B) docs/manual.py man $(B)/examples $(@D)
	LD_LIBRARY_PATH=$(B) docs/completions.py $(B)/examples $(B)/share
	@touch $@

# What is missing is installed first.  The rest is a make of its own, since this one may have started without a
# pkg-config to ask.
ASKED := demo check check-intel fuzz coverage bench soak lint amd-table html mpi wheel blas-alternative way
$(ASKED):
	@test/deps.sh $(or $(NEEDS),$@)
	@for what in $(WISHES); do test/deps.sh $$what || :; done
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc)) $(MODE) run-$@
check-intel: NEEDS = check
amd-table: NEEDS = amd
blas-alternative: NEEDS = openblas
# Tests of other languages and systems are skipped where these are missing.
ifeq ($(ALL)/$(SAN),1/)
check: WISHES = all ffi python ranks cross
endif
fuzz: MODE = SAN=fuzz
way: MODE = SAN=way
coverage: MODE = SAN=coverage

clean:
	rm -rf build

include $(wildcard lib/*.mk test/*.mk)
.DELETE_ON_ERROR:
.PHONY: all objects man clean FORCE $(ASKED) $(ASKED:%=run-%)
-include $(patsubst %.o,%.d,$(LIB_OBJ) $(BLAS_OBJ) $(PROGRAM_OBJ))
