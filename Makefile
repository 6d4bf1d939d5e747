# feedutils: see README.md. Besides Swift, the build needs three system libraries; `make` looks for them.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# Debian and others keep completions for zsh in another folder.
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
TOOLS := $(notdir $(patsubst %/,%,$(dir $(wildcard Sources/*/main.swift))))

VERSION := $(shell sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/FeedCore/CommandLine/ToolSpec.swift)

ifeq ($(shell uname),Linux)
# The tools run without Swift installed, and the loader looks for no library beside them.
STATIC := --static-swift-stdlib --disable-local-rpath
# For builds that can be compared: no paths of this machine and no hashes of them. No debug information either, since
# the build ID would be computed from it. In a few places the optimizer decides by addresses and hashes, so these are
# fixed. `make dist-check` reports if that was not enough.
SAME := -Xlinker -s -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
  -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=."
STEADY := SWIFT_DETERMINISTIC_HASHING=1 $(shell setarch -R true 2>/dev/null && echo setarch -R)
endif
# In a folder of its own, so that it may run beside the build of the tests.
TREE := .build/tools
BIN = $(TREE)/release
BUILD = FEEDUTILS_TOOLS="$(TOOLS)" FEEDUTILS_STATIC=$$(SWIFT="$(SWIFT)" .ci/static $(SWIFTFLAGS)) $(STEADY) $(SWIFT) build --scratch-path $(TREE) \
  -c release $(STATIC) $(SAME) $(SWIFTFLAGS)

# Public conformance suites, if they are there.
ifneq ($(wildcard ../shared/conformance),)
export FEEDUTILS_CONFORMANCE ?= $(abspath ../shared/conformance)
endif
export SWIFT_BACKTRACE ?= enable=no

.PHONY: all demo test test-loaded tests simulator unit-test lint bench soak simulate servers fuzz install completions doc deps clean version dist dist-check

all: deps
	$(BUILD)

# Only the tools that it plays, and not optimized, which takes half of the time. The tests use the same build.
PLAYED := sse-cat jpatch jdiff sse-serve
demo: deps
	@mkdir -p .build
	@echo "Building $(PLAYED): a minute on two processors, the first time (the compiler's words: .build/demo.log)"
	@FEEDUTILS_TOOLS="$(PLAYED)" $(SWIFT) build >.build/demo.log 2>&1 || { cat .build/demo.log; exit 1; }
	@PATH="$(CURDIR)/.build/debug:$$PATH" examples/newswire/newswire

# The tests run the release binaries, so these are built too. The unit tests are built for debugging, with all checks.
test: deps
	$(MAKE) --no-print-directory -j all tests simulator lint
	FEEDUTILS_BIN="$(abspath $(BIN))" SWIFT="$(SWIFT)" Tests/run

# The same beside two busy processes on each processor: what is red then is red for the clock, and wrong.
test-loaded: deps
	$(MAKE) --no-print-directory all tests simulator
	for number in $$(seq $$(($$(getconf _NPROCESSORS_ONLN) * 2))); do \
	  (while :; do :; done) & busy="$$busy $$!"; done; trap 'kill $$busy' EXIT; \
	FEEDUTILS_BIN="$(abspath $(BIN))" SWIFT="$(SWIFT)" Tests/run

tests: deps
	SWIFT="$(SWIFT)" Tests/run --build

# From the objects of the release build.
simulator: all
	@$(MAKE) --no-print-directory --silent -j2 --file=Tests/Simulation/Makefile

unit-test: deps
	SWIFT="$(SWIFT)" Tests/run '^(FeedCore|FeedHTTP)Tests'

lint:
	$(SWIFT) format lint --strict --recursive Sources Tests Package.swift
	if command -v python3 >/dev/null || [ "$$CI" = true ]; then Tests/rooms && Tests/names && Tests/sentences && Tests/times; fi
	LC_ALL=C awk 'length > 160 { print FILENAME ":" FNR ": " length " bytes; a line of cases has at most 160"; long = 1 } \
	  END { exit long }' Tests/Cases/*/*.cases
	git log -10 --format=%s 2>/dev/null | awk 'length > 72 { print "a subject has at most 72 characters: " $$0; long = 1 } \
	  END { exit long }'

bench: all
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Bench/bench

# Kills the pipeline at random, ROUNDS times. Does the same with a tool that has a store, one that polls, and deliver
# with each of its sinks, and with live sources that forget. Puts engines between the tools, kills servers behind nginx,
# and connects to one ROUNDS thousand times. Lets clients come and go for five minutes, and reads gzip for one. Polls a
# server that lies, ten times as often, and damages as many stores and checkpoints. Makes every system call of every tool fail once, and
# cuts the power at every write. FAULTS and CUTS are options of the last two, such as --tool jpatch.
ROUNDS ?= 100
soak: all
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-store $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-readers $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-poll $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-by $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-feeds --rounds $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/restarts $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-deliver --kills $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/lossless --kills $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/engines --seconds 3
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/fan-out
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-serve --connections $(ROUNDS)000
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/soak-serve --seconds 300 --gzip
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/compressed --seconds 60
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/deliver-commands
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/deliver-kills $(ROUNDS)
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/slow-sink 60
	for turn in 1 2 3 4; do PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/liar $(ROUNDS)0 || exit 1; done
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/damage $(ROUNDS)0
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Pipeline/shifting --count $(ROUNDS)0
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Faults/every-call $(FAULTS)
	$(SWIFT) build # tools that load a library
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Faults/power-cut $(CUTS)

# Tries our commands with real servers of Debian and PyPI, which it installs: all, or those that SERVERS names.
servers: all
	PATH="$(CURDIR)/$(BIN):$$PATH" Tests/Servers/servers $(SERVERS)

# Plays SEEDS histories of each pipeline in one process, with a network, a clock, a disk and deaths that are values. Then
# plants faults, which must be found.
SEEDS ?= 10000
simulate:
	Tests/Simulation/simulate --count $(SEEDS)
	Tests/Simulation/simulate --planted

# Fuzzes each parser for SECONDS.
SECONDS ?= 60
fuzz:
	SECONDS=$(SECONDS) Tests/Fuzz/fuzz

completions: all
	for tool in $(TOOLS); do \
	  $(BIN)/$$tool --completion bash >completions/bash/$$tool && \
	  $(BIN)/$$tool --completion zsh >completions/zsh/_$$tool && \
	  $(BIN)/$$tool --completion fish >completions/fish/$$tool.fish || exit 1; \
	done

# The manual as HTML; needs mandoc and Python.
doc:
	man/html/pages doc

install: all
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/man/man7" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(ZSHDIR)" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	for tool in $(TOOLS); do install -s -m 755 "$(BIN)/$$tool" "$(DESTDIR)$(PREFIX)/bin/" || exit 1; done
	for page in man/*.[17]; do \
	  installed="$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}"; \
	  sed 's/^\.Os$$/.Os feedutils $(VERSION)/' "$$page" >"$$installed" && chmod 644 "$$installed" || exit 1; \
	done
	install -m 644 completions/bash/* "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/"
	install -m 644 completions/zsh/* "$(DESTDIR)$(ZSHDIR)/"
	install -m 644 completions/fish/* "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/"
	for file in $(filter-out examples/packaging/%,$(wildcard examples/*.md examples/*/*)); do \
	  folder="$(DESTDIR)$(PREFIX)/share/doc/feedutils/$${file%/*}"; mode=644; [ ! -x "$$file" ] || mode=755; \
	  install -d "$$folder" && install -m $$mode "$$file" "$$folder/" || exit 1; \
	done

# Makes all files of a release, under dist/, from the commit that is checked out.
dist:
	VERSION="$(VERSION)" MAKE="$(MAKE)" examples/packaging/dist

# Builds from the source tarball in another folder, and installs the Debian package in a clean root.
dist-check: dist
	VERSION="$(VERSION)" MAKE="$(MAKE)" examples/packaging/dist-check

version:
	@echo $(VERSION)

deps:
	@.ci/deps

clean:
	rm -rf .build doc dist
