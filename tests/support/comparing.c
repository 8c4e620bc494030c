/* Loading, comparing, and what to expect of it. */
#include "tests/support/comparing.h"

#include "base/file.h"
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

struct compare_side comparing_side(const char *label, const struct recipe *r, double usd)
{
    return (struct compare_side){
        .label = label,
        .model = r->derived.model,
        .recipe = r,
        .gpus = r->gpu.count,
        .tokens_per_s_per_gpu = r->result.tokens_per_s_per_gpu,
        .usd_per_gpu_hour = usd,
    };
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
