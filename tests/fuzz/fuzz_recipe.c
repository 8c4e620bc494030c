/* libFuzzer's entry for whole recipe files, judged as import, `openrecipes check` and POST /check
 * do: problems that are lines with a place in the file, or an audit, never neither; and the
 * document that the API serves of a valid recipe is one that is valid again, and serves the same.
 * The corpus is in corpus/recipe. */
#include "base/text.h"
#include "importers/catalog_files.h"
#include "importers/judge.h"
#include "tests/support/fuzzing.h"

#include <jansson.h>

#include <string.h>

/* More than reports and documents of one file take. */
enum { TEXT_LIMIT = 64 * 1024 * 1024 };

/* libFuzzer hands its targets nothing of theirs, so that the catalogue can only be kept here. */
static const struct catalog *get_catalog(void)
{
    static struct catalog catalog;
    struct err e;

    if (catalog.gpus.count == 0) {
        catalog_init(&catalog);
        fuzz_require(catalog_load_embedded(&catalog, &e) == ERR_OK);
    }
    return &catalog;
}

/* Every problem is one line, and in the order of places. */
static void check_report(const struct report *report)
{
    size_t lines = 0;
    size_t problems = report->hidden > 0 ? 1 : 0;
    size_t last_line = 0;
    struct buf text;

    for (const struct problem *p = report->first; p; p = p->next) {
        fuzz_require(p->message[0] && p->line >= last_line && (p->line == 0) == (p->column == 0));
        fuzz_require(text_is_utf8(p->message, strlen(p->message)));
        fuzz_require(text_is_utf8(p->path, strlen(p->path)));
        last_line = p->line;
        problems++;
    }
    buf_init(&text, TEXT_LIMIT);
    report_write_text(report, "-", &text);
    for (const char *c = buf_text(&text); *c; c++) {
        fuzz_require((unsigned char)*c >= 0x20 || *c == '\n');
        lines += *c == '\n';
    }
    fuzz_require(text.status == ERR_OK && lines == problems);
    buf_done(&text);
}

/* The judgement as JSON is JSON. */
static void check_json(const struct judgement *judgement)
{
    struct buf text;
    struct json j;
    json_t *tree;

    buf_init(&text, TEXT_LIMIT);
    json_init(&j, &text);
    json_begin(&j, NULL, '{');
    judgement_write_json(judgement, &j);
    json_end(&j, '}');
    tree = json_loadb(buf_text(&text), text.len, JSON_REJECT_DUPLICATES, NULL);
    fuzz_require(text.status == ERR_OK && tree);
    json_decref(tree);
    buf_done(&text);
}

static void write_document(const struct recipe *r, struct buf *out)
{
    struct json j;

    buf_init(out, TEXT_LIMIT);
    json_init(&j, out);
    recipe_write_document(r, NULL, &j);
    fuzz_require(out->status == ERR_OK);
}

/* JSON is YAML too. */
static void check_document(const struct recipe *r)
{
    struct judgement again;
    struct buf document, same;
    struct err e;

    write_document(r, &document);
    if (document.len <= RECIPE_FILE_LIMIT) {
        fuzz_require(judge_recipe(buf_text(&document), document.len, NULL, get_catalog(), NULL,
                                  &again, &e) == ERR_OK);
        fuzz_require(again.report.errors == 0);
        write_document(&again.recipe, &same);
        fuzz_require(strcmp(buf_text(&document), buf_text(&same)) == 0);
        buf_done(&same);
        judgement_done(&again);
    }
    buf_done(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct judgement judgement;
    struct err e;

    fuzz_require(judge_recipe((const char *)data, size, NULL, get_catalog(), NULL, &judgement,
                              &e) == ERR_OK);
    fuzz_require(judgement.has_audit == (judgement.report.errors == 0));
    check_report(&judgement.report);
    check_json(&judgement);
    if (judgement.has_audit)
        check_document(&judgement.recipe);
    judgement_done(&judgement);
    return 0;
}
