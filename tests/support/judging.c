/* Reads, edits and judges; every failure fails the test that runs. */
#include "tests/support/judging.h"

#include "base/file.h"
#include "importers/catalog_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Larger than any of the files, edits and reports. */
static const size_t file_bytes = (size_t)2 * 1024 * 1024;

void judging_init(struct judging *j, const char *path)
{
    char *bytes = NULL;
    size_t len = 0;
    struct err e;

    *j = (struct judging){.path = path};
    buf_init(&j->text, file_bytes);
    buf_init(&j->problems, file_bytes);
    catalog_init(&j->catalog);
    assert_int_equal(catalog_load_folder(&j->catalog, "catalog", &e), ERR_OK);
    assert_int_equal(file_read(path, file_bytes, &bytes, &len, &e), ERR_OK);
    buf_add(&j->text, bytes, len);
    free(bytes);
}

void judging_done(struct judging *j)
{
    judgement_done(&j->judgement);
    catalog_done(&j->catalog);
    buf_done(&j->problems);
    buf_done(&j->text);
}

void judging_edit(struct judging *j, const char *from, const char *to)
{
    const char *text = buf_text(&j->text);
    const char *found = strstr(text, from);
    struct buf edited;

    assert_non_null(found);
    buf_init(&edited, j->text.limit);
    buf_add(&edited, text, (size_t)(found - text));
    buf_puts(&edited, to);
    buf_puts(&edited, found + strlen(from));
    buf_done(&j->text);
    j->text = edited;
}

void judging_run(struct judging *j)
{
    struct err e;

    assert_int_equal(j->text.status, ERR_OK);
    assert_int_equal(judge_recipe(buf_text(&j->text), j->text.len, j->path, &j->catalog, NULL,
                                  &j->judgement, &e),
                     ERR_OK);
}

const char *judging_problems(struct judging *j)
{
    buf_reset(&j->problems);
    report_write_text(&j->judgement.report, "f", &j->problems);
    return buf_text(&j->problems);
}

void judging_audit(const struct judging *j, struct audit *out)
{
    struct err e;

    assert_int_equal(audit_make(&j->judgement.recipe, &j->catalog, j->confirmation, out, &e),
                     ERR_OK);
}

static void assert_text(const char *text, const char *expected)
{
    if (expected) {
        assert_non_null(text);
        assert_string_equal(text, expected);
    } else {
        assert_null(text);
    }
}

void judging_assert_row(const struct audit *a, enum audit_check check, enum audit_result result,
                        const char *found, const char *expected)
{
    assert_text(a->rows[check].found, found);
    assert_text(a->rows[check].expected, expected);
    assert_int_equal(a->rows[check].result, result);
}

void judging_assert_changes(const struct judging_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct judging_change *c = &changes[i];
        struct judging j;

        judging_init(&j, c->file);
        judging_edit(&j, c->from, c->to);
        judging_run(&j);
        assert_true(j.judgement.has_audit);
        judging_assert_row(&j.judgement.audit, c->check, c->result, c->found, c->expected);
        judging_done(&j);
    }
}
