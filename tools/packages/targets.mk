# Packages, their repository, releases, and the SD card. The Makefile includes this file.

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
.PHONY: image test-image
image:  ## build-image/tappet.img: an SD card for 64-bit Raspberry Pis, Debian 13 with Tappet (needs root)
	@tools/deps check arm64 packages image
	@$(MAKE) --no-print-directory ARCH=arm64 RELEASE=trixie deb
	@tools/image/build build-arm64-trixie/packages build-image

test-image: image all  ## boots the image in QEMU: first start, tap, power cut, second start, tap (minutes: emulated)
	@Tests/VirtualBoard/card $(IMAGE)
