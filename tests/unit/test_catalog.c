/* The catalogue: the project's own files, looking things up, and what contradicts itself. */
#include "core/catalog.h"

#include "base/mem.h"
#include "tests/support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static void read_file(struct catalog *c, enum catalog_file which, const char *stem,
                      const char *path)
{
    struct reading r;
    struct err e = {0};

    reading_file(&r, path);
    assert_int_equal(catalog_read(c, which, stem, r.root, &r.report, &e), ERR_OK);
    assert_string_equal(reading_problems(&r), "");
    reading_done(&r);
}

/* Read YAML text as one of the files; the report must be what is expected. */
static void read_yaml(struct catalog *c, enum catalog_file which, const char *stem,
                      const char *yaml, const char *expected)
{
    struct reading r;
    struct err e = {0};

    reading_text(&r, yaml);
    assert_int_equal(catalog_read(c, which, stem, r.root, &r.report, &e), ERR_OK);
    assert_string_equal(reading_problems(&r), expected);
    reading_done(&r);
}

static void assert_check(const struct catalog *c, const char *expected)
{
    struct report report;
    struct buf text;
    struct err e = {0};

    report_init(&report);
    buf_init(&text, 64 * 1024);
    catalog_check(c, &report);
    report_write_text(&report, "f", &text);
    assert_int_equal(buf_check(&text, &e), ERR_OK);
    assert_string_equal(buf_text(&text), expected);
    buf_done(&text);
    report_done(&report);
}

/* The project's catalogue. */
static void read_all(struct catalog *c)
{
    catalog_init(c);
    read_file(c, CATALOG_GPUS, NULL, "catalog/gpus.yaml");
    read_file(c, CATALOG_PRICES, NULL, "catalog/prices.yaml");
    read_file(c, CATALOG_AUTHORS, NULL, "catalog/authors.yaml");
    read_file(c, CATALOG_MODEL, "gemma-4-26b-a4b", "catalog/models/gemma-4-26b-a4b.yaml");
    read_file(c, CATALOG_MODEL, "gemma-4-31b", "catalog/models/gemma-4-31b.yaml");
    read_file(c, CATALOG_MODEL, "qwen3.5-397b-a17b", "catalog/models/qwen3.5-397b-a17b.yaml");
}

static void the_projects_catalogue_is_without_problems(void **state)
{
    struct catalog c;

    (void)state;
    read_all(&c);
    assert_check(&c, "");
    assert_int_equal(c.gpus.count, 3);
    assert_int_equal(c.prices.count, 3);
    assert_int_equal(c.authors.count, 1);
    assert_int_equal(c.models.count, 3);
    catalog_done(&c);
}

static void gpus_have_the_constants_of_the_formulas(void **state)
{
    static const struct {
        const char *slug;
        int64_t memory_gb;
        int64_t peak;
        double usd_per_hour;
    } expected[] = {{"h100", 80, 989000000000000, 55.04},
                    {"h200", 141, 989000000000000, 63.296},
                    {"b200", 180, 2250000000000000, 113.9328}};
    struct catalog c;

    (void)state;
    read_all(&c);
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const struct gpu *gpu = (const struct gpu *)c.gpus.items + i;
        const struct price *price = catalog_price(&c, expected[i].slug);

        assert_string_equal(gpu->slug, expected[i].slug);
        assert_true(gpu->memory_gb == expected[i].memory_gb);
        assert_true(gpu->peak_bf16_flops == expected[i].peak);
        assert_non_null(price);
        assert_true(price->usd_per_hour == expected[i].usd_per_hour);
        assert_true(price->gpus == 8);
        assert_string_equal(price->region, "us-east-1");
        assert_string_equal(price->as_of, "2026-10-20");
    }
    assert_null(catalog_price(&c, "H100"));
    assert_null(catalog_price(&c, "a100"));
    catalog_done(&c);
}

static void gpus_are_found_by_any_of_their_names(void **state)
{
    struct catalog c;
    const struct gpu *gpus;

    (void)state;
    read_all(&c);
    gpus = c.gpus.items;
    assert_ptr_equal(catalog_gpu(&c, "h100"), gpus);
    assert_ptr_equal(catalog_gpu(&c, "H100"), gpus);
    assert_ptr_equal(catalog_gpu(&c, "H200-141GB"), gpus + 1);
    assert_ptr_equal(catalog_gpu(&c, "b200-180gb"), gpus + 2);
    assert_null(catalog_gpu(&c, "h10"));
    assert_null(catalog_gpu(&c, "h1000"));
    assert_null(catalog_gpu(&c, "h100-"));
    assert_null(catalog_gpu(&c, ""));
    catalog_done(&c);
}

static void models_have_facts_and_published_figures(void **state)
{
    struct catalog c;
    const struct model *qwen;
    const struct model *gemma;
    const struct published *figures;

    (void)state;
    read_all(&c);
    qwen = catalog_model(&c, "QWEN3.5-397b-a17b");
    assert_non_null(qwen);
    assert_string_equal(qwen->name, "Qwen3.5-397B-A17B");
    assert_string_equal(qwen->family, "Qwen");
    assert_true(qwen->total_params == 403397928944);
    assert_int_equal(qwen->published.count, 2);
    figures = qwen->published.items;
    assert_string_equal(figures[1].gpu, "h200");
    assert_true(figures[1].gpus == 128 && figures[1].tokens_per_s_per_gpu == 545.3);
    assert_true(figures[1].usd_per_million_tokens == 4.03);
    gemma = catalog_model(&c, "gemma-4-26b-a4b");
    assert_string_equal(gemma->hub_revision, "4d7ae4984b7db7de8f8457170b3f1a419ee76d52");
    assert_memory_equal(gemma->notes, "- Weights: the BF16 checkpoint `google/gemma-4-26B-A4B-it`",
                        58);
    assert_null(catalog_model(&c, "gemma-4-31b")->notes);
    assert_null(catalog_model(&c, "gemma"));
    catalog_done(&c);
}

static void authors_have_a_citation(void **state)
{
    struct catalog c;
    const struct author *author;

    (void)state;
    read_all(&c);
    author = catalog_author(&c, "ATTUNE");
    assert_non_null(author);
    assert_string_equal(author->url, "https://arxiv.org/abs/2610.17528");
    assert_memory_equal(author->bibtex, "@article{fan2026attune,\n  title   = {{ATTUNE:", 44);
    assert_null(catalog_author(&c, "Attune"));
    catalog_done(&c);
}

static void items_are_written_by_their_own_tables(void **state)
{
    struct catalog c;
    struct buf out;
    struct json j;

    (void)state;
    read_all(&c);
    buf_init(&out, 64 * 1024);
    json_init(&j, &out);
    field_write_json(&price_fields, c.prices.items, NULL, &j);
    assert_string_equal(
        buf_text(&out),
        "{\"gpu\":\"h100\",\"provider\":\"AWS\",\"instance\":\"p5.48xlarge\","
        "\"region\":\"us-east-1\",\"purchase\":\"on_demand\",\"usd_per_hour\":55.04,"
        "\"gpus\":8,\"as_of\":\"2026-10-20\",\"source\":\"AWS EC2 on-demand price "
        "list, Linux\"}");
    buf_done(&out);
    catalog_done(&c);
}

static const char two_gpus[] =
    "gpus:\n"
    "- {slug: a, name: A, aliases: [a-1], memory_gb: 1, peak_bf16_flops: 1, source: s, "
    "source_date: 2026-01-01}\n"
    "- {slug: b, name: B, aliases: [], memory_gb: 1, peak_bf16_flops: 1, source: s, "
    "source_date: 2026-01-01}\n";

static void problems_of_a_file_have_their_places(void **state)
{
    struct catalog c;

    (void)state;
    catalog_init(&c);
    read_yaml(&c, CATALOG_GPUS, NULL, two_gpus, "");
    read_yaml(
        &c, CATALOG_GPUS, NULL,
        "gpus:\n"
        "- slug: A\n"
        "  name: A\n"
        "  aliases: [a, 'B']\n"
        "  memory_gb: 0\n"
        "  peak_bf16_flops: 989e12\n"
        "  source: s\n"
        "  source_dat: 2026-01-01\n"
        "price: 1\n",
        "f:2:3: error: gpus[0].source_date: the key is missing\n"
        "f:2:9: error: gpus[0].slug: A is not a slug: lower-case letters, digits, dots and "
        "hyphens, not ending like a format\n"
        "f:4:16: error: gpus[0].aliases[1]: B is not a slug: lower-case letters, digits, dots "
        "and hyphens, not ending like a format\n"
        "f:5:14: error: gpus[0].memory_gb: 0 is below 1\n"
        "f:6:20: error: gpus[0].peak_bf16_flops: 989e12 is not a whole number\n"
        "f:8:3: error: gpus[0].source_dat: unknown key; did you mean source_date?\n"
        "f:9:1: error: price: unknown key\n");
    /* A file with problems changes nothing. */
    assert_int_equal(c.gpus.count, 2);
    assert_check(&c, "");
    catalog_done(&c);
}

static void prices_are_positive_and_of_a_known_purchase(void **state)
{
    struct catalog c;

    (void)state;
    catalog_init(&c);
    read_yaml(&c, CATALOG_PRICES, NULL,
              "prices:\n"
              "- {gpu: a, provider: p, instance: i, region: r, purchase: ondemand, "
              "usd_per_hour: 0, gpus: 0, as_of: today, source: s}\n",
              "f:2:59: error: prices[0].purchase: ondemand is none of on_demand, reserved, spot; "
              "did you mean on_demand?\n"
              "f:2:83: error: prices[0].usd_per_hour: 0 is not above 0\n"
              "f:2:92: error: prices[0].gpus: 0 is below 1\n"
              "f:2:102: error: prices[0].as_of: today is not a date (YYYY-MM-DD)\n");
    assert_int_equal(c.prices.count, 0);
    catalog_done(&c);
}

static void the_list_price_is_the_first_on_demand_one(void **state)
{
    struct catalog c;

    (void)state;
    catalog_init(&c);
    read_yaml(&c, CATALOG_PRICES, NULL,
              "prices:\n"
              "- {gpu: a, provider: p, instance: i, region: r, purchase: spot, usd_per_hour: 1, "
              "gpus: 8, as_of: 2026-01-01, source: s}\n"
              "- {gpu: a, provider: p, instance: i, region: r, purchase: on_demand, "
              "usd_per_hour: 3, gpus: 8, as_of: 2026-01-01, source: s}\n"
              "- {gpu: a, provider: q, instance: i, region: r, purchase: on_demand, "
              "usd_per_hour: 2, gpus: 8, as_of: 2026-01-01, source: s}\n"
              "- {gpu: b, provider: q, instance: i, region: r, purchase: reserved, "
              "usd_per_hour: 2, gpus: 8, as_of: 2026-01-01, source: s}\n",
              "");
    assert_true(catalog_price(&c, "a")->usd_per_hour == 3);
    assert_null(catalog_price(&c, "b"));
    catalog_done(&c);
}

static void a_stated_cost_is_judged_at_the_price_of_its_day(void **state)
{
    static const struct {
        const char *day;
        double usd_per_hour;
    } expected[] = {{"2026-11-30", 5}, {"2026-11-01", 5}, {"2026-10-31", 3},
                    {"2026-01-01", 3}, {"2025-12-31", 3}, {NULL, 5}};
    struct catalog c;

    (void)state;
    catalog_init(&c);
    read_yaml(&c, CATALOG_PRICES, NULL,
              "prices:\n"
              "- {gpu: a, provider: p, instance: i, region: r, purchase: spot, usd_per_hour: 1, "
              "gpus: 8, as_of: 2025-01-01, source: s}\n"
              "- {gpu: a, provider: p, instance: i, region: r, purchase: on_demand, "
              "usd_per_hour: 5, gpus: 8, as_of: 2026-11-01, source: s}\n"
              "- {gpu: a, provider: p, instance: i, region: r, purchase: on_demand, "
              "usd_per_hour: 3, gpus: 8, as_of: 2026-01-01, source: s}\n"
              "- {gpu: a, provider: q, instance: i, region: r, purchase: on_demand, "
              "usd_per_hour: 2, gpus: 8, as_of: 2026-02-01, source: s}\n",
              "");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(catalog_price_on(&c, "a", expected[i].day)->usd_per_hour ==
                    expected[i].usd_per_hour);
    assert_null(catalog_price_on(&c, "b", "2026-11-30"));
    catalog_done(&c);
}

static void names_stand_once_and_references_are_known(void **state)
{
    struct catalog c;

    (void)state;
    catalog_init(&c);
    read_yaml(&c, CATALOG_PRICES, NULL,
              "prices:\n"
              "- {gpu: c, provider: p, instance: i, region: r, purchase: spot, usd_per_hour: 1, "
              "gpus: 8, as_of: 2026-01-01, source: s}\n"
              "- {gpu: a-1, provider: p, instance: i, region: r, purchase: spot, usd_per_hour: 1, "
              "gpus: 8, as_of: 2026-01-01, source: s}\n"
              "- {gpu: a-1, provider: p, instance: i, region: r, purchase: spot, usd_per_hour: 2, "
              "gpus: 4, as_of: 2026-01-01, source: t}\n"
              "- {gpu: a, provider: p, instance: i, region: r, purchase: spot, usd_per_hour: 2, "
              "gpus: 4, as_of: 2026-01-01, source: t}\n",
              "");
    read_yaml(&c, CATALOG_AUTHORS, NULL,
              "authors:\n"
              "- {name: X, url: 'https://x.org', citation: c, bibtex: b}\n"
              "- {name: X, url: 'https://y.org', citation: c, bibtex: b}\n",
              "");
    read_yaml(&c, CATALOG_MODEL, "m",
              "{slug: m, name: M, family: F, hub_repository: null, hub_revision: null, "
              "total_params: null, total_params_source: null, notes: null, published: ["
              "{gpu: d, gpus: 1, tokens_per_s_per_gpu: 1, usd_per_million_tokens: null, source: s, "
              "date: 2026-01-01}, "
              "{gpu: d, gpus: 2, tokens_per_s_per_gpu: 1, usd_per_million_tokens: null, source: s, "
              "date: 2026-01-01}]}",
              "");
    read_yaml(&c, CATALOG_MODEL, "n",
              "{slug: n, name: m, family: F, hub_repository: a/b, hub_revision: null, "
              "total_params: 1, total_params_source: null, notes: null, published: []}",
              "");
    /* As long as no GPU is known, nothing can be said of references to them. */
    assert_check(&c, "f: error: prices[2]: prices[1] is of the same instance and day\n"
                     "f: error: models[m].published[1].gpu: d stands twice\n"
                     "f: error: models[n].name: m means m already\n"
                     "f: error: authors[1].name: X stands twice\n");
    read_yaml(
        &c, CATALOG_GPUS, NULL,
        "gpus:\n"
        "- {slug: a, name: A, aliases: [a-1, b], memory_gb: 1, peak_bf16_flops: 1, source: s, "
        "source_date: 2026-01-01}\n"
        "- {slug: b, name: A, aliases: [A-1x], memory_gb: 1, peak_bf16_flops: 1, source: s, "
        "source_date: 2026-01-01}\n",
        "f:3:32: error: gpus[1].aliases[0]: A-1x is not a slug: lower-case letters, digits, "
        "dots and hyphens, not ending like a format\n");
    read_yaml(
        &c, CATALOG_GPUS, NULL,
        "gpus:\n"
        "- {slug: a, name: A, aliases: [a-1, b], memory_gb: 1, peak_bf16_flops: 1, source: s, "
        "source_date: 2026-01-01}\n"
        "- {slug: b, name: A, aliases: [a-1], memory_gb: 1, peak_bf16_flops: 1, source: s, "
        "source_date: 2026-01-01}\n",
        "");
    assert_check(&c, "f: error: gpus[1].slug: b means a already\n"
                     "f: error: gpus[1].name: A means a already\n"
                     "f: error: gpus[1].aliases: a-1 means a already\n"
                     "f: error: prices[0].gpu: no GPU of the catalogue is called c\n"
                     "f: error: prices[1].gpu: a-1 is another name of a: use the slug\n"
                     "f: error: prices[2].gpu: a-1 is another name of a: use the slug\n"
                     "f: error: prices[2]: prices[1] is of the same instance and day\n"
                     "f: error: models[m].published[0].gpu: no GPU of the catalogue is called d\n"
                     "f: error: models[m].published[1].gpu: no GPU of the catalogue is called d\n"
                     "f: error: models[m].published[1].gpu: d stands twice\n"
                     "f: error: models[n].name: m means m already\n"
                     "f: error: authors[1].name: X stands twice\n");
    catalog_done(&c);
}

static void a_models_file_has_its_slug_and_replaces_it(void **state)
{
    static const char old[] = "{slug: m, name: M, family: Old, hub_repository: null, "
                              "hub_revision: null, total_params: null, total_params_source: null, "
                              "notes: null, published: []}";
    static const char new[] = "{slug: m, name: M, family: New, hub_repository: null, "
                              "hub_revision: null, total_params: null, total_params_source: null, "
                              "notes: null, published: []}";
    struct catalog c;

    (void)state;
    catalog_init(&c);
    read_yaml(&c, CATALOG_MODEL, "m", old, "");
    read_yaml(&c, CATALOG_MODEL, "x", new, "f:1:8: error: slug: m is not the file's name, x\n");
    assert_string_equal(catalog_model(&c, "m")->family, "Old");
    read_yaml(&c, CATALOG_MODEL, "m", new, "");
    assert_int_equal(c.models.count, 1);
    assert_string_equal(catalog_model(&c, "m")->family, "New");
    catalog_done(&c);
}

static void short_memory_is_an_error(void **state)
{
    enum err_code rc = ERR_NOMEM;
    struct reading r;
    size_t limit = 0;

    (void)state;
    reading_file(&r, "catalog/models/qwen3.5-397b-a17b.yaml");
    while (rc != ERR_OK) {
        struct catalog c;
        struct err e = {0};

        catalog_init(&c);
        c.arena.limit = limit;
        rc = catalog_read(&c, CATALOG_MODEL, "qwen3.5-397b-a17b", r.root, &r.report, &e);
        assert_int_equal(e.code, rc);
        assert_int_equal(c.models.count, rc == ERR_OK ? 1 : 0);
        catalog_done(&c);
        limit += 16;
        assert_true(limit < 64 * 1024);
    }
    assert_true(limit > 800);
    reading_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_projects_catalogue_is_without_problems),
        cmocka_unit_test(gpus_have_the_constants_of_the_formulas),
        cmocka_unit_test(gpus_are_found_by_any_of_their_names),
        cmocka_unit_test(models_have_facts_and_published_figures),
        cmocka_unit_test(authors_have_a_citation),
        cmocka_unit_test(items_are_written_by_their_own_tables),
        cmocka_unit_test(problems_of_a_file_have_their_places),
        cmocka_unit_test(prices_are_positive_and_of_a_known_purchase),
        cmocka_unit_test(the_list_price_is_the_first_on_demand_one),
        cmocka_unit_test(a_stated_cost_is_judged_at_the_price_of_its_day),
        cmocka_unit_test(names_stand_once_and_references_are_known),
        cmocka_unit_test(a_models_file_has_its_slug_and_replaces_it),
        cmocka_unit_test(short_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
