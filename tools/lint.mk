# `make lint` and `make fmt`.

C_FILES := $(wildcard $(LAYERS:%=%/*.[ch]) tools/*.c bench/*.[ch] tests/*/*.[ch])

fmt:
	clang-format -i $(C_FILES)

lint: deps
	clang-format --dry-run -Werror $(C_FILES)
	tools/lint_layers.sh
	tools/lint_style.sh
	$(MAKE) --no-print-directory VARIANT=release WERROR=-Werror OUT=build/lint-gcc all tests-build
	$(MAKE) --no-print-directory VARIANT=clang WERROR=-Werror OUT=build/lint-clang all tests-build
	$(MAKE) --no-print-directory lint-headers lint-tidy lint-cppcheck

lint-headers:
	@for h in $(wildcard $(LAYERS:%=%/*.h)); do \
		echo "#include \"$$h\"" | gcc $(CPPFLAGS) -std=c17 -fsyntax-only -x c - || exit 1; \
	done

lint-tidy: $(OUT)/gen/generated_version.h
	printf '%s\n' $(SOURCES) | xargs -P 2 -n 4 clang-tidy --quiet --warnings-as-errors='*' 2>&1 -- \
		> build/tidy.log || { cat build/tidy.log; exit 1; }

lint-cppcheck:
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
		--inline-suppr -D_GNU_SOURCE -I. $(SOURCES)

.PHONY: fmt lint lint-headers lint-tidy lint-cppcheck
