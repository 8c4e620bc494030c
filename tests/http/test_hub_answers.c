/* The client of the hub against answers that are malformed, or contradict another: none of them
 * ever becomes a count. */
#include "base/mem.h"
#include "tests/support/hub_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Expand to faults, so that a row of a table of them shows only what is its own: a part of the
 * hub's body replaced; a whole body; a part of a header of weights replaced. A function could not
 * be used in a constant. */
#define EDIT(at, old, new)                                                                         \
    {                                                                                              \
        .port = LOOPBACK_HUB, .path = at, .kind = LOOPBACK_EDIT, .from = old, .body = new          \
    }
#define BODY(at, text)                                                                             \
    {                                                                                              \
        .port = LOOPBACK_HUB, .path = at, .kind = LOOPBACK_REPLY, .status = 200, .body = text      \
    }
#define EDIT_WEIGHTS(old, new)                                                                     \
    {                                                                                              \
        .port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_EDIT, .from = old, .body = new     \
    }

struct answer_row {
    struct loopback_fault fault;
    enum hub_outcome outcome;
    const char *reason;
};

static void assert_rows(void **state, enum hub_model_id id, const struct answer_row *rows,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        hub_trial_assert(*state, id, "", &rows[i].fault, rows[i].outcome, rows[i].reason);
}

static void refuses_metadata_that_are_wrong(void **state)
{
    static const struct answer_row rows[] = {
        {EDIT("/api/models", "\"sha\":\"2", "\"sha\":\"3"), HUB_UNREACHABLE,
         "metadata: the answer is for revision 3222222222222222222222222222222222222222"},
        {EDIT("/api/models", "\"sha\":\"2", "\"sha\":\""), HUB_UNREACHABLE,
         "metadata: sha: 40 hexadecimal digits are needed"},
        {EDIT("/api/models", "\"sha\"", "\"SHA\""), HUB_UNREACHABLE,
         "metadata: sha: a text is needed, not nothing"},
        {EDIT("/api/models", "-3.2-1B", "-4-1B"), HUB_NOT_FOUND,
         "the repository is now named meta-llama/Llama-4-1B"},
        {EDIT("/api/models", "\"disabled\":false", "\"disabled\":true"), HUB_NOT_FOUND,
         "the repository is disabled"},
        {EDIT("/api/models", "\"disabled\":false", "\"disabled\":0"), HUB_UNREACHABLE,
         "metadata: disabled: true or false is needed, not a whole number"},
        {EDIT("/api/models", "\"gated\":false", "\"gated\":true"), HUB_UNREACHABLE,
         "metadata: gated: false, \"auto\" or \"manual\" is needed"},
        {EDIT("/api/models", "\"gated\":false", "\"gated\":[]"), HUB_UNREACHABLE,
         "metadata: gated: a text is needed, not a list"},
        {EDIT("/api/models", "1235814400", "1235814400.0"), HUB_UNREACHABLE,
         "metadata: safetensors.total: a whole number is needed, not a real number"},
        {EDIT("/api/models", "1235814400", "\"1235814400\""), HUB_UNREACHABLE,
         "metadata: safetensors.total: a whole number is needed, not a text"},
        {EDIT("/api/models", "{\"total\":1235814400}", "7"), HUB_UNREACHABLE,
         "metadata: safetensors: an object is needed"},
        {EDIT("/api/models", "\"gated\":false", "\"sha\":\"\""), HUB_UNREACHABLE,
         "metadata: not valid JSON: line 1, column 86: duplicate object key near '\"sha\"'"},
        {BODY("/api/models", "<!DOCTYPE html><html>Log in</html>"), HUB_UNREACHABLE,
         "metadata: not valid JSON: line 1, column 1: '[' or '{' expected near '<'"},
        {BODY("/api/models", ""), HUB_UNREACHABLE,
         "metadata: not valid JSON: line 1, column 0: '[' or '{' expected near end of file"},
        {BODY("/api/models", "{\"id\":1\x7f}"), HUB_UNREACHABLE,
         "metadata: not valid JSON: line 1, column 8: '}' expected near '?'"},
    };

    assert_rows(state, HUB_MODEL_SMALL, rows, COUNT_OF(rows));
}

static void refuses_configs_that_are_wrong(void **state)
{
    static const struct answer_row rows[] = {
        {EDIT("/config.json", "num_hidden_layers", "n_layer"), HUB_UNCONFIRMABLE,
         "config.json: no num_hidden_layers: the architecture is not known"},
        {EDIT("/config.json", ":30", ":\"30\""), HUB_UNREACHABLE,
         "config.json: num_hidden_layers: a whole number is needed, not a text"},
        {EDIT("/config.json", "\"num_experts\":128", "\"num_experts\":null"), HUB_UNCONFIRMABLE,
         "model.language_model.layers.29.experts.down_proj is a routed expert, and the config has "
         "no number of experts"},
        {EDIT("/config.json", ":128", ":64"), HUB_UNCONFIRMABLE,
         "model.language_model.layers.29.experts.down_proj holds 128 experts, and the config has "
         "64"},
        {EDIT("/config.json", "top_k_experts", "num_experts"), HUB_UNREACHABLE,
         "config.json: not valid JSON: line 1, column 92: duplicate object key near "
         "'\"num_experts\"'"},
    };

    assert_rows(state, HUB_MODEL_GEMMA_4_26B_A4B, rows, COUNT_OF(rows));
}

/* Expands to a path that faults of the index share. */
#define INDEX "/model.safetensors.index.json"

static void refuses_indexes_that_are_wrong(void **state)
{
    static const struct answer_row rows[] = {
        {BODY(INDEX, "{\"weight_map\":[]}"), HUB_UNREACHABLE,
         "model.safetensors.index.json: weight_map: an object is needed, not a list"},
        {BODY(INDEX, "{\"weight_map\":{}}"), HUB_UNREACHABLE,
         "model.safetensors.index.json: weight_map: it is empty"},
        {BODY(INDEX, "{\"weight_map\":{\"a\":7}}"), HUB_UNREACHABLE,
         "model.safetensors.index.json: weight_map: a text is needed, not a whole number"},
        {BODY(INDEX, "{\"weight_map\":{\"a\":\"../x.safetensors\"}}"), HUB_UNREACHABLE,
         "model.safetensors.index.json: weight_map: ../x.safetensors is no safetensors file at "
         "the root"},
        {BODY(INDEX, "{\"weight_map\":{\"a\":\"model.bin\"}}"), HUB_UNREACHABLE,
         "model.safetensors.index.json: weight_map: model.bin is no safetensors file at the root"},
        {BODY(INDEX, "{\"weight_map\":{\"a\":\"no.safetensors\"}}"), HUB_UNCONFIRMABLE,
         "no.safetensors: there is no such file"},
        {EDIT(INDEX, "\"model.language_model.norm.weight\"", "\"model.norm.weight\""),
         HUB_UNREACHABLE,
         "model-00001-of-00002.safetensors: the index does not have "
         "model.language_model.norm.weight in this file"},
        {EDIT(INDEX, "\"model.language_model.norm.weight\"",
              "\"more\":\"model-00001-of-00002.safetensors\","
              "\"model.language_model.norm.weight\""),
         HUB_UNREACHABLE,
         "model-00001-of-00002.safetensors: the index has 994 tensors in this file, its header "
         "993"},
        {EDIT(INDEX, "model-00001", "model-00002"), HUB_UNREACHABLE,
         "model-00002-of-00002.safetensors: the index has 21 tensors in this file, its header 20"},
    };

    assert_rows(state, HUB_MODEL_GEMMA_4_26B_A4B, rows, COUNT_OF(rows));
}

static void refuses_headers_that_are_wrong(void **state)
{
    static const struct answer_row rows[] = {
        {EDIT_WEIGHTS("BF16", "I16"), HUB_UNCONFIRMABLE,
         "model.embed_tokens.weight is stored as I16: its shape may not be its count"},
        {EDIT_WEIGHTS("embed_tokens", "embed_tokenz"), HUB_UNCONFIRMABLE,
         "neither lm_head nor embed_tokens was found"},
        {EDIT_WEIGHTS("BF16", "F32"), HUB_UNREACHABLE,
         "model.safetensors: model.embed_tokens.weight: its shape has 262668288 elements of 32 "
         "bits, its offsets 525336576 bytes"},
        {EDIT_WEIGHTS("128256", "128256.0"), HUB_UNREACHABLE,
         "model.safetensors: model.embed_tokens.weight: shape: a whole number is needed, not a "
         "real number"},
        {EDIT_WEIGHTS("128256", "\"128256\""), HUB_UNREACHABLE,
         "model.safetensors: model.embed_tokens.weight: shape: a whole number is needed, not a "
         "text"},
        {EDIT_WEIGHTS("128256", "99999999999999999999"), HUB_UNREACHABLE,
         "model.safetensors: not valid JSON: line 1, column 105: too big integer near "
         "'99999999999999999999'"},
        {EDIT_WEIGHTS("layers.0.input_layernorm", "embed_tokens"), HUB_UNREACHABLE,
         "model.safetensors: not valid JSON: line 1, column 155: duplicate object key"},
        {{.port = LOOPBACK_STORAGE,
          .path = "/",
          .kind = LOOPBACK_REPLY,
          .status = 206,
          .body = "<!DOCTYPE html>",
          .headers = "Content-Range: bytes 0-14/15\r\n"},
         HUB_UNREACHABLE,
         "model.safetensors: the hub has 2471645608 bytes of it, the storage 15"},
        {{.port = LOOPBACK_HUB,
          .path = "/model.safetensors",
          .skip = 1,
          .kind = LOOPBACK_REPLY,
          .status = 200,
          .body = "<!DOCTYPE html>"},
         HUB_UNREACHABLE,
         "model.safetensors: a header of 5789751444030890300 bytes is longer than 25000000"},
        {{.port = LOOPBACK_HUB,
          .path = "/model.safetensors",
          .skip = 1,
          .kind = LOOPBACK_REPLY,
          .status = 200,
          .body = "short"},
         HUB_UNREACHABLE,
         "model.safetensors: only 5 bytes"},
    };

    assert_rows(state, HUB_MODEL_SMALL, rows, COUNT_OF(rows));
}

/* Expand to faults in the same way: a Content-Range of the storage, and headers of a redirect. */
#define RANGE(text)                                                                                \
    {                                                                                              \
        .port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_EDIT,                              \
        .headers = "Content-Range: " text "\r\n"                                                   \
    }
#define REDIRECT(lines)                                                                            \
    {                                                                                              \
        .port = LOOPBACK_HUB, .path = "/resolve/", .kind = LOOPBACK_EDIT, .headers = lines         \
    }

static void refuses_sizes_and_revisions_that_lie(void **state)
{
    static const char other_range[] = "model.safetensors: another range than was asked for";
    static const char no_range[] = "model.safetensors: status 206 without a proper Content-Range";
    static const struct answer_row rows[] = {
        {RANGE("bytes 0-100000/2471645607"), HUB_UNREACHABLE,
         "model.safetensors: the hub has 2471645608 bytes of it, the storage 2471645607"},
        {RANGE("bytes 1-100001/2471645608"), HUB_UNREACHABLE, other_range},
        {RANGE("bytes 0-99999/2471645608"), HUB_UNREACHABLE, other_range},
        {RANGE("bytes 0-100000/*"), HUB_UNREACHABLE, no_range},
        {RANGE("bytes 0-100000"), HUB_UNREACHABLE, no_range},
        {RANGE("items 0-100000/2471645608"), HUB_UNREACHABLE, no_range},
        {REDIRECT("X-Linked-Size: 5\r\n"), HUB_UNREACHABLE,
         "model.safetensors: the hub has 5 bytes of it, the storage 2471645608"},
        {REDIRECT("X-Linked-Size: many\r\n"), HUB_UNREACHABLE,
         "model.safetensors: X-Linked-Size is no size"},
        {REDIRECT("X-Repo-Commit: 3333333333333333333333333333333333333333\r\n"), HUB_UNREACHABLE,
         "config.json: the answer is for revision 3333333333333333333333333333333333333333"},
    };

    assert_rows(state, HUB_MODEL_SMALL, rows, COUNT_OF(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_metadata_that_are_wrong),
        cmocka_unit_test(refuses_configs_that_are_wrong),
        cmocka_unit_test(refuses_indexes_that_are_wrong),
        cmocka_unit_test(refuses_headers_that_are_wrong),
        cmocka_unit_test(refuses_sizes_and_revisions_that_lie),
    };

    return cmocka_run_group_tests(tests, hub_trial_setup, hub_trial_teardown);
}
