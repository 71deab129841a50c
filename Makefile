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
# In CI, which builds once, whole modules: 40 % less work, but each change would compile the whole module.
REGULAR := $(SWIFT) build --disable-index-store $(if $(CI),-Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2)
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
WEBHOOK_LIBS = $(shell $(PKG_CONFIG) --libs libcurl libcrypto libcjson libseccomp)
MATRIX_LIBS = $(WEBHOOK_LIBS) $(shell $(PKG_CONFIG) --libs olm sqlite3 libutf8proc)
WEB_LIBS = $(shell $(PKG_CONFIG) --libs libmicrohttpd gnutls libcjson libseccomp libqrencode)
READER_LIBS = $(shell $(PKG_CONFIG) --libs libnfc libseccomp)

# ---- What is built --------------------------------------------------------------------------------------------------

SOURCES := $(shell find Sources Include Package.swift -type f)
PROGRAMS := $(addprefix $(OUT)/,bin/tappet bin/tappet-sim libexec/tappet/tappet-tool libexec/tappet/tappet-reader \
	libexec/tappet/tappet-webhook libexec/tappet/tappet-matrix libexec/tappet/tappet-web)
LIBRARIES := $(OUT)/lib/libtappet.so.0 $(OUT)/lib/libtappet.a
PROFILES := $(patsubst board/%,$(OUT)/share/tappet/%,$(wildcard board/profiles/*.yaml board/presets/*.yaml \
	board/completions/* board/web/*))
MANUAL := $(OUT)/share/man/man3
CONFIG_PAGE := $(OUT)/share/man/man5/kiosk.yaml.5
COMMAND_PAGES := $(OUT)/share/man/man1
# Where the shells find their completions.
COMPLETIONS := $(addprefix $(OUT)/share/,bash-completion/completions/tappet zsh/site-functions/_tappet \
	fish/vendor_completions.d/tappet.fish)

.PHONY: all .all board .board help deps check-deps run .demo docs pictures
all:  ## build everything that ships (Embedded Swift)
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) .all

board:  ## build only what a board needs
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) .board

# Built in parallel, and silent when there is nothing to do.
.all: $(PROGRAMS) $(LIBRARIES) $(PROFILES) $(MANUAL)/.made $(CONFIG_PAGE) $(COMMAND_PAGES)/.made completions
	@:

.board: $(filter-out %.a %-sim,$(PROGRAMS) $(LIBRARIES)) $(PROFILES)
	@:

.demo: $(filter %/tappet %-sim %-tool %-reader %-web,$(PROGRAMS)) $(PROFILES)
	@:

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'

deps:  ## install from Debian what is missing to build (`make run` and `make test` do so themselves)
	@tools/deps install build

check-deps:
	@tools/deps check

run:  ## see it work: CA, broker, simulated reader, kiosk, taps (ONCE=1: one round, checked)
	@tools/deps install build demo
ifneq ($(wildcard build/bin/tappet),)
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) WANTED="Tool Reader Simulator Web" .demo
	@tools/demo/run build $(if $(ONCE),--once)
else
	@echo "Compiling the demonstration without optimization, which is quicker ('make' builds what ships)"
	@$(MAKE) --no-print-directory --jobs=$(shell nproc) WANTED="Tool Reader Simulator Web" OUT=build-demo \
		SCRATCH=.build-demo OPTIMIZATION=-Onone .demo
	@tools/demo/run build-demo $(if $(ONCE),--once)
endif

docs:  ## the C header as pages, in build/doc (Doxygen; an undocumented declaration is an error)
	@mkdir -p build/doc
	doxygen tools/documentation/Doxyfile

pictures: all  ## draw the documentation's pictures again: of terminals, and of the page in headless Chromium
	@tools/deps install demo pictures
	tools/demo/pictures
	tools/demo/page-pictures

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

$(OUT)/libexec/tappet/tappet-web:
	@mkdir -p $(@D) $(SYMBOLS)
	$(LINK) -o $(WHOLE) Sources/tappet-web/main.c $(WIPING) $(STANDINS) $(ARCHIVES)/libTappetWebStatic.a $(LDFLAGS) \
		$(WEB_LIBS)
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

.PHONY: clean
clean:  ## remove everything that was built
	rm -rf $(OUT) build-demo .build .build-*

include board/install.mk tools/packages/targets.mk Tests/verify.mk
