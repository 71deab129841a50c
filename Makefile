# Tappet. `make help` lists the targets. Only installing needs root: `make install` into a system folder, and a package
# that `make run`, `make test` or `make deps-verify` finds missing.

# ---- Settings -------------------------------------------------------------------------------------------------------

SHELL := /bin/sh
SWIFT ?= swift
CC := gcc
PREFIX ?= /usr/local
# The folder of the library below PREFIX; Debian's packages have lib/x86_64-linux-gnu.
LIBDIR ?= lib
DESTDIR ?=
# The one place that has the version. Header, pkg-config file, CMake package and manual pages follow; a test compares.
VERSION := $(shell sed -n 's/.*staticText: StaticString = "\(.*\)"/\1/p' Sources/TappetBase/Version.swift)

# ---- The kind of machine to build for -------------------------------------------------------------------------------
# build/ has everything that is built, laid out as it is installed. `make ARCH=arm64` builds for 64-bit ARM boards into
# build-arm64/, for the Debian release that runs on them: RELEASE=bookworm (12), or trixie (13, in build-arm64-trixie/).
# `make RELEASE=trixie` builds for Debian 13 on this machine's own kind into build-trixie/.

ARCH ?=
# Some of the archives, for those who need no others; otherwise all.
WANTED :=
RELEASE ?= $(if $(filter riscv64,$(ARCH)),trixie,bookworm)
BUILT = $(SCRATCH)/.built$(if $(WANTED),-some)
OUT := build$(if $(ARCH),-$(ARCH))$(if $(filter-out bookworm,$(RELEASE)),-$(RELEASE))
DEBIAN := $(CURDIR)/.build-debian
# For each other kind: the bare processor for which the toolchain has Embedded Swift; Debian's name of the kind; the
# first release of Debian that has it; what Swift's C compiler must know about it.
TRIPLE_arm64 := aarch64-none-none-elf
MULTIARCH_arm64 := aarch64-linux-gnu
FIRST_arm64 := bookworm
TRIPLE_riscv64 := riscv64-none-none-eabi
MULTIARCH_riscv64 := riscv64-linux-gnu
FIRST_riscv64 := trixie
PROCESSOR_riscv64 := -march=rv64gc -mabi=lp64d
ifneq ($(TRIPLE_$(ARCH)),)
# Compiled once, against the first release. Debian 13's libraries have the same binary interfaces as Debian 12's, except
# for libgpiod: its shim is compiled and linked again.
SCRATCH := .build-$(ARCH)
DEBIAN_ARCH := $(ARCH)
MULTIARCH := $(MULTIARCH_$(ARCH))
SYSROOT_COMPILED := $(DEBIAN)/sysroot-$(FIRST_$(ARCH))-$(ARCH)
SYSROOT := $(DEBIAN)/sysroot-$(RELEASE)-$(ARCH)
TOOLSET := $(DEBIAN)/toolset-$(ARCH).json
TOOLS := $(MULTIARCH)-
ARCHIVES := $(SCRATCH)/$(TRIPLE_$(ARCH))/release
TARGET := --triple $(TRIPLE_$(ARCH)) --toolset $(TOOLSET)
DEPS := build $(ARCH)
# SwiftPM, too, must ask for the sysroot's libraries and not for the machine's.
$(BUILT): export PKG_CONFIG_PATH := $(SYSROOT_COMPILED)/usr/lib/$(MULTIARCH)/pkgconfig
else ifeq ($(ARCH),)
SCRATCH := .build-embedded
DEBIAN_ARCH := $(shell dpkg --print-architecture)
MULTIARCH := $(shell $(CC) -print-multiarch)
SYSROOT_COMPILED :=
SYSROOT := $(if $(filter-out bookworm,$(RELEASE)),$(DEBIAN)/sysroot-$(RELEASE)-$(DEBIAN_ARCH))
ARCHIVES := $(SCRATCH)/release
DEPS := build
else
$(error unknown ARCH=$(ARCH): leave it out for this machine's own kind, or use ARCH=arm64 or ARCH=riscv64)
endif
ifeq ($(ARCH)-$(RELEASE),riscv64-bookworm)
$(error Debian 12 has no riscv64: leave RELEASE out)
endif
CC := $(TOOLS)gcc $(if $(SYSROOT),--sysroot=$(SYSROOT) -B$(SYSROOT)/usr/lib/$(MULTIARCH))
AR := $(TOOLS)ar
OBJCOPY := $(TOOLS)objcopy
LD := $(TOOLS)ld
PKG_CONFIG = $(if $(SYSROOT),PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(MULTIARCH)/pkgconfig \
	PKG_CONFIG_SYSROOT_DIR=$(SYSROOT)) pkg-config

# ---- Compiler and linker flags --------------------------------------------------------------------------------------
# docs/building.md, "Compiler and linker flags", says what each one does and costs. The Swift compiler's other flags are
# in Package.swift.

OPTIMIZATION := -Osize
EMBEDDED = TAPPET_EMBEDDED=$(OPTIMIZATION) $(SWIFT) build -c release --scratch-path $(SCRATCH) $(TARGET) \
	-Xswiftc -Xcc -Xswiftc -fPIC -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=/usr/src/tappet \
	-Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs -Xswiftc -num-threads -Xswiftc 2 \
	-Xcc -ffile-prefix-map=$(CURDIR)=/usr/src/tappet
# The index, which only editors use, would cost a quarter of the time. Tests/LinuxMain.swift makes it unnecessary.
REGULAR := $(SWIFT) build --disable-index-store
CFLAGS := -O2 -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)=/usr/src/tappet
LDFLAGS = -static-libgcc -Wl,--build-id -Wl,--as-needed -Wl,--gc-sections -Wl,-z,relro,-z,now -Wl,-z,defs -lm
LINK = $(CC) $(CFLAGS) -pie -fPIE
# A program is linked with its symbols, and installed without them; `make deb` makes packages of both.
SYMBOLS := $(SCRATCH)/symbols-$(RELEASE)
WHOLE = $(SYMBOLS)/$(@F)
STRIPPED = $(OBJCOPY) --strip-all $(WHOLE) $@
LINK_SHARED = $(CC) $(CFLAGS) -fPIC -shared -Wl,--version-script=Include/tappet.map -Wl,-soname,libtappet.so.0 \
	-Wl,-z,nodelete

# C that replaces parts of the toolchain's runtime.
STANDINS := Sources/CLibraries/standins/unicode-tables.c \
	$(if $(ARCH),Sources/CLibraries/standins/bridge-object-retain.c)
ifneq ($(SYSROOT),$(SYSROOT_COMPILED))
# This release's libgpiod has another interface: its shim replaces the one in the archives.
SHIM := -ISources/CLibraries/CGPIO/include Sources/CLibraries/CGPIO/CGPIO.c
INTERFACE := $(SCRATCH)/libTappetInterface-$(RELEASE).a
else
INTERFACE := $(ARCHIVES)/libTappetInterfaceStatic.a
endif
# The programs wipe all memory that they free. The library leaves its program's allocator alone.
WIPING := Sources/CLibraries/standins/wiping-free.c

KIOSK_LIBS = $(shell $(PKG_CONFIG) --libs libmosquitto sqlite3 openssl yaml-0.1 libcjson libgpiod libutf8proc)
TOOL_LIBS = $(KIOSK_LIBS) $(shell $(PKG_CONFIG) --libs libqrencode) -lcsv
WEBHOOK_LIBS = $(shell $(PKG_CONFIG) --libs libcurl libcrypto libcjson)
MATRIX_LIBS = $(WEBHOOK_LIBS) $(shell $(PKG_CONFIG) --libs olm sqlite3 libutf8proc)
READER_LIBS = $(shell $(PKG_CONFIG) --libs libnfc)

# ---- What is built --------------------------------------------------------------------------------------------------

SOURCES := $(shell find Sources Include Package.swift -type f)
PROGRAMS := $(addprefix $(OUT)/,bin/tappet bin/tappet-sim libexec/tappet/tappet-tool libexec/tappet/tappet-reader \
	libexec/tappet/tappet-webhook libexec/tappet/tappet-matrix)
LIBRARIES := $(OUT)/lib/libtappet.so.0 $(OUT)/lib/libtappet.a
PROFILES := $(patsubst board/%,$(OUT)/share/tappet/%,$(wildcard board/profiles/*.yaml board/presets/*.yaml \
	board/completions/*))
MANUAL := $(OUT)/share/man/man3
CONFIG_PAGE := $(OUT)/share/man/man5/kiosk.yaml.5
COMMAND_PAGES := $(OUT)/share/man/man1
# Where the shells find their completions.
COMPLETIONS := $(addprefix $(OUT)/share/,bash-completion/completions/tappet zsh/site-functions/_tappet \
	fish/vendor_completions.d/tappet.fish)

.PHONY: all .all board .board help deps check-deps run .demo docs
all:  ## build everything that ships (Embedded Swift)
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) .all

board:  ## build only what a board needs
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) .board

# Built in parallel, and silent when there is nothing to do.
.all: $(PROGRAMS) $(LIBRARIES) $(PROFILES) $(MANUAL)/.made $(CONFIG_PAGE) $(COMMAND_PAGES)/.made completions
	@:

.board: $(filter-out %.a %-sim,$(PROGRAMS) $(LIBRARIES)) $(PROFILES)
	@:

.demo: $(filter %/tappet %-sim %-tool %-reader,$(PROGRAMS)) $(PROFILES)
	@:

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'

deps:  ## install from Debian what is missing to build (`make run` and `make test` do so themselves)
	@tools/deps install build

check-deps:
	@tools/deps check

run:  ## see it work: CA, broker, simulated reader, kiosk, taps (ONCE=1: one round, checked)
	@tools/deps install build demo
ifneq ($(wildcard build/bin/tappet),)
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) WANTED="Tool Reader Simulator" .demo
	@tools/demo/run build $(if $(ONCE),--once)
else
	@echo "Compiling the demonstration without optimization, which is quicker ('make' builds what ships)"
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) WANTED="Tool Reader Simulator" OUT=build-demo \
		SCRATCH=.build-demo OPTIMIZATION=-Onone .demo
	@tools/demo/run build-demo $(if $(ONCE),--once)
endif

docs:  ## the C header as pages, in build/doc (Doxygen; an undocumented declaration is an error)
	@mkdir -p build/doc
	doxygen tools/documentation/Doxyfile

# ---- Compiling ------------------------------------------------------------------------------------------------------

# SwiftPM does not compile again when only LLVM's flags change. The flags and the toolchain name the stamp: others start
# from an empty folder. Where there is no toolchain, as in sudo's PATH at `make install`, what is built is current
# as far as its files are.
STAMP := $(if $(shell command -v $(SWIFT)),,$(firstword $(wildcard $(SCRATCH)/.flags-*)))
ifeq ($(STAMP),)
STAMP := $(SCRATCH)/.flags-$(shell { echo '$(TARGET) $(OPTIMIZATION)'; grep -e '"-' Package.swift; \
	$(SWIFT) --version 2>&1; } | cksum | cut -d ' ' -f 1)
endif
$(STAMP):
	@rm -rf $(SCRATCH)
	@mkdir -p $(SCRATCH)
	@touch $@

# An archive for each product, all in one go, or each that is wanted. SwiftPM knows best what has changed.
$(BUILT): $(SOURCES) $(STAMP)
	@tools/deps check $(DEPS)
	@rm -f $(ARCHIVES)/lib*.a  # The archiver would keep members whose sources are gone.
	$(if $(WANTED),$(foreach name,$(WANTED),$(EMBEDDED) --product Tappet$(name)Static &&) :,$(EMBEDDED))
	@touch $@

# Headers and libraries of another release or architecture, from Debian's packages.
$(DEBIAN)/sysroot-%/.wanted: tools/sysroot tools/debian-packages
	@tools/deps check $(DEPS)
	@tools/sysroot $(subst -, ,$*) $(@D)
	@touch $@

ifneq ($(SYSROOT),)
$(PROGRAMS) $(LIBRARIES): $(SYSROOT)/.wanted
endif

ifneq ($(ARCH),)
# The toolchain has Embedded Swift for a bare processor: these flags make it Linux. Without an operating system, unwind
# tables are not the default. Debian 12's linker does not know riscv64's relocations of DWARF 5.
$(TOOLSET): Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '{"schemaVersion": "1.0",' \
		' "swiftCompiler": {"extraCLIOptions": ["-Xcc", "-D__linux__", "-Xcc", "-D__gnu_linux__",' \
		'  "-Xcc", "-fPIC", "-Xcc", "-fasynchronous-unwind-tables",' \
		'  $(foreach flag,$(PROCESSOR_$(ARCH)),"-Xcc", "$(flag)",)' \
		'  "-Xcc", "-isystem", "-Xcc", "$(SYSROOT_COMPILED)/usr/include/$(MULTIARCH)",' \
		'  "-Xcc", "-isystem", "-Xcc", "$(SYSROOT_COMPILED)/usr/include"]},' \
		' "cCompiler": {"extraCLIOptions":' \
		'  ["--target=$(MULTIARCH)", "--sysroot=$(SYSROOT_COMPILED)", "-fPIC", "-gdwarf-4"]}}' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(STAMP): $(TOOLSET)
$(BUILT): | $(SYSROOT_COMPILED)/.wanted
endif

# ---- Linking --------------------------------------------------------------------------------------------------------

$(PROGRAMS) $(LIBRARIES): $(BUILT) $(wildcard Sources/CLibraries/standins/*.c)

$(OUT)/bin/tappet:
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK) -o $(WHOLE) Sources/tappet/main.c $(WIPING) $(STANDINS) $(SHIM) $(ARCHIVES)/libTappetToolStatic.a \
		$(LDFLAGS) $(TOOL_LIBS)
	$(STRIPPED)

$(OUT)/libexec/tappet/tappet-tool:
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK) -o $(WHOLE) Sources/tappet-tool/main.c $(WIPING) $(STANDINS) $(SHIM) $(ARCHIVES)/libTappetToolStatic.a \
		$(LDFLAGS) $(TOOL_LIBS)
	$(STRIPPED)

$(OUT)/libexec/tappet/tappet-reader:
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK) -o $(WHOLE) Sources/tappet-reader/main.c $(WIPING) $(STANDINS) $(ARCHIVES)/libTappetReaderStatic.a \
		$(LDFLAGS) $(READER_LIBS)
	$(STRIPPED)

$(OUT)/libexec/tappet/tappet-webhook:
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK) -o $(WHOLE) Sources/tappet-webhook/main.c $(WIPING) $(STANDINS) $(ARCHIVES)/libTappetWebhookStatic.a \
		$(LDFLAGS) $(WEBHOOK_LIBS)
	$(STRIPPED)

$(OUT)/libexec/tappet/tappet-matrix:
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK) -o $(WHOLE) Sources/tappet-matrix/main.c $(WIPING) $(STANDINS) $(ARCHIVES)/libTappetMatrixStatic.a \
		$(LDFLAGS) $(MATRIX_LIBS)
	$(STRIPPED)

$(OUT)/bin/tappet-sim:
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK) -o $(WHOLE) Sources/tappet-sim/main.c $(STANDINS) $(ARCHIVES)/libTappetSimulatorStatic.a $(LDFLAGS)
	$(STRIPPED)

ifdef SHIM
$(LIBRARIES): $(INTERFACE)

# The libraries take the whole archive: without the shim that they replace.
$(INTERFACE): $(BUILT)
	@cp $(ARCHIVES)/libTappetInterfaceStatic.a $@
	$(AR) d $@ CGPIO.c.o
endif

# Never unmapped: a thread that hangs in the resolver while its connection is freed needs its code even after dlclose.
$(OUT)/lib/libtappet.so.0: Include/tappet.map
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK_SHARED) -o $(WHOLE) $(STANDINS) $(SHIM) -Wl,--whole-archive $(INTERFACE) -Wl,--no-whole-archive \
		$(LDFLAGS) $(KIOSK_LIBS)
	$(STRIPPED)
	ln -sf libtappet.so.0 $(OUT)/lib/libtappet.so

# One relocatable object, in which only the interface is global. The stand-ins replace the weak symbols.
$(OUT)/lib/libtappet.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(CC) $(CFLAGS) -fPIC -nostdlib -r -o $(SCRATCH)/standins.o $(STANDINS) $(SHIM)
	$(LD) -r -o $(SCRATCH)/tappet.o $(SCRATCH)/standins.o --whole-archive $(INTERFACE)
	$(OBJCOPY) --wildcard --keep-global-symbol='tappet_*' --strip-debug $(SCRATCH)/tappet.o
	$(AR) rcs $@ $(SCRATCH)/tappet.o

$(OUT)/share/tappet/%: board/%
	@mkdir -p $(@D)
	install -m 644 $< $@

.PHONY: completions
completions: $(COMPLETIONS)
$(OUT)/share/bash-completion/completions/tappet: board/completions/tappet.bash
$(OUT)/share/zsh/site-functions/_tappet: board/completions/tappet.zsh
$(OUT)/share/fish/vendor_completions.d/tappet.fish: board/completions/tappet.fish
$(COMPLETIONS):
	@mkdir -p $(@D)
	install -m 644 $< $@

# A page for each section of the header, and each function's name as a link to its page.
$(MANUAL)/.made: $(wildcard tools/documentation/* docs/examples/*) Include/tappet.h Sources/TappetBase/Version.swift
	@rm -rf $(MANUAL)
	@mkdir -p $(MANUAL)
	tools/documentation/man-pages $(VERSION) $(MANUAL)
	@touch $@

$(CONFIG_PAGE): tools/documentation/config-page docs/configuration.md Sources/TappetBase/Version.swift
	@mkdir -p $(@D)
	tools/documentation/config-page $(VERSION) $@

# tappet(1), and a page for each first word of a command, from the table in tappet-tool. One of another release or
# architecture does not run here, but has the same table as this machine's own build, whose pages are copied.
$(COMMAND_PAGES)/.made: tools/documentation/command-pages board/man/tappet.1
ifeq ($(OUT),build)
$(COMMAND_PAGES)/.made: $(OUT)/libexec/tappet/tappet-tool
	@rm -rf $(@D)
	@mkdir -p $(@D)
	tools/documentation/command-pages $(VERSION) $(OUT)/libexec/tappet/tappet-tool $(@D)
	@touch $@
else
# After its own sources are compiled: two compilers at once need twice the memory.
$(COMMAND_PAGES)/.made: $(SOURCES) | $(BUILT)
	@$(MAKE) --no-print-directory ARCH= RELEASE=bookworm build/share/man/man1/.made
	@rm -rf $(@D)
	@mkdir -p $(@D)
	cp build/share/man/man1/* $(@D)
	@touch $@
endif

# ---- Debian packages ------------------------------------------------------------------------------------------------

.PHONY: deb debs lint-deb repository release
deb: all  ## Debian packages, in build/packages (also RELEASE=trixie, ARCH=arm64)
	@tools/deps check $(DEPS) packages
	@tools/packages/build $(VERSION) $(RELEASE) $(DEBIAN_ARCH) $(OUT) $(SYMBOLS) $(SYSROOT)

debs:  ## the packages for Debian 12 and 13, for this machine's own kind and for arm64
	@for words in "" RELEASE=trixie ARCH=arm64 "ARCH=arm64 RELEASE=trixie"; do \
		$(MAKE) --no-print-directory $$words deb || exit; done

lint-deb: deb  ## lintian of the packages' own release: no error, no warning; and Debian's hardening-check
	@Tests/Packages/lint $(RELEASE) $(OUT)/packages
	@hardening-check --quiet --nofortify --nocfprotection $(PROGRAMS) $(OUT)/lib/libtappet.so.0

repository:  ## an apt repository of the packages that were made, in build/repository (SIGNING_KEY=…, VALID_DAYS=90)
	@tools/deps check packages
	@tools/packages/repository build/repository $(wildcard build*/packages)

RELEASES ?= bookworm trixie
ARCHES ?= amd64 arm64
release:  ## build/release: all packages built twice and compared, sources, checksums (RELEASES="…" ARCHES="…")
	@tools/deps check build $(filter-out $(DEBIAN_ARCH),$(ARCHES)) packages
	@tools/packages/release $(VERSION) build/release "$(RELEASES)" "$(ARCHES)"

# ---- SD card -------------------------------------------------------------------------------------------------------

IMAGE := build-image/tappet.img
.PHONY: image image-test
image:  ## build-image/tappet.img: an SD card for 64-bit Raspberry Pis, Debian 13 with Tappet (needs root)
	@tools/deps check arm64 packages image
	@$(MAKE) --no-print-directory ARCH=arm64 RELEASE=trixie deb
	@tools/image/build build-arm64-trixie/packages build-image

image-test: image all  ## boots the image in QEMU: first start, tap, power cut, second start, tap (minutes: emulated)
	@Tests/VirtualBoard/card $(IMAGE)

# ---- Tests ----------------------------------------------------------------------------------------------------------
# Three circles, and nothing twice: `check` after each change, `test` before anything reaches main, `verify` before a
# release and after a change of what it tests.

.PHONY: check check-tests test test-programs lint tidy format
check:  ## a developer's minute: layout, house rules, the core's and the platform's tests, incremental
	@$(MAKE) --no-print-directory --jobs=2 lint tidy check-tests

# Only these test targets, and the modules that they need, are compiled: Package.swift reads TAPPET_TESTS.
check-tests: export TAPPET_TESTS := CoreTests PlatformTests
check-tests:
	@$(REGULAR) --product TappetPackageTests --scratch-path .build-check
	@$(call RUN_TESTS,.build-check) .build-check/reports

# The tests' own program: `swift test` side by side with another crashes (SIGBUS in swift-test, 6.3.1).
RUN_TESTS = TAPPET_PYTHON=$(CURDIR)/.build-python/bin/python SWIFT_BACKTRACE=enable=no NO_COLOR=1 \
	Tests/run $(2) $(TEST_PROGRAM)
TEST_PROGRAM = $(1)/debug/TappetPackageTests.xctest
REPORTS := .build/reports
SHIPPED := TAPPET_BIN=$(CURDIR)/$(OUT)/bin
TESTS := .build/debug/TappetPackageTests.xctest

# A tree that passes is noted in .build/passed: `main` moves to no other.
test:  ## the gate: whatever is delivered has passed it (FILTER=NAME: only the Swift tests whose names match)
	@tools/deps install build demo tests
ifdef FILTER
	@$(MAKE) --no-print-directory --jobs=2 all test-programs
	@$(SHIPPED) $(call RUN_TESTS,.build,--filter '$(FILTER)') $(REPORTS)
else
	@$(MAKE) --no-print-directory lint tidy
	@$(MAKE) --no-print-directory --jobs=2 all test-programs
	@$(SHIPPED) $(call RUN_TESTS,.build) $(REPORTS) -- 'Tests/Interface/run $(OUT) gate' \
		'Tests/Simulation/run --program .build/debug/Simulation --seeds 12 --quiet'
	@git diff --quiet HEAD 2>/dev/null && git rev-parse 'HEAD^{tree}' >> .build/passed || true
endif

# In regular Swift: all tests, and the simulation of the world around the core. At a lower priority than `make all`
# beside it, whose modules wait for each other.
test-programs:
	nice $(REGULAR) --build-tests

lint:  ## is the code laid out as .swift-format says?
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Package.swift

tidy:  ## does the tree keep the rules of the house? (Tests/Tidy)
	@Tests/Tidy/run

format:  ## lay the code out
	$(SWIFT) format --in-place --recursive --parallel Sources Tests Package.swift

# ---- Tests for a release ---------------------------------------------------------------------------------------------
# Each part by its own target, too. One that cannot run on this machine is counted as skipped.

VERIFY := test-system test-sanitized test-interface simulate-short inventory-model-short fuzz-short torture-short \
	hostile-short supervision damage-short cluster-short vm-test packages-test ansible-test test-home-assistant \
	test-matrix test-riscv64
.PHONY: verify deps-verify $(VERIFY) system-test emulated-test
verify: all  ## everything else, part by part, with a table at the end (AGAIN=1: only what did not pass the last time)
	@Tests/verify $(if $(AGAIN),--again) $(VERIFY)

deps-verify:  ## install what `make verify` needs beyond `make test`: other languages, QEMU, containers, servers
	@tools/deps install build demo arm64 riscv64 packages tests languages board system image cluster ansible
	@$(MAKE) --no-print-directory deps-home-assistant deps-matrix

test-system: all test-programs  ## the system tests that judge time, or repeat at length
	@$(SHIPPED) $(call RUN_TESTS,.build,--verify) .build/reports-verify

SANITIZED := --scratch-path .build-asan --sanitize=address
test-sanitized: export TAPPET_TESTS := CoreTests ConfigTests
test-sanitized:  ## the core and the parsers again under the address sanitizer
	@$(REGULAR) --product TappetPackageTests $(SANITIZED)
	@LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.txt $(call RUN_TESTS,.build-asan) .build-asan/reports

test-interface: all  ## the C library, installed: from C, C++, Python, Go, Rust and Swift
	@Tests/Interface/run $(OUT) verify

vm-test: all  ## the arm64 programs on a virtual board: QEMU, Debian's kernel, real GPIO chips of the kernel's
	@Tests/VirtualBoard/run

packages-test: lint-deb  ## the packages on Debian 12, booted in a container: install, tap, upgrade, purge
	@Tests/Packages/run bookworm

system-test:  ## the same on Debian 12 and 13
	@$(MAKE) --no-print-directory lint-deb
	@$(MAKE) --no-print-directory RELEASE=trixie lint-deb
	@Tests/Packages/run

ansible-test: deb  ## the Ansible role on two boards in containers: set up, run again, changed, broken
	@Tests/Ansible/run

test-riscv64:  ## the riscv64 programs under QEMU's user mode
	@$(MAKE) --no-print-directory ARCH=riscv64 emulated-test

emulated-test: all
	@Tests/Interface/emulated $(ARCH) $(OUT) $(SYSROOT)

HOME_ASSISTANT := .build-home-assistant
.PHONY: deps-home-assistant
deps-home-assistant:  ## the Home Assistant of test-home-assistant, in .build-home-assistant; it takes minutes
	@Tests/HomeAssistant/install $(HOME_ASSISTANT)

test-home-assistant: all  ## a real Home Assistant finds the kiosk, presses, switches, scans, restarts, renames, removes
	@Tests/HomeAssistant/run $(HOME_ASSISTANT)

MATRIX := .build-matrix
.PHONY: deps-matrix
deps-matrix:  ## the homeserver of test-matrix, in .build-matrix; it takes a minute
	@Tests/Matrix/install $(MATRIX)

test-matrix: all  ## a real Synapse: log in, say, be limited, killed, logged out; nothing twice, nothing lost
	@Tests/Matrix/run $(MATRIX)

# Short forms of the long runs below.
fuzz-short:
	@Tests/Fuzz/run 5
simulate-short:
	@Tests/Simulation/run --seeds 200 --quiet
inventory-model-short: test-programs
	@Tests/InventoryModel/run --operations 5000 --kills 10
torture-short: all
	@Tests/Torture/run --seconds 25
hostile-short: all
	@Tests/Torture/hostile --kiosks 21
supervision: all
	@Tests/Torture/supervision
damage-short: all
	@Tests/Torture/damage --cases 500
cluster-short: all
	@Tests/Cluster/run --kiosks 3 --crowd 3 --calm 1

# ---- Long runs and measurements -------------------------------------------------------------------------------------

.PHONY: fuzz simulate inventory-model bench torture hostile damage soak cluster-test cluster-bench cluster-soak
fuzz:  ## each fuzz target for 60 s (SECONDS_EACH=N for another time)
	@Tests/Fuzz/run $(or $(SECONDS_EACH),60)

simulate:  ## 10,000 simulated stories of 10,000 steps (SEEDS=N FIRST=SEED STEPS=N), or one again (REPLAY=FILE)
	@Tests/Simulation/run $(if $(REPLAY),--replay $(REPLAY),\
		--seeds $(or $(SEEDS),10000) --first $(or $(FIRST),1) --steps $(or $(STEPS),10000))

inventory-model:  ## 1,000,000 random operations on an inventory and on a model of it, then 200 kills (SEED=N repeats)
	$(SWIFT) build -c release --product InventoryModel --scratch-path .build-model
	@Tests/InventoryModel/run --program $(CURDIR)/.build-model/release/InventoryModel $(if $(SEED),--seed $(SEED))

bench: all  ## ratios against a C program that makes the same calls; writes docs/benchmarks.md (PART=rooms: only those)
	@Tests/Benchmarks/run $(PART)

torture: all  ## kill -9 500 times under taps, with a broker, a line and a reader that fail (SEED=N repeats a run)
	@Tests/Torture/run --kills 500 $(if $(SEED),--seed $(SEED))

hostile: all  ## 500 kiosks under a broker that sends them anything, with MQTT 3.1.1 and 5 (SEED=N repeats a run)
	@Tests/Torture/hostile $(if $(SEED),--seed $(SEED))

cluster-test: all  ## 60 kiosks on a broker of three nodes that are killed, frozen, outvoted and restarted
	@Tests/Cluster/run --kiosks 60 --crowd 20 --calm 6

cluster-bench: all  ## faults of NATS and RabbitMQ, 300 kiosks, a soak (RUNS=5 MINUTES=60); fills docs/cluster.md
	@Tests/Cluster/bench --runs $(or $(RUNS),5) --minutes $(or $(MINUTES),60)

cluster-soak: all  ## HOURS=1 (or MINUTES=N) of presses while a node is restarted every two minutes: does anything grow?
	@Tests/Cluster/soak --minutes $(or $(MINUTES),$(shell expr 60 '*' $(or $(HOURS),1)))

damage: all  ## 100,000 damaged files, each read by a program that ships (CASES=N SEED=N)
	@Tests/Torture/damage --cases $(or $(CASES),100000) $(if $(SEED),--seed $(SEED))

soak: all  ## HOURS=1 of taps and faults: descriptors, memory and threads, a line a minute
	@Tests/Torture/soak --hours $(or $(HOURS),1) $(if $(SEED),--seed $(SEED))

# ---- Installing -----------------------------------------------------------------------------------------------------

PLACE = $(DESTDIR)$(PREFIX)
SHARE = $(PLACE)/share
FILLED_IN = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|'
# One unit for the kiosk of /etc/tappet/kiosk.yaml, and one for each of several: tappet@NAME, of /etc/tappet/NAME.yaml.
UNIT = $(FILLED_IN) -e 's|@NAME@|$(1)|g' -e 's|@CONFIG@|/etc/tappet/$(2).yaml|g' board/systemd/tappet.service.in
# Everything that `make install` writes, relative to PREFIX, for `make uninstall`.
INSTALLED := bin/tappet bin/tappet-sim libexec/tappet $(addprefix $(LIBDIR)/,libtappet.so.0 libtappet.so libtappet.a \
	pkgconfig/tappet.pc cmake/tappet) include/tappet.h lib/systemd/system/tappet.service \
	lib/systemd/system/tappet@.service lib/sysusers.d/tappet.conf lib/tmpfiles.d/tappet.conf share/doc/tappet \
	share/tappet $(patsubst $(OUT)/%,%,$(COMPLETIONS)) \
	$(addprefix share/man/,man1/tappet.1 man1/tappet-*.1 man5/kiosk.yaml.5 man3/tappet[-_.]*.3 man3/TAPPET_*.3)

.PHONY: install uninstall clean
install: all  ## PREFIX=/usr/local DESTDIR=
	install -d $(addprefix $(PLACE)/,bin libexec/tappet include $(LIBDIR)/pkgconfig $(LIBDIR)/cmake/tappet \
		lib/systemd/system lib/sysusers.d lib/tmpfiles.d share/man/man1 share/man/man3 share/man/man5 \
		share/doc/tappet/docs/images \
		share/doc/tappet/docs/faults share/doc/tappet/docs/examples share/tappet/profiles share/tappet/presets \
		share/tappet/completions)
	install -m 755 $(OUT)/bin/tappet $(OUT)/bin/tappet-sim $(PLACE)/bin
	install -m 755 $(addprefix $(OUT)/libexec/tappet/,tappet-tool tappet-reader tappet-webhook \
		tappet-matrix) $(PLACE)/libexec/tappet
	install -m 644 $(OUT)/lib/libtappet.so.0 $(OUT)/lib/libtappet.a $(PLACE)/$(LIBDIR)
	ln -sf libtappet.so.0 $(PLACE)/$(LIBDIR)/libtappet.so
	install -m 644 Include/tappet.h $(PLACE)/include
	$(FILLED_IN) board/pkg-config/tappet.pc.in > $(PLACE)/$(LIBDIR)/pkgconfig/tappet.pc
	install -m 644 board/cmake/tappet-config.cmake $(PLACE)/$(LIBDIR)/cmake/tappet
	$(FILLED_IN) board/cmake/tappet-config-version.cmake.in > $(PLACE)/$(LIBDIR)/cmake/tappet/tappet-config-version.cmake
	install -m 644 $(COMMAND_PAGES)/*.1 $(SHARE)/man/man1
	$(FILLED_IN) board/man/tappet-sim.1 > $(SHARE)/man/man1/tappet-sim.1
	install -m 644 $(MANUAL)/*.3 $(SHARE)/man/man3
	install -m 644 $(CONFIG_PAGE) $(SHARE)/man/man5
	install -m 644 README.md CHANGELOG.md LICENSE board/etc/kiosk.yaml board/udev/60-tappet.rules \
		$(SHARE)/doc/tappet
	install -m 644 docs/*.md docs/alerts.yaml docs/json.schema.json $(SHARE)/doc/tappet/docs
	install -m 644 docs/faults/*.md $(SHARE)/doc/tappet/docs/faults
	install -m 644 docs/images/*.svg $(SHARE)/doc/tappet/docs/images
	install -m 644 docs/examples/*.c $(SHARE)/doc/tappet/docs/examples
	install -m 644 board/profiles/*.yaml $(SHARE)/tappet/profiles
	install -m 644 board/presets/*.yaml $(SHARE)/tappet/presets
	install -m 644 board/completions/* $(SHARE)/tappet/completions
	$(call UNIT,tappet,kiosk) > $(PLACE)/lib/systemd/system/tappet.service
	$(call UNIT,tappet-%i,%i) > $(PLACE)/lib/systemd/system/tappet@.service
	install -m 644 board/systemd/tappet.sysusers $(PLACE)/lib/sysusers.d/tappet.conf
	install -m 644 board/systemd/tappet.tmpfiles $(PLACE)/lib/tmpfiles.d/tappet.conf
	$(foreach file,$(COMPLETIONS),install -D -m 644 $(file) $(PLACE)/$(patsubst $(OUT)/%,%,$(file)) &&) true

uninstall:  ## remove everything that was installed (PREFIX and DESTDIR as before); configuration and state stay
	rm -rf $(addprefix $(PLACE)/,$(INSTALLED))

clean:  ## remove everything that was built
	rm -rf $(OUT) build-demo .build .build-*
