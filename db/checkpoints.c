/* Storing and reading what was found of checkpoints, by one table of their numbers. */
#include "db/checkpoints.h"

#include "base/mem.h"
#include "db/stmt.h"

#include <string.h>

enum { GET, PUT, CLAIMS, CLAIM };

/* The columns of GET, up to the first number; the numbers follow in the order of the table. */
enum { OUTCOME, REASON, CHECKED_AT, SHA, GATED, HUB_TOTAL, SHARDS, FIRST_NUMBER };

static const struct stmt_row rows[] = {
    [GET] = {"SELECT outcome, reason, checked_at, sha, gated, hub_total, shards, requests, bytes, "
             "computed, embedding, head, dense, routed, experts, experts_per_token, "
             "skipped_vision, skipped_audio, skipped_mtp, skipped_per_layer_embeddings, "
             "skipped_small, total, tensors FROM checkpoints WHERE repository = :repository AND "
             "revision = :revision",
             "look for a checkpoint", NULL},
    [PUT] = {"INSERT OR REPLACE INTO checkpoints (repository, revision, outcome, reason, "
             "checked_at, sha, gated, hub_total, shards, requests, bytes, computed, embedding, "
             "head, dense, routed, experts, experts_per_token, skipped_vision, skipped_audio, "
             "skipped_mtp, skipped_per_layer_embeddings, skipped_small, total, tensors) VALUES "
             "(:repository, :revision, :outcome, :reason, :checked_at, :sha, :gated, :hub_total, "
             ":shards, :requests, :bytes, :computed, :embedding, :head, :dense, :routed, "
             ":experts, :experts_per_token, :skipped_vision, :skipped_audio, :skipped_mtp, "
             ":skipped_per_layer_embeddings, :skipped_small, :total, :tensors)",
             "store a checkpoint", NULL},
    [CLAIMS] = {"SELECT (SELECT count(*) FROM recipes), model, gpu, recipe, active_params_source, "
                "active_params_revision, active_params FROM recipe_texts JOIN recipes ON "
                "recipes.id = recipe_texts.id ORDER BY active_params_source, "
                "active_params_revision, model, gpu, recipe",
                "read what recipes claim", "all are wanted"},
    [CLAIM] = {"SELECT active_params_source, active_params_revision, active_params FROM recipes "
               "JOIN recipe_texts ON recipe_texts.id = recipes.id WHERE model = :model AND gpu = "
               ":gpu AND recipe = :recipe",
               "read what a recipe claims", NULL},
};

const struct stmt_table checkpoints_statements = {rows, COUNT_OF(rows)};

/* Expands to a member's offset in what was found: offsets need the member's name. */
#define IN_RESULT(member) offsetof(struct hub_result, member)

/* Numbers of a result. All but the first two are null without a count. */
static const struct {
    const char *parameter;
    size_t offset;
} numbers[] = {
    {":requests", IN_RESULT(requests)},
    {":bytes", IN_RESULT(bytes)},
    {":computed", IN_RESULT(computed)},
    {":embedding", IN_RESULT(counts.embedding)},
    {":head", IN_RESULT(counts.head)},
    {":dense", IN_RESULT(counts.dense)},
    {":routed", IN_RESULT(counts.routed)},
    {":experts", IN_RESULT(counts.config.experts)},
    {":experts_per_token", IN_RESULT(counts.config.experts_per_token)},
    {":skipped_vision", IN_RESULT(counts.skipped[ACTIVE_PARAMS_VISION])},
    {":skipped_audio", IN_RESULT(counts.skipped[ACTIVE_PARAMS_AUDIO])},
    {":skipped_mtp", IN_RESULT(counts.skipped[ACTIVE_PARAMS_MTP])},
    {":skipped_per_layer_embeddings",
     IN_RESULT(counts.skipped[ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS])},
    {":skipped_small", IN_RESULT(counts.skipped[ACTIVE_PARAMS_SMALL])},
    {":total", IN_RESULT(counts.total)},
    {":tensors", IN_RESULT(counts.tensors)},
};

/* Numbers that are stored with a count or without. */
enum { NUMBERS_ALWAYS = 2 };

static const char counted[] = "counted";

static enum hub_outcome outcome_of(struct stmt *s)
{
    const char *name = stmt_text(s, OUTCOME, NULL);

    for (enum hub_outcome outcome = HUB_UNCONFIRMABLE; name && outcome <= HUB_UNREACHABLE;
         outcome++)
        if (strcmp(hub_outcome_name(outcome), name) == 0)
            return outcome;
    return HUB_NOT_CHECKED; /* A counted one is judged by its count. */
}

static void read_result(struct stmt *s, struct hub_result *out)
{
    out->outcome = outcome_of(s);
    stmt_copy_into(s, REASON, out->reason, sizeof out->reason);
    stmt_copy_into(s, CHECKED_AT, out->checked_at, sizeof out->checked_at);
    stmt_copy_into(s, SHA, out->sha, sizeof out->sha);
    stmt_copy_into(s, GATED, out->gated, sizeof out->gated);
    out->hub_total = stmt_int(s, HUB_TOTAL);
    out->shards = (size_t)stmt_int(s, SHARDS);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        *(int64_t *)(void *)((char *)out + numbers[i].offset) = stmt_int(s, FIRST_NUMBER + (int)i);
    if (out->computed == 0)
        return;
    out->counts.active = out->computed;
    out->hub_total_agrees = out->hub_total == out->counts.total;
    hub_result_judge(out, out->computed);
}

static void begin_key(struct stmt *s, struct db *db, size_t row, const char *repository,
                      const char *revision)
{
    stmt_begin(s, db, STMT_CHECKPOINTS, row);
    stmt_bind_text(s, ":repository", repository);
    stmt_bind_text(s, ":revision", revision);
}

enum err_code db_checkpoint_get(struct db *db, const char *repository, const char *revision,
                                struct hub_result *out, struct err *e)
{
    struct hub_result found = {.outcome = HUB_NOT_CHECKED};
    enum err_code rc;
    struct stmt s;

    begin_key(&s, db, GET, repository, revision);
    if (stmt_next(&s))
        read_result(&s, &found);
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = found;
    return rc;
}

static void bind_known(struct stmt *s, const char *parameter, const char *text)
{
    stmt_bind_text(s, parameter, *text ? text : NULL);
}

enum err_code db_checkpoint_put(struct db *db, const char *repository, const char *revision,
                                const struct hub_result *result, struct err *e)
{
    bool has_count = result->computed > 0;
    size_t count = has_count ? COUNT_OF(numbers) : NUMBERS_ALWAYS;
    struct stmt s;

    begin_key(&s, db, PUT, repository, revision);
    stmt_bind_text(&s, ":outcome", has_count ? counted : hub_outcome_name(result->outcome));
    stmt_bind_text(&s, ":reason", has_count ? "" : result->reason);
    stmt_bind_text(&s, ":checked_at", result->checked_at);
    bind_known(&s, ":sha", result->sha);
    bind_known(&s, ":gated", result->gated);
    if (result->hub_total > 0)
        stmt_bind_int(&s, ":hub_total", result->hub_total);
    stmt_bind_int(&s, ":shards", (int64_t)result->shards);
    for (size_t i = 0; i < count; i++)
        stmt_bind_int(&s, numbers[i].parameter,
                      *(const int64_t *)(const void *)((const char *)result + numbers[i].offset));
    return stmt_run(&s, e);
}

enum err_code db_checkpoint_judge(struct db *db, const struct hub_claim *claim,
                                  struct hub_result *out, struct err *e)
{
    const char *repository = hub_repo_of(claim->source);
    enum err_code rc;

    /* A recipe with another source is not imported. */
    if (!repository)
        return err_bug(e, "%s is no repository", claim->source);
    rc = db_checkpoint_get(db, repository, claim->revision, out, e);
    if (rc == ERR_OK && out->computed > 0)
        hub_result_judge(out, claim->stated);
    return rc;
}

enum err_code db_claims_get(struct db *db, struct arena *arena, struct claim_list *out,
                            struct err *e)
{
    struct claim_list list = {0};
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_CHECKPOINTS, CLAIMS);
    while (stmt_next(&s)) {
        if (!list.items)
            list.items = stmt_array(&s, arena, (size_t)stmt_int(&s, 0), sizeof *list.items);
        if (!list.items)
            break; /* Told by stmt_end. */
        list.items[list.count++] = (struct recipe_claim){
            .model = stmt_copy(&s, 1, arena),
            .gpu = stmt_copy(&s, 2, arena),
            .recipe = stmt_copy(&s, 3, arena),
            .claim = {.source = stmt_copy(&s, 4, arena),
                      .revision = stmt_copy(&s, 5, arena),
                      .stated = stmt_int(&s, 6)},
        };
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = list;
    return rc;
}

enum err_code db_claim_get(struct db *db, const char *model, const char *gpu, const char *recipe,
                           struct arena *arena, struct hub_claim *out, struct err *e)
{
    struct hub_claim claim = {0};
    enum err_code rc;
    struct stmt s;

    stmt_begin_recipe(&s, db, STMT_CHECKPOINTS, CLAIM, model, gpu, recipe);
    if (stmt_next(&s))
        claim =
            (struct hub_claim){stmt_copy(&s, 0, arena), stmt_copy(&s, 1, arena), stmt_int(&s, 2)};
    rc = stmt_end(&s, e);
    if (rc == ERR_OK && !claim.source)
        return err_set(e, ERR_NOT_FOUND, "there is no recipe %s of %s on %s", recipe, model, gpu);
    if (rc == ERR_OK)
        *out = claim;
    return rc;
}
