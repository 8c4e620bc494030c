# Tests: every tests/<kind>/test_*.c is one program; every tests/contract/test_*.py one script. Each
# prints TAP; tests/run.sh runs them and counts.

TEST_SUPPORT := $(wildcard tests/support/*.c)
TEST_PROGRAMS := $(wildcard tests/unit/test_*.c tests/http/test_*.c tests/fault/test_*.c)
TEST_BINARIES := $(TEST_PROGRAMS:%.c=$(OUT)/%)
TEST_SUPPORT_OBJECTS := $(TEST_SUPPORT:%.c=$(OUT)/%.o)

$(OUT)/tests/%: $(OUT)/tests/%.o $(TEST_SUPPORT_OBJECTS) $(LIBRARY)
	$(CC) $(LDFLAGS) $^ -lcmocka $(LDLIBS) -o $@

tests-build: $(TEST_BINARIES)

-include $(TEST_PROGRAMS:%.c=$(OUT)/%.d) $(TEST_SUPPORT:%.c=$(OUT)/%.d)

test: deps-test
	@$(MAKE) --no-print-directory VARIANT=release all tests-build
	@$(MAKE) --no-print-directory VARIANT=asan all tests-build
	@tests/run.sh release asan

.PHONY: test tests-build
