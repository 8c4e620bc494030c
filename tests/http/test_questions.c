/* The questions of an engineer with a cluster, each answered by one request to the real binary. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <string.h>

#define QWEN  "qwen3.5-397b-a17b/b200"
#define MT16K "attune-tp2-pp8-ep8-vpp2-mt16k"

/* What an answer has at a path: a text, or a number where text is NULL. */
struct answer {
    const char *path;
    const char *text;
    double number;
};

struct question {
    const char *words;
    const char *target;
    struct answer answers[6];
};

static const struct question questions[] = {
    {"What is fastest for my model on my GPU?",
     "/models/" QWEN "?limit=1",
     {{"recipes.0.recipe", MT16K, 0}, {"recipes.0.tokens_per_s_per_gpu", NULL, 1232.53}}},
    {"What is cheapest anywhere?",
     "/recipes?sort=usd_per_million_tokens&limit=1",
     {{"recipes.0.model", "gemma-4-26b-a4b", 0},
      {"recipes.0.gpu", "b200", 0},
      {"recipes.0.recipe", "attune-tp1-pp1-ep8", 0},
      {"recipes.0.usd_per_million_tokens", NULL, 1.05118}}},
    {"What is fastest within 48 GPUs?",
     "/models/" QWEN "?max_gpus=48",
     {{"total", NULL, 1},
      {"recipes.0.rank", NULL, 1},
      {"recipes.0.recipe", "attune-48gpu-tp2-pp6-ep8", 0}}},
    {"What does it cost at my prices?",
     "/models/" QWEN "?price=b200:7.50,h200:3",
     {{"pricing.basis", "custom", 0},
      {"recipes.0.usd_per_million_tokens", NULL, 1.69029},
      {"other_gpus.1.usd_per_million_tokens", NULL, 1.52821}}},
    {"What trains 10 billion tokens within my budget and my deadline?",
     "/plan?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=36000&deadline_hours=48",
     {{"plans.0.recipe", QWEN "/" MT16K, 0},
      {"plans.0.usd", NULL, 32096.6},
      {"plans.0.wall_hours", NULL, 35.2144},
      {"plans.2.binding.0", "budget_usd", 0},
      {"plans.2.change.deadline_hours", NULL, 53.8079}}},
    {"At which price does the other GPU win?",
     "/compare?a=" QWEN "&b=qwen3.5-397b-a17b/h200",
     {{"break_even.a_usd_per_gpu_hour", NULL, 17.8833},
      {"break_even.b_usd_per_gpu_hour", NULL, 6.30082}}},
    {"What differs between these two?",
     "/compare?a=" QWEN "/" MT16K "&b=" QWEN "/attune-tp2-pp8-ep8-vpp2-mt8k",
     {{"differences.flags.0.name", "--max-tokens-per-gpu", 0},
      {"differences.layout.1.name", "rows_per_microbatch", 0},
      {"differences.results.0.name", "tokens_per_s_per_gpu", 0}}},
    {"What was best on a date?",
     "/recipes?as_of=2026-10-19&limit=1",
     {{"total", NULL, 3}, {"recipes.0.recipe", MT16K, 0}, {"recipes.0.measured", "2026-10-18", 0}}},
    {"What was best for my model on my GPU on a date?",
     "/models/" QWEN "?as_of=2026-10-18",
     {{"total", NULL, 3}, {"recipes.0.rank", NULL, 1}, {"recipes.0.recipe", MT16K, 0}}},
    {"How sure is that order?",
     "/models/" QWEN "?fields=recipe,runs&limit=2",
     {{"recipes.0.runs", NULL, 1}, {"recipes.1.rank", NULL, 2}}},
    {"What must I set to run it?",
     "/models/gemma-4-31b/h100/attune-tp2-pp4-split13",
     {{"audit.runnable", "needs_variables", 0},
      {"audit.variables.0", "HF_CKPT", 0},
      {"audit.variables.1", "SFT_DATA", 0}}},
    {"What does it cost to check it myself?",
     "/cost?recipe=" QWEN "/" MT16K "&tokens=10B",
     {{"check.gpu_hours", NULL, 22.49}, {"check.usd", NULL, 320.294}}},
};

static void check_answer(struct http_response *r, const char *words, const struct answer *answer)
{
    if (answer->text ? strcmp(json_text_at(r, answer->path), answer->text) != 0
                     : json_number_value(json_at(r, answer->path)) != answer->number)
        fail_msg("%s %s: %.1000s", words, answer->path, r->body);
}

static void each_question_is_one_request(void **state)
{
    const struct service *service = *state;

    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *question = &questions[i];
        struct http_response r;

        assert_int_equal(http_get(service->port, question->target, NULL, &r), 200);
        for (size_t k = 0; question->answers[k].path; k++)
            check_answer(&r, question->words, &question->answers[k]);
        http_response_done(&r);
    }
}

/* A question whose answer is a text, and what stands in it. */
struct text_question {
    const char *words;
    const char *target;
    const char *type;
    const char *parts[3];
};

static const struct text_question text_questions[] = {
    {"What do I type?",
     "/models/" QWEN "/" MT16K ".sh",
     "text/x-shellscript",
     {"--max-tokens-per-gpu 16384", "--pipeline-model-parallel-size 8"}},
    {"How do I cite it?",
     "/models/" QWEN "/" MT16K ".bib",
     "application/x-bibtex",
     {"@article{fan2026attune"}},
    {"Tell me when it is beaten.",
     "/models/" QWEN ".atom",
     "application/atom+xml",
     {"<category term=\"first_place\"/>",
      "<title>qwen3.5-397b-a17b on b200: " MT16K " takes the first place</title>",
      "tokens_per_s_per_gpu: none -&gt; 1232.53\nusd_per_million_tokens: none -&gt; 3.20966\n"}},
    {"Show me, in my terminal.",
     "/plan.txt?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=36000&deadline_hours=48",
     "text/plain",
     {"1  " QWEN "/" MT16K "    64  32096.6     35.2144  yes       yes       -\n"}},
    {"Give me all of it.",
     "/recipes.ndjson",
     "application/x-ndjson",
     {"\"recipe\":\"attune-tp2-pp4-split13\"", "\"recipe\":\"attune-tp1-pp1-ep8\""}},
};

static void other_answers_are_texts(void **state)
{
    const struct service *service = *state;

    for (size_t i = 0; i < sizeof text_questions / sizeof *text_questions; i++) {
        const struct text_question *question = &text_questions[i];
        const char *type;
        struct http_response r;

        assert_int_equal(http_get(service->port, question->target, NULL, &r), 200);
        type = http_response_header(&r, "Content-Type");
        if (strncmp(type, question->type, strlen(question->type)) != 0)
            fail_msg("%s %s", question->words, type);
        for (size_t k = 0; k < 3 && question->parts[k]; k++)
            if (!strstr(r.body, question->parts[k]))
                fail_msg("%s %s: %.2000s", question->words, question->parts[k], r.body);
        http_response_done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_question_is_one_request),
        cmocka_unit_test(other_answers_are_texts),
    };

    return cmocka_run_group_tests(tests, service_group_setup, service_group_teardown);
}
