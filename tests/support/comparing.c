/* Loading, comparing, and what to expect of it. */
#include "tests/support/comparing.h"

#include "base/file.h"
#include "core/compare_facts.h"
#include "tests/support/reading.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = RECIPE_FILE_LIMIT };

void comparing_load(struct recipe *r, const char *path, const char *part, const char *by)
{
    const char *found;
    char *bytes;
    size_t len;
    struct reading reading;
    struct buf text;
    struct err e;

    assert_int_equal(file_read(path, FILE_LIMIT, &bytes, &len, &e), ERR_OK);
    buf_init(&text, FILE_LIMIT);
    found = part ? strstr(bytes, part) : bytes;
    assert_non_null(found);
    buf_add(&text, bytes, (size_t)(found - bytes));
    buf_puts(&text, part ? by : "");
    buf_puts(&text, found + (part ? strlen(part) : 0));
    reading_text(&reading, buf_text(&text));
    recipe_init(r);
    assert_int_equal(recipe_read(r, reading.root, &reading.report, &e), ERR_OK);
    assert_string_equal(reading_problems(&reading), "");
    recipe_derive(r, "test");
    reading_done(&reading);
    buf_done(&text);
    free(bytes);
}

struct compare_side comparing_side(const char *label, struct recipe *r, double usd)
{
    struct compare_side side = {.label = label, .model = r->derived.model, .usd_per_gpu_hour = usd};
    struct buf facts;
    struct err e;

    buf_init(&facts, RECIPE_FILE_LIMIT);
    assert_int_equal(compare_facts_write(r, &facts, &e), ERR_OK);
    side.facts = arena_text(&r->arena, facts.data, facts.len);
    assert_non_null(side.facts);
    buf_done(&facts);
    estimate_figures_of(r, &side.figures);
    return side;
}

void comparing_assert_names(const struct comparison *c, enum compare_group group,
                            const char *expected)
{
    struct buf names;

    buf_init(&names, (size_t)64 * 1024);
    for (const struct compare_difference *d = c->groups[group].first; d; d = d->next)
        buf_printf(&names, "%s ", d->name);
    assert_string_equal(buf_text(&names), expected);
    buf_done(&names);
}

void comparing_assert_reasons(const struct comparison *c, const char *const *expected)
{
    size_t i = 0;

    for (; expected[i]; i++) {
        assert_true(i < c->reason_count);
        assert_string_equal(c->reasons[i], expected[i]);
    }
    assert_int_equal(c->reason_count, i);
}

void comparing_make(struct comparing *c, const char *part, const char *by)
{
    static const char path[] = COMPARING_QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml";
    struct err e;

    comparing_load(&c->original, path, NULL, NULL);
    comparing_load(&c->changed, path, part, by);
    c->a = comparing_side("a", &c->original, COMPARING_B200_USD);
    c->b = comparing_side("b", &c->changed, COMPARING_B200_USD);
    assert_int_equal(compare_make(&c->a, &c->b, &c->found, &e), ERR_OK);
}

void comparing_done(struct comparing *c)
{
    compare_done(&c->found);
    recipe_done(&c->original);
    recipe_done(&c->changed);
}
