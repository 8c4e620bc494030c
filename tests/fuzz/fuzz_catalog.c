/* libFuzzer's entry for the catalogue's files: GPUs, prices, authors and models. A file with
 * problems changes nothing; one without is found in the catalogue; whatever was read, each question
 * to the catalogue has an answer. The corpus is in corpus/catalog: a path, then the file. */
#include "importers/catalog_files.h"
#include "tests/support/fuzzing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than the report of one file takes. */
enum { TEXT_LIMIT = 16 * 1024 * 1024 };

static const char gpus[] = "gpus:\n"
                           "  - slug: h100\n"
                           "    name: H100\n"
                           "    aliases: [h100-sxm]\n"
                           "    memory_gb: 80\n"
                           "    peak_bf16_flops: 989400000000000\n"
                           "    source: https://example.org/\n"
                           "    source_date: \"2026-10-20\"\n";

static void count_rows(const struct catalog *c, size_t out[4])
{
    out[0] = c->gpus.count;
    out[1] = c->prices.count;
    out[2] = c->models.count;
    out[3] = c->authors.count;
}

static void check_report(const struct report *report)
{
    struct buf text;
    size_t lines = 0;
    size_t problems = report->hidden > 0 ? 1 : 0;

    buf_init(&text, TEXT_LIMIT);
    report_write_text(report, "-", &text);
    for (const char *c = buf_text(&text); *c; c++)
        lines += *c == '\n';
    for (const struct problem *p = report->first; p; p = p->next) {
        fuzz_require(p->message[0] != '\0');
        problems++;
    }
    fuzz_require(text.status == ERR_OK && lines == problems);
    buf_done(&text);
}

static void check_gpus(const struct catalog *c)
{
    const struct gpu *rows = c->gpus.items;

    for (size_t i = 0; i < c->gpus.count; i++) {
        const struct price *price = catalog_price(c, rows[i].slug);

        fuzz_require(catalog_gpu(c, rows[i].slug) && catalog_gpu(c, rows[i].name));
        fuzz_require(rows[i].memory_gb > 0 && rows[i].peak_bf16_flops > 0);
        fuzz_require(!price || strcmp(price->gpu, rows[i].slug) == 0);
        fuzz_require((catalog_price_on(c, rows[i].slug, "2026-10-20") != NULL) == (price != NULL));
        fuzz_require(catalog_price_of(c, rows[i].slug, NULL, NULL) == price);
    }
}

static void check_rows(const struct catalog *c)
{
    const struct price *prices = c->prices.items;
    const struct model *models = c->models.items;
    const struct author *authors = c->authors.items;

    for (size_t i = 0; i < c->prices.count; i++) {
        fuzz_require(isfinite(prices[i].usd_per_hour) && prices[i].usd_per_hour > 0);
        fuzz_require(prices[i].gpus >= 1);
        fuzz_require(catalog_price_of(c, prices[i].gpu, prices[i].purchase, prices[i].provider));
    }
    for (size_t i = 0; i < c->models.count; i++)
        fuzz_require(catalog_model(c, models[i].slug) != NULL);
    for (size_t i = 0; i < c->authors.count; i++)
        fuzz_require(catalog_author(c, authors[i].name) != NULL);
}

static void read(struct catalog *c, const char *path, const char *bytes, size_t len)
{
    struct report report;
    size_t before[4], after[4];
    struct err e;

    report_init(&report);
    count_rows(c, before);
    fuzz_require(catalog_file_read(c, path, bytes, len, &report, &e) == ERR_OK);
    count_rows(c, after);
    fuzz_require(report.errors == 0 || memcmp(before, after, sizeof after) == 0);
    report_sort(&report);
    check_report(&report);
    report_done(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *path = fuzz_next_line(&at);
    enum catalog_file which;
    struct catalog catalog;
    struct report report;

    catalog_init(&catalog);
    read(&catalog, "catalog/gpus.yaml", gpus, sizeof gpus - 1);
    fuzz_require(catalog.gpus.count == 1);
    if (catalog_path_kind(path, &which) == CATALOG_PATH_FILE)
        read(&catalog, path, at, size - (size_t)(at - text));
    report_init(&report);
    catalog_check(&catalog, &report);
    check_report(&report);
    if (report.errors == 0)
        check_gpus(&catalog);
    check_rows(&catalog);
    report_done(&report);
    catalog_done(&catalog);
    free(text);
    return 0;
}
