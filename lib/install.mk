# SPDX-License-Identifier: MIT
#
# install.mk - what goes to others: folders of a system, MPI's library, a wheel, a tarball, Debian packages.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/clopt
# Quoted wherever they stand, since a folder may have a blank in its name.
BIN = $(DESTDIR)$(PREFIX)/bin
DEV = $(DESTDIR)$(LIBDIR)
INC = $(DESTDIR)$(INCLUDEDIR)
MAN = $(DESTDIR)$(MANDIR)
DOC = $(DESTDIR)$(DOCDIR)
SHARE = $(DESTDIR)$(PREFIX)/share
# The programs that are installed, each with a page and completions.
INSTALLED = clopt clopt-gem nbody
COMPLETIONS = $(foreach p,$(INSTALLED),bash-completion/completions/$p zsh/site-functions/_$p \
	fish/vendor_completions.d/$p.fish)

# What pkg-config and CMake read, for the folders of `make install`.
FILLED := $(patsubst lib/%.in,$(B)/%,$(wildcard lib/*.in))
filled: $(FILLED)
$(FILLED): $(B)/%: lib/%.in FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|; s|@SERIES@|$(SERIES)|; s|dir=$(PREFIX)/|dir=$${prefix}/|' $< > $@

# What the headers declare, for Fortran, Julia, Rust and Python, whose package stands whole in $(B)/python.
PYTHON := $(B)/python/clopt/_headers.py
BINDINGS := $(B)/clopt_c.f90 $(B)/clopt_c.jl $(B)/clopt_c.rs $(PYTHON)
bindings: $(BINDINGS)
$(BINDINGS): lib/bindings.py $(HEADERS)
	$(call say,BIND)
	@mkdir -p $(@D)
	$(if $(findstring $@,$(PYTHON)),rm -f $(@D)/*.py && cp lib/python/clopt/*.* $(HEADERS) docs/environment.md $(@D))
	python3 -B $< $@
$(PYTHON): $(wildcard lib/python/clopt/*.*) lib/python/clopt docs/environment.md

install: all
	install -d "$(BIN)" "$(INC)" "$(DEV)/pkgconfig" "$(DEV)/cmake/clopt" "$(DOC)"
	install $(INSTALLED:%=$(B)/examples/%) "$(BIN)"
	install -m 644 $(HEADERS) $(B)/clopt_c.f90 "$(INC)"
	install -m 644 $(LIB) $(SO) $(BLAS) "$(DEV)"
	cp -P $(B)/$(SONAME) $(B)/libclopt.so "$(DEV)"
	install -m 644 $(B)/clopt.pc "$(DEV)/pkgconfig"
	install -m 644 $(filter %.cmake,$(FILLED)) "$(DEV)/cmake/clopt"
	for s in 1 3 7; do install -d "$(MAN)/man$$s" && install -m 644 $(B)/man/man$$s/* "$(MAN)/man$$s" || exit; done
	for f in $(COMPLETIONS); do install -D -m 644 $(B)/share/$$f "$(SHARE)/$$f" || exit; done
	install -m 644 README.md COPYING "$(DOC)"
	rm -rf "$(DOC)/docs" "$(DOC)/examples"
	cp -R docs examples "$(DOC)"
	cp $(B)/clopt_c.jl $(B)/clopt_c.rs "$(DOC)/examples/ffi"
	chmod -R u=rwX,go=rX "$(DOC)/docs" "$(DOC)/examples"

install-mpi: install run-mpi
	install -m 644 include/clopt_mpi.h "$(INC)"
	install -m 644 $(MPI)/libclopt-mpi.so "$(DEV)"
	for p in clopt-gem nbody; do install $(MPI)/$$p "$(BIN)/$$p-mpi" || exit; done
	install -m 644 $(B)/clopt-mpi.pc "$(DEV)/pkgconfig"

uninstall:
	rm -f $(patsubst %,"$(BIN)/%",$(INSTALLED) clopt-gem-mpi nbody-mpi) $(patsubst include/%,"$(INC)/%",$(HEADERS)) \
		"$(INC)/clopt_c.f90" "$(INC)/clopt_mpi.h" $(patsubst %,"$(SHARE)/%",$(COMPLETIONS)) $(patsubst %,"$(DEV)/%",\
		libclopt.a libclopt.so $(SONAME) $(notdir $(SO)) libclopt-blas.so libclopt-mpi.so pkgconfig/clopt.pc \
		pkgconfig/clopt-mpi.pc) $(INSTALLED:%="$(MAN)/man1/%.1") "$(MAN)"/man3/clopt_*.3 \
		$(patsubst %,"$(MAN)/man7/%.7",clopt clopt-calls clopt-environment) \
		"$(DOC)/README.md" "$(DOC)/COPYING"
	rm -rf "$(DEV)/cmake/clopt" "$(DOC)/docs" "$(DOC)/examples"
	[ ! -d "$(DOC)" ] || rmdir "$(DOC)"

# For the MPI whose compiler MPICC is; it finds libclopt in the folder above.  The programs again, with --mpi, on the
# shared libraries, since both use one libclopt.
MPICC ?= mpicc
MPI ?= $(B)/mpi
MPI_PROGRAMS := $(MPI)/clopt-gem $(MPI)/nbody
run-mpi: $(MPI)/libclopt-mpi.so $(MPI_PROGRAMS)
$(MPI)/libclopt-mpi.so: $(wildcard lib/mpi/src/*.[ch]) include/clopt_mpi.h $(SO)
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) $(OWN) $(LDFLAGS) -shared -Wl,-soname,$(@F),-rpath,'$$ORIGIN/..:$$ORIGIN' -o $@ \
		$(filter %.c,$^) $(SO)
$(MPI)/ranks.o: examples/common/ranks.c $(wildcard examples/common/*.h include/*.h)
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) $(OWN) -DCLOPT_WITH_MPI -c -o $@ $<
$(MPI_PROGRAMS): $(MPI)/%: $(B)/obj/examples/%.o $$(call objects,examples/$$*/*.c examples/$$*/*/*.c) $(MPI)/ranks.o \
		$(COMMON) $(MPI)/libclopt-mpi.so
	$(MPICC) $(CFLAGS) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..:$$ORIGIN/../lib' -o $@ $(filter %.o,$^) $(COMMON) \
		$(MPI)/libclopt-mpi.so $(SO) -Wl,--as-needed $(TOOL_LIBS) $(LIBS)

run-blas-alternative: $(B)/blas/libblas.so.3

# The library of the wheel finds the OpenCL loader beside itself.
$(B)/wheel/$(SONAME): $(LIB_OBJ) lib/clopt.map
	@mkdir -p $(@D)
	$(LINK_SO) -s -Wl,--enable-new-dtags,-rpath,'$$ORIGIN'
run-wheel: $(B)/wheel/$(SONAME) $(PYTHON) $(BLAS)
	rm -f $(B)/$(EDITABLE)/clopt-*.whl
	python3 -B lib/python/wheel.py $(VERSION) $< "$$($(CC) -print-file-name=libOpenCL.so.1)" $(B) $(EDITABLE)

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

.PHONY: filled bindings install install-mpi uninstall dist deb
