# Benchmarks: every bench/*.c is a program that prints a table, and fails where a limit is broken.
#
#   make bench-verify                      confirming the model of 94 files against a hub on this machine

BENCH_SOURCES := $(wildcard bench/*.c)

$(OUT)/bench/%: $(OUT)/bench/%.o $(TEST_SUPPORT_OBJECTS) $(LIBRARY)
	$(call show,LD $@)$(CC) $(ALL_LDFLAGS) $^ -lcmocka $(ALL_LDLIBS) -o $@

bench-verify: $(OUT)/bench/verify $(BINARY)
	@$(OUT)/bench/verify $(BINARY)

-include $(BENCH_SOURCES:%.c=$(OUT)/%.d)

.PHONY: bench-verify
