# The tests that are not in the gate, and measurements. The Makefile includes this file.

# ---- Tests for a release ---------------------------------------------------------------------------------------------
# Each part by its own target, too. One that cannot run on this machine is counted as skipped.

VERIFY := test-system test-sanitized test-interface simulate-short inventory-model-short fuzz-short torture-short \
	hostile-short supervision damage-short cluster-short test-vm test-packages test-ansible test-home-assistant \
	test-matrix test-browser test-riscv64
.PHONY: verify deps-verify $(VERIFY) test-releases test-emulated
verify: all  ## everything else, part by part, with a table at the end (AGAIN=1: only what did not pass the last time)
	@Tests/verify $(if $(AGAIN),--again) $(VERIFY)

deps-verify:  ## install what `make verify` needs beyond `make test`: other languages, QEMU, containers, servers
	@tools/deps install build demo arm64 riscv64 packages tests languages board system image cluster ansible browser
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

test-vm: all  ## the arm64 programs on a virtual board: QEMU, Debian's kernel, real GPIO chips of the kernel's
	@Tests/VirtualBoard/run

test-packages: lint-deb  ## the packages on Debian 12, booted in a container: install, tap, upgrade, purge
	@Tests/Packages/run bookworm

test-releases:  ## the same on Debian 12 and 13
	@$(MAKE) --no-print-directory lint-deb
	@$(MAKE) --no-print-directory RELEASE=trixie lint-deb
	@Tests/Packages/run

test-ansible: deb  ## the Ansible role on two boards in containers: set up, run again, changed, broken
	@Tests/Ansible/run

test-browser: all  ## the page in headless Chromium: pair, press, confirm, cancel, a killed kiosk
	@Tests/Browser/run $(OUT)/bin

test-riscv64:  ## the riscv64 programs under QEMU's user mode
	@$(MAKE) --no-print-directory ARCH=riscv64 test-emulated

test-emulated: all
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

.PHONY: fuzz simulate inventory-model bench torture hostile damage soak test-cluster cluster-bench cluster-soak
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

test-cluster: all  ## 60 kiosks on a broker of three nodes that are killed, frozen, outvoted and restarted
	@Tests/Cluster/run --kiosks 60 --crowd 20 --calm 6

cluster-bench: all  ## faults of NATS and RabbitMQ, 300 kiosks, a soak (RUNS=5 MINUTES=60); fills docs/cluster.md
	@Tests/Cluster/bench --runs $(or $(RUNS),5) --minutes $(or $(MINUTES),60)

cluster-soak: all  ## HOURS=1 (or MINUTES=N) of presses while a node is restarted every two minutes: does anything grow?
	@Tests/Cluster/soak --minutes $(or $(MINUTES),$(shell expr 60 '*' $(or $(HOURS),1)))

damage: all  ## 100,000 damaged files, each read by a program that ships (CASES=N SEED=N)
	@Tests/Torture/damage --cases $(or $(CASES),100000) $(if $(SEED),--seed $(SEED))

soak: all  ## HOURS=1 of taps and faults: descriptors, memory and threads, a line a minute
	@Tests/Torture/soak --hours $(or $(HOURS),1) $(if $(SEED),--seed $(SEED))
