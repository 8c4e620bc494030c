# Tests: every tests/<kind>/test_*.c is one program, every tests/contract/test_*.py and
# tests/browser/test_*.js one script, and every tests/fuzz/fuzz_*.c a target of libFuzzer whose corpus
# is replayed. Each prints TAP; tests/run.sh runs them and counts.
#
#   make test                              all of them
#   make test SUITES=release/unit          one suite, or one program (release/unit/test_base_num)
#   make san                               those under sanitizers
#   make fuzz FUZZ_SECONDS=600             look for new inputs that crash, FUZZ_JOBS targets at once
#   make fuzz-afl FUZZ_SECONDS=600         the same by AFL++, over `openrecipes check -`
#   make soak SOAK_SECONDS=600             mixed traffic while imports and verifications run
#   make faults FAULT_ROUNDS=300           all faults, each so often where chance has a part

FUZZ_SECONDS ?= 600
FUZZ_JOBS ?= $(shell nproc)
SOAK_SECONDS ?= 600
FAULT_ROUNDS ?= 300

SAN_SUITES := asan/unit asan/http asan/fuzz tsan/http
SUITES ?= release/unit release/http release/contract release/fault release/browser $(SAN_SUITES)

FUZZ_MAIN := tests/support/fuzz_main.c
FUZZ_SUPPORT := $(filter-out $(FUZZ_MAIN),$(wildcard tests/support/fuzz_*.c))
TEST_SUPPORT := $(filter-out $(FUZZ_MAIN) $(FUZZ_SUPPORT),$(wildcard tests/support/*.c))
FUZZ_SUPPORT_OBJECTS := $(FUZZ_SUPPORT:%.c=$(OUT)/%.o)
TEST_SUPPORT_OBJECTS := $(TEST_SUPPORT:%.c=$(OUT)/%.o)
TEST_PROGRAMS := $(wildcard tests/unit/test_*.c tests/http/test_*.c tests/fault/test_*.c)
FUZZ_TARGETS := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_REPLAYS := $(FUZZ_TARGETS:tests/fuzz/fuzz_%.c=$(OUT)/tests/fuzz/replay_%)
# Contract tests start it too.
TEST_MANUAL := $(OUT)/tests/manual/loopback_hub
FAULT_SHIMS := $(OUT)/tests/fault/shim.so $(OUT)/tests/fault/clock.so
TEST_SOURCES := $(TEST_PROGRAMS) $(TEST_SUPPORT) $(FUZZ_TARGETS) $(FUZZ_MAIN) $(FUZZ_SUPPORT)

# What run.sh needs of each variant: all kinds of tests, but for tsan only those with threads.
TEST_BUILD := $(TEST_PROGRAMS:%.c=$(OUT)/%) $(FUZZ_REPLAYS) $(FAULT_SHIMS) $(TEST_MANUAL)
TEST_BUILD_tsan := $(patsubst %.c,$(OUT)/%,$(filter tests/http/%,$(TEST_PROGRAMS)))

$(OUT)/tests/%: $(OUT)/tests/%.o $(TEST_SUPPORT_OBJECTS) $(LIBRARY)
	$(call show,LD $@)$(CC) $(ALL_LDFLAGS) $^ -lcmocka $(ALL_LDLIBS) -o $@

$(OUT)/tests/fuzz/replay_%: $(OUT)/tests/fuzz/fuzz_%.o $(OUT)/tests/support/fuzz_main.o $(FUZZ_SUPPORT_OBJECTS) \
		$(LIBRARY)
	$(call show,LD $@)$(CC) $(ALL_LDFLAGS) $^ $(ALL_LDLIBS) -o $@

$(OUT)/tests/fuzz/fuzz_%: $(OUT)/tests/fuzz/fuzz_%.o $(FUZZ_SUPPORT_OBJECTS) $(LIBRARY)
	$(call show,LD $@)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(ALL_LDLIBS) -o $@

# Shared objects of their own: nothing of ours is in them, and they are loaded before all else.
$(FAULT_SHIMS): $(OUT)/%.so: %.c
	@mkdir -p $(@D)
	$(call show,LD $@)$(CC) $(ALL_CPPFLAGS) -std=c17 -g -O2 -fPIC $(WARN) $(WERROR) -shared $< -ldl -o $@

# A folder of inputs that no target reads would go unnoticed; a target without one fails by itself.
FUZZ_UNREAD := $(filter-out $(FUZZ_TARGETS:tests/fuzz/fuzz_%.c=tests/fuzz/corpus/%),$(wildcard \
	tests/fuzz/corpus/*))

tests-build: $(BINARY) $(or $(TEST_BUILD_$(VARIANT)),$(TEST_BUILD))
	$(if $(FUZZ_UNREAD),$(error no target of tests/fuzz reads $(FUZZ_UNREAD)))

-include $(TEST_SOURCES:%.c=$(OUT)/%.d)

SUITE_VARIANTS = $(sort $(foreach suite,$(SUITES),$(firstword $(subst /, ,$(suite)))))

# What drives the browser, as the lock file has it.
BROWSER_MODULES := tests/browser/node_modules/.package-lock.json

$(BROWSER_MODULES): tests/browser/package-lock.json tests/browser/package.json
	$(call show,NPM $(@D))cd tests/browser && npm ci --no-audit --no-fund --ignore-scripts --silent
	@touch $@

test: deps-test $(if $(filter release/browser%,$(SUITES)),$(BROWSER_MODULES))
	+@for variant in $(SUITE_VARIANTS); do \
		$(PARALLEL_MAKE) VARIANT=$$variant all tests-build || exit 1; done
	@tests/run.sh $(SUITES)

san:
	@$(MAKE) --no-print-directory test SUITES='$(SAN_SUITES)'

# Words for fuzzers to try: names of members and values of the schema, which the field table writes.
$(OUT)/keys.dict: schema/recipe.schema.yaml
	@mkdir -p $(@D)
	@{ grep -E '^ *(enum|required):' $< | grep -oE '"[^"]+"'; \
		sed -nE 's/^ *([a-z0-9_]+):$$/"\1"/p' $<; } | sort -u > $@

fuzz: deps-test
	+@$(PARALLEL_MAKE) VARIANT=fuzz fuzz-run

# New inputs stay under build/; one that crashed is moved to the target's corpus by hand, with the fix.
fuzz-run: $(FUZZ_TARGETS:%.c=$(OUT)/%) $(OUT)/keys.dict
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_JOBS=$(FUZZ_JOBS) tests/fuzz.sh $(OUT) $(FUZZ_TARGETS:%.c=$(OUT)/%)

fuzz-afl: deps-fuzz
	+@$(PARALLEL_MAKE) VARIANT=afl fuzz-afl-run

fuzz-afl-run: $(BINARY) $(OUT)/keys.dict
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz_afl.sh $(OUT)

soak: deps-test all $(TEST_MANUAL)
	@SOAK_SECONDS=$(SOAK_SECONDS) OPENRECIPES_BIN=$(BINARY) PYTHONPATH=tests/contract \
		PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/soak/soak.py

# FAULT_SEED makes chance another one.
FAULT_SUITES := release/contract/test_killed.py release/contract/test_disturbed.py release/fault
faults: deps-test
	+@$(PARALLEL_MAKE) VARIANT=release all tests-build
	@FAULT_ROUNDS=$(FAULT_ROUNDS) TEST_SECONDS=20000 tests/run.sh $(FAULT_SUITES)

# Three replicas behind nginx; the image of docker/, which needs root and the network.
replicas: deps-test all
	@tests/run.sh $(VARIANT)/contract/test_replicas.py
image:
	@tools/deps.sh image
	@tools/image.sh

.PHONY: test tests-build san fuzz fuzz-run fuzz-afl fuzz-afl-run soak faults replicas image
