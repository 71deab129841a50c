# Tappet. `make help` lists what there is. Only `make deps` (and `make install` into a system folder) need root.

SHELL := /bin/sh
SWIFT ?= swift
CC := gcc
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n 's/.*staticText: StaticString = "\(.*\)"/\1/p' Sources/TappetCore/Version.swift)

RESOURCES = $(shell $(SWIFT) -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')

# Everything that is built stands in build/, laid out as it will be installed. `make ARCH=arm64` builds for 64-bit ARM boards
# into build-arm64/, for the Debian release that they run: RELEASE=bookworm (12), or trixie (13, into build-arm64-trixie/).
ARCH ?=
RELEASE ?= bookworm
ifeq ($(ARCH),arm64)
OUT := build-arm64$(if $(filter-out bookworm,$(RELEASE)),-$(RELEASE))
# Compiled once, against Debian 12: Debian 13's libraries have the same binary interfaces, but for libgpiod, whose shim is
# compiled and linked anew for it.
SCRATCH := .build-arm64
DEBIAN := $(CURDIR)/.build-debian
SYSROOT_COMPILED := $(DEBIAN)/sysroot-bookworm
SYSROOT := $(DEBIAN)/sysroot-$(RELEASE)
TOOLSET := $(DEBIAN)/toolset.json
CC := aarch64-linux-gnu-gcc --sysroot=$(SYSROOT) -B$(SYSROOT)/usr/lib/aarch64-linux-gnu
AR := aarch64-linux-gnu-ar
OBJCOPY := aarch64-linux-gnu-objcopy
ARCHIVES := $(SCRATCH)/aarch64-none-none-elf/release
TARGET := --triple aarch64-none-none-elf --toolset $(TOOLSET)
DEPS := build arm64
# SwiftPM, too, asks the sysroot's libraries and not the machine's.
$(SCRATCH)/.built: export PKG_CONFIG_PATH := $(SYSROOT_COMPILED)/usr/lib/aarch64-linux-gnu/pkgconfig
PKG_CONFIG = PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) pkg-config
else ifeq ($(ARCH),)
OUT := build
SCRATCH := .build-embedded
OBJCOPY := objcopy
ARCHIVES := $(SCRATCH)/release
DEPS := build
PKG_CONFIG = pkg-config
else
$(error ARCH=$(ARCH) is not known: leave it out for this machine's own kind, or say ARCH=arm64)
endif

EMBEDDED = TAPPET_EMBEDDED=1 $(SWIFT) build -c release --scratch-path $(SCRATCH) $(TARGET) -Xswiftc -Xcc -Xswiftc -fPIC
# C that is linked in place of the toolchain's own.
STANDINS := Sources/CLibraries/Unicode/tables.c $(if $(ARCH),Sources/CLibraries/Runtime/bridge.c)
ifneq ($(SYSROOT),$(SYSROOT_COMPILED))
# What is linked first counts, and not the archive's own member of that name.
STANDINS += -ISources/CLibraries/CGPIO/include Sources/CLibraries/CGPIO/CGPIO.c
FIRST_COUNTS := -z muldefs
endif
LINK = $(CC) -Os -Wall -Wextra -Werror -pie -fPIE
# What the programs give back of their memory is wiped.
WIPING := Sources/CLibraries/Wiping/free.c
# The toolchain's own linker reads the compiler's bitcode, makes equal functions one, and packs relative relocations. It inlines
# only what is smaller than its call, and what stands in a program several times becomes a function.
LTO = --lto-O2 -mllvm -inline-threshold=0 -mllvm -enable-machine-outliner=always
LLD = $(RESOURCES)/../../bin/ld.lld
LINK_FLAGS = -fuse-ld=lld -B$(dir $(LLD)) $(LTO:%=-Wl,%) -Wl,--icf=all -Wl,-z,pack-relative-relocs -Wl,-O2 \
	-Wl,--gc-sections -Wl,--as-needed -Wl,-z,relro,-z,now -Wl,-z,defs -lm
KIOSK_LIBS = $(shell $(PKG_CONFIG) --libs libmosquitto sqlite3 openssl yaml-0.1 libcjson libgpiod)
TOOL_LIBS = $(KIOSK_LIBS) $(shell $(PKG_CONFIG) --libs libqrencode libpng)
SOURCES := $(shell find Sources Include Package.swift -type f)

PROGRAMS := $(OUT)/bin/tappet $(OUT)/bin/tappet-sim $(OUT)/libexec/tappet/tappet-tool $(OUT)/libexec/tappet/tappet-reader
LIBRARIES := $(OUT)/lib/libtappet.so.0 $(OUT)/lib/libtappet.a
PROFILES := $(patsubst board/%,$(OUT)/share/tappet/%,$(wildcard board/profiles/*.yaml board/presets/*.yaml))
MANUAL := $(OUT)/share/man/man3

.PHONY: all .all board .board help deps check-deps run test test-unit test-parts test-system test-sanitized test-interface vm-test .ahead docs lint format fuzz simulate bench torture soak install clean

all:  ## build everything that ships (Embedded Swift)
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) .all

board:  ## only what a board needs
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) .board

# Built in parallel, and silent when there is nothing to do.
.all: $(PROGRAMS) $(LIBRARIES) $(PROFILES) $(MANUAL)/.made
	@:

.board: $(filter-out %.a %-sim,$(PROGRAMS) $(LIBRARIES)) $(PROFILES)
	@:

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'

deps:  ## install from Debian what is missing, and say what
	@board/deps install

check-deps:
	@board/deps check

# SwiftPM does not compile anew when only LLVM's flags change: other flags, another folder.
$(SCRATCH)/.flags: Package.swift Makefile
	@rm -rf $(SCRATCH)
	@mkdir -p $(SCRATCH)
	@touch $@

ifdef SYSROOT
# Headers and libraries of the boards, from Debian's packages.
$(DEBIAN)/sysroot-%/.wanted: board/sysroot board/debian-packages
	@board/deps check $(DEPS)
	@board/sysroot $* $(@D)
	@touch $@

# The toolchain's Embedded Swift for bare 64-bit ARM, told that it is Linux.
$(TOOLSET): Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '{"schemaVersion": "1.0",' \
		' "swiftCompiler": {"extraCLIOptions": ["-Xcc", "-D__linux__", "-Xcc", "-D__gnu_linux__", "-Xcc", "-fPIC",' \
		'  "-Xcc", "-isystem", "-Xcc", "$(SYSROOT_COMPILED)/usr/include/aarch64-linux-gnu", "-Xcc", "-isystem", "-Xcc", "$(SYSROOT_COMPILED)/usr/include"]},' \
		' "cCompiler": {"extraCLIOptions": ["--target=aarch64-linux-gnu", "--sysroot=$(SYSROOT_COMPILED)", "-fPIC"]}}' > $@

$(SCRATCH)/.flags: $(SYSROOT_COMPILED)/.wanted $(TOOLSET)
$(PROGRAMS) $(LIBRARIES): $(SYSROOT)/.wanted
endif

# One archive a product, all in one go; SwiftPM knows best what has changed.
$(SCRATCH)/.built: $(SOURCES) $(SCRATCH)/.flags
	@board/deps check $(DEPS)
	@rm -f $(ARCHIVES)/lib*.a  # The archiver would keep members whose sources are gone.
	$(EMBEDDED)
	@touch $@

$(OUT)/bin/tappet: $(SCRATCH)/.built
	@mkdir -p $(@D)
	$(LINK) -s -o $@ Sources/tappet/main.c $(WIPING) $(STANDINS) $(ARCHIVES)/libTappetToolStatic.a $(LINK_FLAGS) $(TOOL_LIBS)

$(OUT)/libexec/tappet/tappet-tool: $(SCRATCH)/.built
	@mkdir -p $(@D)
	$(LINK) -s -o $@ Sources/tappet-tool/main.c $(WIPING) $(STANDINS) $(ARCHIVES)/libTappetToolStatic.a $(LINK_FLAGS) $(TOOL_LIBS)

$(OUT)/libexec/tappet/tappet-reader: $(SCRATCH)/.built
	@mkdir -p $(@D)
	$(LINK) -s -o $@ Sources/tappet-reader/main.c $(WIPING) $(STANDINS) $(ARCHIVES)/libTappetReaderStatic.a $(LINK_FLAGS) \
		$(shell $(PKG_CONFIG) --libs libnfc)

$(OUT)/bin/tappet-sim: $(SCRATCH)/.built
	@mkdir -p $(@D)
	$(LINK) -s -o $@ Sources/tappet-sim/main.c $(STANDINS) $(ARCHIVES)/libTappetSimulatorStatic.a $(LINK_FLAGS)

# Never unmapped: a thread that hangs in the resolver when its connection is freed is left to itself, and must still find its
# code after a dlclose.
$(OUT)/lib/libtappet.so.0: $(SCRATCH)/.built Include/tappet.map
	@mkdir -p $(@D)
	$(CC) -Os -Wall -Wextra -Werror -fPIC -shared -s -o $@ $(STANDINS) -Wl,--whole-archive $(ARCHIVES)/libTappetStatic.a -Wl,--no-whole-archive \
		-Wl,--version-script=Include/tappet.map -Wl,-soname,libtappet.so.0 -Wl,-z,nodelete $(FIRST_COUNTS) $(LINK_FLAGS) $(KIOSK_LIBS)
	ln -sf libtappet.so.0 $(OUT)/lib/libtappet.so

# One relocatable object: a C compiler's linker does not read bitcode; and the stand-ins take the places of what is weak.
$(OUT)/lib/libtappet.a: $(SCRATCH)/.built
	@mkdir -p $(@D)
	@rm -f $@
	$(CC) -Os -Wall -Wextra -Werror -fPIC -nostdlib -r -o $(SCRATCH)/standins.o $(STANDINS)
	$(LLD) -r $(FIRST_COUNTS) $(LTO) -o $(SCRATCH)/tappet.o $(SCRATCH)/standins.o --whole-archive $(ARCHIVES)/libTappetStatic.a
	$(OBJCOPY) --wildcard --keep-global-symbol='tappet_*' --strip-debug $(SCRATCH)/tappet.o
	$(AR) rcs $@ $(SCRATCH)/tappet.o

$(OUT)/share/tappet/%: board/%
	@mkdir -p $(@D)
	install -m 644 $< $@

# A page for each section of the header, and each function's name as a link to its page.
$(MANUAL)/.made: board/man/section-pages Include/tappet.h Tests/Interface/declarations.py $(wildcard Tests/Interface/C/*.c)
	@rm -rf $(MANUAL)
	@mkdir -p $(MANUAL)
	board/man/section-pages Include/tappet.h $(MANUAL)
	@touch $@

run: deps  ## see it work: CA, broker, simulated reader, kiosk, taps (ONCE=1: one round, checked)
	@$(MAKE) --no-print-directory all
	@board/demo/run $(if $(ONCE),--once)

# The unit tests mostly wait; what comes after them is compiled meanwhile.
test: lint all  ## everything that .ci/run runs
	@$(MAKE) --no-print-directory --jobs=2 test-unit .ahead
	@$(MAKE) --no-print-directory test-interface test-sanitized vm-test
	@Tests/Fuzz/run 5
	@Tests/Simulation/run --seeds 200 --quiet
	@Tests/Torture/run --seconds 25
	@Tests/Torture/supervision

TEST_ENVIRONMENT = TAPPET_BIN=$(CURDIR)/$(OUT)/bin TAPPET_PYTHON=$(CURDIR)/.build-python/bin/python SWIFT_BACKTRACE=enable=no

# Side by side, since they mostly wait for brokers, readers and clocks; within each one after the other.
test-unit: all  ## unit, device and system tests: regular Swift, and the shipped programs
	$(SWIFT) build --build-tests
	@$(MAKE) --no-print-directory --jobs=2 test-parts test-system

test-parts test-system:
	@$(TEST_ENVIRONMENT) $(SWIFT) test --skip-build --ignore-lock --no-parallel $(if $(filter test-parts,$@),--skip,--filter) SystemTests

SANITIZED = --scratch-path .build-asan --sanitize=address

test-sanitized: all  ## the core and the parsers again under the address sanitizer
	$(SWIFT) build --build-tests $(SANITIZED)
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.txt $(TEST_ENVIRONMENT) $(SWIFT) test --skip-build $(SANITIZED) --filter 'CoreTests|ConfigFile'

test-interface: all  ## the C library, installed: from C, C++, Python, Go, Rust and Swift
	@Tests/Interface/run $(CURDIR)/$(OUT)

vm-test: all  ## the arm64 programs on a virtual board: QEMU, Debian's kernel, real GPIO chips of the kernel's
	@board/vm/run

# Only with what the tests leave of the processors: a simulated chip that answers late is a lost reader. (SwiftPM undoes `nice`.)
.ahead: all
	@chrt --idle 0 board/vm/run --images
	@chrt --idle 0 $(SWIFT) build --build-tests $(SANITIZED)

docs:  ## the C header as pages, into build/doc (Doxygen; what is not documented is an error)
	@mkdir -p build/doc
	doxygen board/Doxyfile

lint:  ## is the code laid out as .swift-format says?
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Package.swift

format:  ## lay the code out
	$(SWIFT) format --in-place --recursive --parallel Sources Tests Package.swift

fuzz:  ## each fuzz target for 60 s (SECONDS_EACH=N for another time)
	@Tests/Fuzz/run $(or $(SECONDS_EACH),60)

simulate:  ## the core in a simulated world: 10,000 stories of 10,000 steps (SEEDS=N FIRST=SEED STEPS=N), or one again (REPLAY=FILE)
	@Tests/Simulation/run $(if $(REPLAY),--replay $(REPLAY),--seeds $(or $(SEEDS),10000) --first $(or $(FIRST),1) --steps $(or $(STEPS),10000))

bench: all  ## ratios against a C program that makes the same calls
	@status=0; Tests/Benchmarks/run || status=1; Tests/Benchmarks/library || status=1; Tests/Benchmarks/delivery || status=1; exit $$status

torture: all  ## kill -9 500 times under taps, with a broker, a line and a reader that fail (SEED=N for one of before)
	@Tests/Torture/run --kills 500 $(if $(SEED),--seed $(SEED))

soak: all  ## HOURS=1 of taps and faults: descriptors, memory and threads, a line a minute
	@Tests/Torture/soak --hours $(or $(HOURS),1) $(if $(SEED),--seed $(SEED))

install: all  ## PREFIX=/usr/local DESTDIR=
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/tappet $(DESTDIR)$(PREFIX)/lib/pkgconfig \
		$(DESTDIR)$(PREFIX)/lib/cmake/tappet $(DESTDIR)$(PREFIX)/share/man/man3 \
		$(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/doc/tappet \
		$(DESTDIR)$(PREFIX)/share/tappet/profiles $(DESTDIR)$(PREFIX)/share/tappet/presets \
		$(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/sysusers.d
	install -m 755 $(OUT)/bin/tappet $(OUT)/bin/tappet-sim $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(OUT)/libexec/tappet/tappet-tool $(OUT)/libexec/tappet/tappet-reader $(DESTDIR)$(PREFIX)/libexec/tappet
	install -m 644 $(OUT)/lib/libtappet.so.0 $(OUT)/lib/libtappet.a $(DESTDIR)$(PREFIX)/lib
	ln -sf libtappet.so.0 $(DESTDIR)$(PREFIX)/lib/libtappet.so
	install -m 644 Include/tappet.h $(DESTDIR)$(PREFIX)/include
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' board/tappet.pc.in \
		> $(DESTDIR)$(PREFIX)/lib/pkgconfig/tappet.pc
	install -m 644 board/tappet-config.cmake.in $(DESTDIR)$(PREFIX)/lib/cmake/tappet/tappet-config.cmake
	sed -e 's|@VERSION@|$(VERSION)|' board/tappet-config-version.cmake.in \
		> $(DESTDIR)$(PREFIX)/lib/cmake/tappet/tappet-config-version.cmake
	install -m 644 board/man/tappet.1 board/man/tappet-sim.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 board/man/tappet.h.3 $(MANUAL)/*.3 $(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 README.md CHANGELOG.md LICENSE board/doc/faults.md board/etc/kiosk.yaml board/udev/60-tappet-gpio.rules \
		$(DESTDIR)$(PREFIX)/share/doc/tappet
	install -m 644 board/profiles/*.yaml $(DESTDIR)$(PREFIX)/share/tappet/profiles
	sed -e 's|@PREFIX@|$(PREFIX)|' board/systemd/tappet.service.in > $(DESTDIR)$(PREFIX)/lib/systemd/system/tappet.service
	install -m 644 board/systemd/tappet.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/tappet.conf
	install -m 644 board/presets/*.yaml $(DESTDIR)$(PREFIX)/share/tappet/presets

clean:  ## remove everything that was built
	rm -rf $(OUT) .build .build-*
