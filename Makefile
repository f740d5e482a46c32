# Builds and tests the project on a fresh Debian or Ubuntu machine with the Swift toolchain: make demo, make test.

SWIFT ?= swift
BIN = .build/debug
SYNTHETIC = TestVectors/synthetic
SOURCES = Package.swift Sources Tests TestVectors Benchmarks Examples

# Installs packages of Debian or Ubuntu, with sudo if necessary.
APT = sh -c 'sudo=; [ "$$(id -u)" -eq 0 ] || sudo=sudo; $$sudo apt-get update -q && $$sudo apt-get install -q -y "$$@"' apt

.PHONY: commit demo shop shop-test shop-programs test integration-test order-faults consumer soak bench-ledger \
	bench-ledger-growth test-openssl test-fips test-aarch64 test-image image workflows compare build release install dist \
	reproducible conform vectors vectors-pack bench bench-build bench-guard bench-growth bench-https bench-service coverage fuzz \
	oss-fuzz differential exhaustive review model mutants faults sanitize lint docs docs-html docs-modules docs-examples \
	docs-tables docs-check reading-order python spin deps

# The commit for paytoken --version; the file changes, and is compiled again, only when the commit does.
VERSION = Sources/Programs/CPaytoken
commit:
	@printf '#define PAYTOKEN_COMMIT "%s"\n' \
		"$$(git describe --always --exclude '*' --abbrev=12 --dirty 2>/dev/null || echo unknown)" > $(VERSION)/commit.new
	@if cmp -s $(VERSION)/commit.new $(VERSION)/commit.h; then rm $(VERSION)/commit.new; \
	else mv $(VERSION)/commit.new $(VERSION)/commit.h; touch $(VERSION)/version.c; fi

# A token is verified, decrypted, compared, claimed, paid at a gateway on this machine, and refunded.
demo: build
	@command -v curl >/dev/null || { echo "Installing curl."; $(APT) curl; }
	for product in paytoken-testing gateway-sandbox; do $(SWIFT) build --product $$product || exit 1; done
	@echo
	@Tests/Integration/demo.sh $(BIN)

# A shop on this machine with a stand-in for Apple Pay; Tests/Integration/WebShop/README.md explains it.
shop: shop-programs
	Tests/Integration/WebShop/start.py $(BIN)

# Buys there with headless Chromium, and saves pictures.
shop-test: shop-programs
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null && php -m 2>/dev/null | grep -qx curl || { \
		echo "Installing chromium and PHP."; $(APT) chromium chromium-driver php-cli php-curl; }
	Tests/Integration/WebShop/shop_test.py $(BIN) .build/shop-pictures

shop-programs: build python
	@command -v curl >/dev/null && command -v openssl >/dev/null || $(APT) curl openssl
	for product in paytoken-testing gateway-sandbox; do $(SWIFT) build --product $$product || exit 1; done

test: deps
	$(SWIFT) build --build-tests
	$(SWIFT) test --disable-xctest --skip-build

# The tests of which make test runs a part, and those of them that wait for minutes, which make soak runs as a whole.
LONG_TESTS = AdviceTests AllocationFailureTests AnswerChangeTests DifferentialTests GatewayMemberEffectTests InMemoryLedgerTests LatePaymentTests MutationTests OutcomeRuleTests PaymentHandlerTests RealTokenTests SandboxPaymentTests
WAITING_TESTS = PaymentHandlerTests

# The long tests as a whole, and the tests that need a device or a server: keys in SoftHSM2, through PKCS#11; ledgers in SQLite and on a separate PostgreSQL
# server, with races, killed processes and lost connections; signals; the flows of five gateways' documents and payments at
# gateway-sandbox, also by processes that are killed; the commands of the quick start; verifiers with a fault, and the archive
# of vectors with its runners; broken installations that doctor mends; the service, its flows, memory, proxies, units and articles.
POSTGRESQL = .build-postgresql
integration-test: deps python
	@if ! command -v softhsm2-util >/dev/null || ! command -v pkcs11-tool >/dev/null; then \
		$(APT) softhsm2 opensc; \
	fi
	$(SWIFT) build --build-tests
	python3 Tests/Tools/text-comparisons.py $(BIN)
	Tests/Integration/softhsm.sh $(SWIFT) test --disable-xctest --skip-build --filter PKCS11
	APPLEPAYTOKEN_LONG_TESTS=1 $(SWIFT) test --disable-xctest --skip-build \
		$(addprefix --filter ,$(filter-out $(WAITING_TESTS),$(LONG_TESTS)))
	@if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null || \
		! pkg-config --exists libpq 2>/dev/null; then \
		$(APT) postgresql libpq-dev pkg-config; \
	fi
	@PATH=$$PATH:/usr/sbin; command -v pgbouncer >/dev/null || $(APT) pgbouncer
	$(SWIFT) build --traits default,PostgreSQL --product ledger-race --scratch-path $(POSTGRESQL)
	for product in paytoken paytokend; do \
		$(SWIFT) build --traits default,PostgreSQL --product $$product --scratch-path $(POSTGRESQL) || exit 1; \
	done
	python3 Tests/Tools/text-comparisons.py $(POSTGRESQL)/debug
	@command -v sqlite3 >/dev/null || $(APT) sqlite3
	Tests/Integration/postgresql.sh $(POSTGRESQL)/debug
	Tests/Integration/postgresql-attempts.sh $(POSTGRESQL)/debug
	Tests/Integration/ledgers.sh $(POSTGRESQL)/debug
	Tests/Integration/ledger-tls.sh $(POSTGRESQL)/debug
	Tests/Integration/false-database.py $(POSTGRESQL)/debug
	Tests/Integration/ledger-clock.sh $(POSTGRESQL)/debug
	Tests/Integration/failover.sh $(POSTGRESQL)/debug
	FAULT_STEP=20 Tests/Integration/sqlite-faults.py $(POSTGRESQL)/debug
	Tests/Integration/conformance.sh $(BIN)/paytoken $(BIN)/paytoken-testing
	@python3 -c 'import cryptography' 2>/dev/null || $(APT) python3-cryptography
	Tests/Integration/broken-verifiers.py $(BIN)
	@for language in php:php-cli node:nodejs ruby:ruby go:golang-go javac:default-jdk-headless; do \
		command -v $${language%:*} >/dev/null || $(APT) $${language#*:} || echo "$${language#*:} cannot be installed"; \
	done
	Tests/Integration/vectors-pack.py $(BIN)
	Tests/Integration/interruptions.py $(BIN)
	Tests/Integration/system-limits.sh $(BIN)/paytoken
	Tests/Integration/install.sh $(BIN)
	@command -v ssh-keygen >/dev/null || $(APT) openssh-client
	Tests/Integration/signed-sums.py
	@command -v openssl >/dev/null || $(APT) openssl
	Tests/Integration/https.py $(BIN)
	Tests/Integration/session.py $(BIN)
	@php --ri curl >/dev/null 2>&1 && command -v node >/dev/null || $(APT) php-cli php-curl nodejs
	@if ! command -v curl >/dev/null; then $(APT) curl; fi
	Tests/Integration/quickstart.py $(BIN)
	Tests/Integration/gateways.py $(BIN)
	Tests/Integration/crashes.py $(BIN)
	Tests/Integration/orders.py $(BIN)
	@command -v cc >/dev/null || $(APT) gcc libc6-dev
	Tests/Integration/service.py $(BIN)
	Tests/Integration/service-flows.py $(BIN)
	Tests/Integration/service-memory.py $(BIN)
	@command -v promtool >/dev/null || $(APT) prometheus
	Tests/Integration/alarms.py $(BIN)
	@PATH=$$PATH:/usr/sbin; command -v nginx >/dev/null && command -v haproxy >/dev/null || $(APT) nginx haproxy
	Tests/Integration/proxies.py $(BIN)
	Tests/Integration/units.py $(BIN)
	Tests/Integration/service-documents.py $(BIN)
	Tests/Integration/installations.py $(BIN)
	$(MAKE) order-faults ROUNDS=40
	$(MAKE) docs-examples

# Kills and stops payments at random system calls, with SQLite and PostgreSQL; cuts connections, restarts servers, fails over,
# and fills the disk. SEED=N has other faults.
ROUNDS ?= 2000
SEED ?= 1
order-faults: deps
	@for program in strace curl openssl cc; do \
		command -v $$program >/dev/null || $(APT) strace curl openssl gcc libc6-dev; \
	done
	@if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null || \
		! pkg-config --exists libpq 2>/dev/null; then \
		$(APT) postgresql libpq-dev pkg-config; \
	fi
	for product in paytoken paytoken-testing gateway-sandbox; do \
		$(SWIFT) build --traits default,PostgreSQL --product $$product --scratch-path $(POSTGRESQL) || exit 1; \
	done
	ROUNDS=$(ROUNDS) SEED=$(SEED) Tests/Integration/order-faults.py $(POSTGRESQL)/debug

# A merchant's package elsewhere depends on a tag of a clone, uses each product, and pays orders in all scenarios of the sandbox.
consumer: docs-modules
	@for program in curl openssl; do command -v $$program >/dev/null || $(APT) curl openssl; done
	Tests/Integration/consumer.sh

# All the faults of the ledgers and of the service of which integration-test takes a sample, the larger configurations of
# the model, and the packages built twice; some hours.
soak: deps spin
	$(MODEL) --large
	$(SWIFT) build --build-tests
	APPLEPAYTOKEN_LONG_TESTS=1 $(SWIFT) test --disable-xctest --skip-build $(addprefix --filter ,$(WAITING_TESTS))
	$(SWIFT) build --traits default,PostgreSQL --product ledger-race --scratch-path $(POSTGRESQL)
	for product in paytoken paytokend; do \
		$(SWIFT) build --traits default,PostgreSQL --product $$product --scratch-path $(POSTGRESQL) || exit 1; \
	done
	Tests/Integration/sqlite-faults.py $(POSTGRESQL)/debug
	ROUNDS_OF_SQLITE=200 ROUNDS_OF_POSTGRESQL=200 RACE_COUNT=10000 CONNECTION_CUTS=5000 RACE_SECONDS=600 RACE_TIMEOUT=14400 \
		Tests/Integration/ledgers.sh $(POSTGRESQL)/debug
	CLOCK_ROUNDS=200 RACE_TIMEOUT=14400 Tests/Integration/ledger-clock.sh $(POSTGRESQL)/debug
	Tests/Integration/failover.sh $(POSTGRESQL)/debug
	for product in paytoken paytokend paytoken-testing gateway-sandbox; do $(SWIFT) build --product $$product || exit 1; done
	@for program in curl openssl cc; do command -v $$program >/dev/null || $(APT) curl openssl gcc libc6-dev; done
	KILLED_PROCESSES=500 Tests/Integration/service.py $(BIN)
	@command -v debootstrap >/dev/null || $(APT) debootstrap
	Tests/Integration/other-debian.sh $(BIN) $(POSTGRESQL)/debug trixie .build-debian
	REQUESTS=1000000 Tests/Integration/service-memory.py $(BIN)
	$(MAKE) order-faults
	$(MAKE) reproducible
	$(MAKE) reproducible TRAITS=PostgreSQL
	$(MAKE) test-fips
	$(MAKE) test-aarch64
	$(MAKE) workflows

# Compares the verdicts under Debian 13's OpenSSL 3.5 with those under this system's libcrypto. The script downloads the packages
# of that release from the mirror that apt uses and unpacks them in a folder; it installs nothing.
OTHER_OPENSSL = .build-openssl
test-openssl: deps
	for product in paytoken paytoken-testing; do $(RELEASE) --product $$product || exit 1; done
	Tests/Integration/openssl.sh .build/release $(OTHER_OPENSSL)

# Compares the verdicts with and without OpenSSL's FIPS provider, and tries everything else with it. The script builds the provider
# from Debian's source, with a configuration, in a folder.
FIPS = .build-fips
test-fips: deps python
	@for program in softhsm2-util pkcs11-tool curl openssl cc perl dpkg-source; do \
		command -v $$program >/dev/null || { $(APT) softhsm2 opensc curl openssl gcc libc6-dev perl dpkg-dev; break; }; \
	done
	Tests/Integration/fips-provider.sh $(FIPS)
	$(SWIFT) build --build-tests
	Tests/Integration/fips.py $(BIN) $(FIPS)
	OPENSSL_CONF=$(CURDIR)/$(FIPS)/openssl.cnf OPENSSL_MODULES=$(CURDIR)/$(FIPS) \
		$(SWIFT) test --disable-xctest --skip-build --filter ApplePayPrimitivesTests --filter VectorTests

# Compiles the C of all modules for ARM64.
test-aarch64:
	Tests/Integration/aarch64.sh .build-aarch64

# The files of a container image, from the package that make dist created; the test needs root, for chroot.
PACKAGE ?= $(wildcard dist/paytoken_*.deb)
image:
	@[ -n '$(PACKAGE)' ] || { echo 'There is no package in the folder dist: run make dist first.' >&2; exit 1; }
	Packaging/image.sh $(PACKAGE) dist/image

test-image: build python
	@[ -n '$(PACKAGE)' ] || { echo 'There is no package in the folder dist: run make dist first.' >&2; exit 1; }
	for product in paytoken-testing gateway-sandbox; do $(SWIFT) build --product $$product || exit 1; done
	@command -v curl >/dev/null || $(APT) curl
	Tests/Integration/image.py $(PACKAGE) $(BIN)

# Compares the verdicts and the output of the programs in two folders, OLD and NEW, for example before and after a restructuring.
compare:
	Tests/Integration/compare-verdicts.py $(OLD)/paytoken-testing $(NEW)/paytoken-testing
	Tests/Integration/compare-commands.py $(OLD)/paytoken $(NEW)/paytoken

# Package.swift treats warnings as errors in every Swift target.
build: commit deps
	for product in paytoken paytokend; do $(SWIFT) build --product $$product || exit 1; done

# A release of the command and the service, with Swift's standard library linked statically. TRAITS=PostgreSQL adds the ledger in PostgreSQL,
# and needs libpq-dev.
TRAITS ?=
COMMA = ,
RELEASED = .build/release
RELEASE_WITH_TRAITS = $(RELEASE) $(if $(TRAITS),--traits default$(COMMA)$(TRAITS))
release: commit deps
	for product in paytoken paytokend; do $(RELEASE_WITH_TRAITS) --product $$product || exit 1; done

# Installs the release with its manual pages, completions and documents: make release && sudo make install
PREFIX ?= /usr/local
PROGRAMS ?= $(RELEASED)
install:
	@[ -x $(PROGRAMS)/paytokend ] || { echo '$(PROGRAMS)/paytokend is missing: run make release first, without sudo.' >&2; exit 1; }
	Packaging/install.sh $(PROGRAMS) '$(DESTDIR)$(PREFIX)'

# The packages of the release, in the folder dist: paytoken, or with TRAITS=PostgreSQL paytoken-postgresql, and paytoken-testing,
# each as a .deb and a tar archive, with what is in them and what they were made from, and SHA-256 sums, which are signed if
# PAYTOKEN_SIGNING_KEY is the path of a key.
dist: release python
	for product in paytoken-testing gateway-sandbox; do $(RELEASE_WITH_TRAITS) --product $$product || exit 1; done
	SWIFT='$(firstword $(SWIFT))' Packaging/dist.sh $(RELEASED) dist

# Builds the packages of the commit twice, elsewhere and under other circumstances, and compares each byte.
reproducible: deps python
	@command -v dpkg-shlibdeps >/dev/null && command -v strip >/dev/null || $(APT) dpkg-dev binutils
	@command -v diffoscope >/dev/null || $(APT) diffoscope-minimal
	@[ -e /usr/share/i18n/locales/tr_TR ] || $(APT) locales
	Tests/Integration/reproducible.sh .build-reproducible

# Judges all synthetic vectors and reports the counts; the tests compare each verdict with the expected one.
conform: deps
	$(SWIFT) build --product paytoken-testing
	$(BIN)/paytoken-testing conform $(SYNTHETIC)/cases.jsonl --trust-anchor $(SYNTHETIC)/pki/root.pem \
		--keys $(SYNTHETIC)/keys --report > /dev/null

# Creates the vectors, with the same bytes every time.
vectors: deps
	$(SWIFT) run make-vectors TestVectors

# The vectors of tokens with runners for six languages and a judge, for people who test a verifier of their own: an archive in the folder dist.
vectors-pack: python
	Packaging/vectors-pack.py dist

# Measures the pipeline against libcrypto alone, in one run. The standard library is linked statically, as in a release of the
# programs. Each function has a section of its own, so the linker omits those that are not called; it also omits the names of
# functions, which no other library looks up, and what release.ld says. Libraries are found in the system's folders only, and
# before the program starts.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker $(CURDIR)/Packaging/release.ld \
	-Xlinker -z -Xlinker now -Xlinker --build-id=none -Xcc -fstack-protector-strong \
	-Xswiftc -file-prefix-map -Xswiftc '$(CURDIR)=.' -Xcc '-ffile-prefix-map=$(CURDIR)=.'
BENCHMARKS = .build/release/benchmarks
bench: bench-build
	$(BENCHMARKS) --json .build/benchmarks.json

bench-build: deps
	for product in paytoken paytokend benchmark-baseline benchmarks; do $(RELEASE) --product $$product || exit 1; done

# Fails if a result misses its budget.
bench-guard: bench-build
	$(BENCHMARKS) --quick --guard

# Measures the time for a token as tokens, keys and signers grow, and a batch of a million tokens; takes about six minutes.
bench-growth: bench-build
	$(BENCHMARKS) growth --json Benchmarks/growth.json
	$(BENCHMARKS) plot Benchmarks/growth.json > Benchmarks/growth.svg

# The time of a request over that of curl's: the same request, server and certificate.
bench-https: deps python
	$(RELEASE) --product https-exchange
	Benchmarks/HTTPS/bench.py .build/release

# The tokens a second that the service decrypts over those of the library, and the times of its answers.
bench-service: deps python
	for product in paytoken paytokend paytoken-testing service-load; do $(RELEASE) --product $$product || exit 1; done
	Benchmarks/Service/bench.py .build/release

# Claims per second of the ledgers over those of C programs that make the same system calls or send the same statement.
bench-ledger: deps
	for product in ledger-race paytoken; do \
		$(RELEASE) --traits default,PostgreSQL --product $$product --scratch-path $(POSTGRESQL) || exit 1; \
	done
	Benchmarks/Ledgers/bench.sh $(POSTGRESQL)/release

# Claims from 10^3 to 10^6 claims, and prune among 10^7 rows; some ten minutes after the builds.
bench-ledger-growth: bench-ledger bench-build
	Benchmarks/Ledgers/bench.sh $(POSTGRESQL)/release growth
	$(BENCHMARKS) plot Benchmarks/Ledgers/growth.json > Benchmarks/Ledgers/growth.svg

# Measures which lines of Sources the tests run, including the tests with a device; needs softhsm2 and opensc, which
# integration-test installs. A process that a test kills leaves an incomplete profile, which is ignored.
COVERAGE = .build-cov
# Use the toolchain's LLVM: another version may not read its profiles.
LLVM = $(dir $(realpath $(shell command -v $(firstword $(SWIFT)))))llvm
coverage: deps
	$(SWIFT) build --build-tests --enable-code-coverage --scratch-path $(COVERAGE)
	rm -rf $(COVERAGE)/profiles
	LLVM_PROFILE_FILE='$(CURDIR)/$(COVERAGE)/profiles/%m-%p' \
		Tests/Integration/softhsm.sh $(SWIFT) test --disable-xctest --skip-build --scratch-path $(COVERAGE)
	$(LLVM)-profdata merge --failure-mode=all -sparse -o $(COVERAGE)/profile $(COVERAGE)/profiles
	$(LLVM)-cov report $(COVERAGE)/debug/ApplePayTokenPackageTests.xctest -object $(COVERAGE)/debug/paytoken -object $(COVERAGE)/debug/paytokend \
		-instr-profile $(COVERAGE)/profile -ignore-filename-regex='(Tests|TestVectors|Benchmarks|\.build)'

# Runs each fuzz target for FUZZ_SECONDS under AddressSanitizer; inputs that reveal a fault are saved in .build-fuzz/found.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS = envelope wrappers cms certificates payment-data key-files answers requests messages
FUZZ = .build-fuzz/release/fuzz
fuzz: deps
	$(SWIFT) build -c release --product fuzz --scratch-path .build-fuzz \
		-Xswiftc -DFUZZING -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Proofs/leaks.supp $(FUZZ) seeds .build-fuzz/seeds
	for target in $(FUZZ_TARGETS); do \
		mkdir -p .build-fuzz/corpus/$$target .build-fuzz/found/$$target; \
		SWIFT_BACKTRACE=enable=no $(FUZZ) $$target .build-fuzz/corpus/$$target .build-fuzz/seeds/$$target \
			$$(grep -l "^# Targets:.* $$target\b" Tests/Proofs/OSSFuzz/*.dict | sed 's/^/-dict=/') \
			-max_total_time=$(FUZZ_SECONDS) -max_len=4096 -rss_limit_mb=3000 -verbosity=0 \
			-print_final_stats=1 -artifact_prefix=.build-fuzz/found/$$target/ || exit 1; \
	done

# Builds the fuzz targets as OSS-Fuzz does, with Tests/Proofs/OSSFuzz/build.sh, and runs each for a second.
oss-fuzz: deps python
	@command -v zip >/dev/null || $(APT) zip
	Tests/Proofs/OSSFuzz/oss-fuzz.sh

# Compares the project's verdicts on a million altered signatures with those of CMS_verify.
MUTANTS ?= 1000000
differential: deps
	$(SWIFT) run -c release differential $(MUTANTS)

# Every small case: changes of one byte in a token, short JSON texts and DER, key usages.
exhaustive: deps
	$(SWIFT) run -c release exhaustive

# The proofs of one hour, and a page with their figures and commands: .build/review/index.html. REVIEW="tests model" runs these.
REVIEW ?=
review: deps python
	Tests/Tools/Review/review.py .build/review $(REVIEW)

# Checks the model of "an order is charged once" with Spin: the protocol, and that something breaks without each of its rules.
MODEL = Tests/Proofs/Model/model.py
model: spin
	$(MODEL)

spin: python
	@command -v spin >/dev/null && command -v cc >/dev/null && command -v gcc >/dev/null || { \
		echo "Installing spin and gcc."; $(APT) spin gcc libc6-dev; }

# Disables every check of the six inner modules, of ApplePayToken, ApplePayAcceptance and the ledgers, and every decision of ApplePayOrders and
# ApplePayServiceHTTP, one at a time, in a copy; needs Python 3, and PostgreSQL, which integration-test installs.
mutants: deps
	python3 Tests/Proofs/Mutants/mutants.py
	python3 Tests/Proofs/Mutants/mutants.py --only ApplePayToken --only ApplePayAcceptance --only ApplePayLedger --only ApplePaySQLite
	python3 Tests/Proofs/Mutants/mutants.py --only ApplePayOrders --only ApplePayServiceHTTP
	python3 Tests/Proofs/Mutants/mutants.py --only ApplePayPostgreSQL

# Makes 100 random faults in the gateways and the command, one at a time, in a copy; needs Python 3.
faults: deps
	python3 Tests/Proofs/Mutants/faults.py

# Runs all tests under AddressSanitizer with leak detection, then under ThreadSanitizer, with which each program would otherwise
# wait for a second at its end.
sanitize: deps
	Tests/Proofs/leaks.py $(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build-asan --skip MemoryTests
	TSAN_OPTIONS=atexit_sleep_ms=0 SWIFT_BACKTRACE=enable=no \
		$(SWIFT) test --disable-xctest --sanitize=thread --scratch-path .build-tsan --skip MemoryTests

# One documentation archive of all public modules, in .build/documentation: fails if docc warns or a public symbol has no documentation.
docs: docs-modules
	python3 Tests/Tools/Documentation/archive.py --build $(POSTGRESQL)/debug

# The same and the repository's documents as pages that a browser opens without a server: .build/documentation/html/index.html.
docs-html: docs-modules
	python3 Tests/Tools/Documentation/archive.py --build $(POSTGRESQL)/debug --html
	python3 Tests/Tools/Documentation/links.py --site .build/documentation/html

# The modules with PostgreSQL's.
docs-modules: deps python
	@pkg-config --exists libpq 2>/dev/null || { echo "Installing libpq-dev."; $(APT) libpq-dev pkg-config; }
	for module in $$(python3 Tests/Tools/Documentation/archive.py --modules); do \
		$(SWIFT) build --traits default,PostgreSQL --target $$module --scratch-path $(POSTGRESQL) || exit 1; \
	done

# Compiles the Swift that the documents print, runs their commands, and compares the outputs that they show.
docs-examples: build docs-modules
	python3 Tests/Tools/Documentation/examples.py --build $(BIN)
	python3 Tests/Tools/Documentation/examples.py --build $(POSTGRESQL)/debug --trait PostgreSQL

# Writes the tables of refusals in Refusals.md and VerificationRules.md, the pictures, and the drawing of the modules; needs Python 3.
docs-tables: python
	python3 Tests/Tools/Documentation/tables.py
	python3 Tests/Tools/Documentation/pictures.py
	python3 Tests/Tools/Documentation/modules.py

docs-check: python
	python3 Tests/Tools/Documentation/tables.py --check
	python3 Tests/Tools/Documentation/pictures.py --check
	python3 Tests/Tools/Documentation/modules.py --check
	python3 Tests/Tools/Documentation/threats.py
	python3 Tests/Tools/Documentation/reading-order.py
	python3 Tests/Tools/Documentation/links.py

# Compares the reading orders with the files that one token and one answer pass through, according to coverage.
reading-order: deps
	python3 Tests/Tools/Documentation/reading-order.py --measure

# Programs in the packages contain no paths of the build, which #filePath, #file and __FILE__ would put there.
lint:
	@! grep -rnwE --include='*.swift' --include='*.c' --include='*.h' '#filePath|#file|__FILE__' Sources || \
		{ echo 'These lines put paths of the build into programs; use #fileID.' >&2; exit 1; }
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)

# Checks that the workflows pin what they run and give no rights away.
ZIZMOR = .build-zizmor
workflows: python
	@[ -x $(ZIZMOR)/bin/zizmor ] || { \
		python3 -m venv $(ZIZMOR) 2>/dev/null || { $(APT) python3-venv && python3 -m venv $(ZIZMOR); } && \
		$(ZIZMOR)/bin/pip install --quiet zizmor==1.32.0; }
	$(ZIZMOR)/bin/zizmor --offline .github/workflows

python:
	@python3 -c 'import dataclasses, html, json, urllib.parse' 2>/dev/null || { echo "Installing python3."; $(APT) python3; }

# Installs the headers of libcrypto and of libsqlite3 if they are missing.
deps:
	@missing=; \
	[ -e /usr/include/openssl/evp.h ] || pkg-config --exists libcrypto 2>/dev/null || missing="$$missing libssl-dev"; \
	[ -e /usr/include/sqlite3.h ] || pkg-config --exists sqlite3 2>/dev/null || missing="$$missing libsqlite3-dev"; \
	if [ -n "$$missing" ]; then \
		if ! command -v apt-get >/dev/null; then \
			echo 'OpenSSL 3 and SQLite with their headers are needed (libssl-dev and libsqlite3-dev, openssl-devel and' >&2; \
			echo 'sqlite-devel, or the like); there is no apt here, so install them by the means of this system, then run' >&2; \
			echo 'make again.' >&2; \
			exit 1; \
		fi; \
		echo "Installing$$missing."; \
		$(APT) $$missing; \
	fi
