# Everything that a fresh Debian or Ubuntu machine with the Swift toolchain needs: make demo, make test.

SWIFT ?= swift
BIN = .build/debug
SYNTHETIC = TestVectors/synthetic
SOURCES = Package.swift Sources Tests TestVectors Benchmarks

# Installs packages of Debian or Ubuntu, with sudo where that is needed.
APT = sh -c 'sudo=; [ "$$(id -u)" -eq 0 ] || sudo=sudo; $$sudo apt-get update -q && $$sudo apt-get install -q -y "$$@"' apt

.PHONY: demo test integration-test test-openssl compare build conform vectors bench bench-build bench-guard bench-growth coverage fuzz\
	differential mutants sanitize lint docs docs-html docs-modules docs-examples docs-tables docs-check reading-order python deps

demo: build
	@echo
	@echo '# A token that Apple signed, at the time at which it came in:'
	$(BIN)/paytoken verify TestVectors/apple-signed/bepaid-documented.json --at 2020-02-19T08:27:00Z
	@echo
	@echo '# A test token, decrypted, and as Worldline Direct wants it:'
	$(BIN)/paytoken decrypt $(SYNTHETIC)/demo-token.json --keys $(SYNTHETIC)/keys \
		--test-trust-anchor $(SYNTHETIC)/pki/root.pem --at 2026-05-04T09:30:00Z
	$(BIN)/paytoken request worldline-direct $(SYNTHETIC)/demo-token.json --keys $(SYNTHETIC)/keys \
		--test-trust-anchor $(SYNTHETIC)/pki/root.pem --at 2026-05-04T09:30:00Z \
		--authorization-mode SALE --merchant-reference demo-1

test: deps
	$(SWIFT) build --build-tests
	$(SWIFT) test --disable-xctest --skip-build

# What needs a device or a server: keys in SoftHSM2, through PKCS#11; ledgers that are raced, killed and cut
# off, in files and on a PostgreSQL server of their own. Claims whose answers cannot be written; signals.
POSTGRESQL = .build-postgresql
integration-test: deps
	@if ! command -v softhsm2-util >/dev/null || ! command -v pkcs11-tool >/dev/null; then \
		$(APT) softhsm2 opensc; \
	fi
	$(SWIFT) build --build-tests
	Tests/Integration/softhsm.sh $(SWIFT) test --disable-xctest --skip-build --filter PKCS11
	@if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null || \
		! pkg-config --exists libpq 2>/dev/null; then \
		$(APT) postgresql libpq-dev pkg-config; \
	fi
	$(SWIFT) build --traits PostgreSQL --product ledger-race --scratch-path $(POSTGRESQL)
	$(SWIFT) build --traits PostgreSQL --product paytoken --scratch-path $(POSTGRESQL)
	Tests/Integration/ledgers.sh $(POSTGRESQL)/debug
	@if ! perl -MJSON::PP -e 1 2>/dev/null; then $(APT) perl; fi
	Tests/Integration/delivered-claims.pl $(BIN)
	Tests/Integration/conformance.sh $(BIN)/paytoken $(BIN)/paytoken-testing
	Tests/Integration/interruptions.pl $(BIN)
	$(MAKE) docs-examples

# Compares the verdicts under Debian 13's OpenSSL 3.5 with those under this system's libcrypto. The release's packages come from
# the mirror that apt uses here and are unpacked in a folder; nothing is installed.
OTHER_OPENSSL = .build-openssl
test-openssl: deps
	$(RELEASE) --product paytoken
	Tests/Integration/openssl.sh .build/release/paytoken $(OTHER_OPENSSL)

# Compares the verdicts and the output of two paytoken binaries, OLD and NEW: before and after a restructuring.
compare:
	Tests/Integration/compare-verdicts.py $(OLD) $(NEW)
	Tests/Integration/compare-commands.py $(OLD) $(NEW)

# Warnings are errors: Package.swift says so for every Swift target.
build: deps
	$(SWIFT) build --product paytoken

# The verdicts for all synthetic vectors; the tests compare them with what is expected.
conform: build
	$(BIN)/paytoken conform $(SYNTHETIC)/cases.jsonl --trust-anchor $(SYNTHETIC)/pki/root.pem \
		--keys $(SYNTHETIC)/keys --report > /dev/null

# The same bytes every time.
vectors: deps
	$(SWIFT) run make-vectors TestVectors

# The library against libcrypto alone, in one run. The standard library is linked statically, as in a release of the command.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib
BENCHMARKS = .build/release/benchmarks
bench: bench-build
	$(BENCHMARKS) --json .build/benchmarks.json

bench-build: deps
	for product in paytoken benchmark-baseline benchmarks; do $(RELEASE) --product $$product || exit 1; done

# Fails when a change has lost what the budgets ask for.
bench-guard: bench-build
	$(BENCHMARKS) --quick --guard

# The cost of a token as tokens, keys and signers grow, and a batch of a million; some six minutes.
bench-growth: bench-build
	$(BENCHMARKS) growth --json Benchmarks/growth.json
	$(BENCHMARKS) plot Benchmarks/growth.json > Benchmarks/growth.svg

# Which lines of Sources the tests run, those with a device included; needs softhsm2 and opensc, which integration-test installs.
COVERAGE = .build-cov
# The toolchain's own: another one may not read its profiles.
LLVM_COV = $(dir $(realpath $(shell command -v $(firstword $(SWIFT)))))llvm-cov
coverage: deps
	$(SWIFT) build --build-tests --enable-code-coverage --scratch-path $(COVERAGE)
	Tests/Integration/softhsm.sh $(SWIFT) test --disable-xctest --skip-build --enable-code-coverage \
		--scratch-path $(COVERAGE)
	$(LLVM_COV) report $(COVERAGE)/debug/ApplePayTokenPackageTests.xctest -object $(COVERAGE)/debug/paytoken \
		-instr-profile $(COVERAGE)/debug/codecov/default.profdata -ignore-filename-regex='(Tests|TestVectors|Benchmarks|\.build)'

# Each fuzz target for FUZZ_SECONDS, under AddressSanitizer; what is found lies in .build-fuzz/found.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS = envelope wrappers cms certificates payment-data key-files
FUZZ = .build-fuzz/release/fuzz
fuzz: deps
	$(SWIFT) build -c release --product fuzz --scratch-path .build-fuzz \
		-Xswiftc -DFUZZING -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld
	$(FUZZ) seeds .build-fuzz/seeds
	for target in $(FUZZ_TARGETS); do \
		mkdir -p .build-fuzz/corpus/$$target .build-fuzz/found/$$target; \
		SWIFT_BACKTRACE=enable=no $(FUZZ) $$target .build-fuzz/corpus/$$target .build-fuzz/seeds/$$target \
			-max_total_time=$(FUZZ_SECONDS) -max_len=4096 -rss_limit_mb=3000 -verbosity=0 \
			-print_final_stats=1 -artifact_prefix=.build-fuzz/found/$$target/ || exit 1; \
	done

# Our verdict on a million altered signatures beside CMS_verify's.
MUTANTS ?= 1000000
differential: deps
	$(SWIFT) run -c release differential $(MUTANTS)

# Every check switched off, one at a time, in a copy; needs Python 3.
mutants: deps
	python3 Tests/Mutants/mutants.py

# All tests under AddressSanitizer with leak detection, then under ThreadSanitizer.
sanitize: deps
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp SWIFT_BACKTRACE=enable=no \
		$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build-asan --skip MemoryTests
	SWIFT_BACKTRACE=enable=no \
		$(SWIFT) test --disable-xctest --sanitize=thread --scratch-path .build-tsan --skip MemoryTests

# One documentation archive of all public modules, in .build/documentation: fails if docc warns or a public symbol has no documentation.
docs: docs-modules
	python3 Tests/Documentation/archive.py --build $(POSTGRESQL)/debug

# The same as pages that a browser opens without a server: .build/documentation/html/index.html.
docs-html: docs-modules
	python3 Tests/Documentation/archive.py --build $(POSTGRESQL)/debug --html

# The modules with PostgreSQL's.
docs-modules: deps python
	@pkg-config --exists libpq 2>/dev/null || { echo "Installing libpq-dev."; $(APT) libpq-dev pkg-config; }
	for module in $$(python3 Tests/Documentation/archive.py --modules); do \
		$(SWIFT) build --traits PostgreSQL --target $$module --scratch-path $(POSTGRESQL) || exit 1; \
	done

# Compiles the Swift that the documents print, runs their commands, and compares the outputs that they show.
docs-examples: build docs-modules
	python3 Tests/Documentation/examples.py --build $(BIN)
	python3 Tests/Documentation/examples.py --build $(POSTGRESQL)/debug --trait PostgreSQL

# The tables of refusals in Refusals.md and SECURITY.md, and the pictures; needs Python 3.
docs-tables: python
	python3 Tests/Documentation/tables.py
	python3 Tests/Documentation/pictures.py

docs-check: python
	python3 Tests/Documentation/tables.py --check
	python3 Tests/Documentation/pictures.py --check
	python3 Tests/Documentation/reading-order.py
	python3 Tests/Documentation/links.py

# The files that one token passes, by coverage.
reading-order: deps
	python3 Tests/Documentation/reading-order.py --measure

lint:
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)

python:
	@python3 -c 'import dataclasses, html, json, urllib.parse' 2>/dev/null || { echo "Installing python3."; $(APT) python3; }

# libcrypto's headers, installed where they are missing.
deps:
	@if [ ! -e /usr/include/openssl/evp.h ] && ! pkg-config --exists libcrypto 2>/dev/null; then \
		if ! command -v apt-get >/dev/null; then \
			echo 'OpenSSL 3 with its headers is needed (libssl-dev, openssl-devel or the like);' >&2; \
			echo 'there is no apt here, so install it by the means of this system, then run make again.' >&2; \
			exit 1; \
		fi; \
		echo "Installing libssl-dev."; \
		$(APT) libssl-dev; \
	fi
