/* The steps of a verification: read what recipes claim, see what is known, ask for the rest. */
#include "importers/verify.h"

#include "base/text.h"
#include "core/slug.h"
#include "importers/import.h"

#include <string.h>
#include <strings.h>

/* Claims and checkpoints of a collection of a million recipes, and their names for "did you mean".
 */
enum { ARENA_LIMIT = 1024 * 1024 * 1024 };

/* What the steps share.
 *
 * asked:   the checkpoints that the hub is asked for
 * results: of them, by the same index
 * failure: of storing; code ERR_OK: none */
struct verify {
    struct db *db;
    const struct verify_options *options;
    struct verify_run *run;
    struct verify_checkpoint **asked;
    struct hub_result *results;
    struct err failure;
};

void verify_run_done(struct verify_run *run)
{
    arena_done(&run->arena);
    *run = (struct verify_run){0};
}

void verify_judge(const struct verify_checkpoint *checkpoint, const struct hub_claim *claim,
                  struct hub_result *out)
{
    *out = checkpoint->known;
    if (out->computed > 0)
        hub_result_judge(out, claim->stated);
}

/* Tell whether a name is a recipe's, or that of its model, or of its model and GPU. */
static bool is_named(const struct recipe_claim *claim, const char *name)
{
    const char *const parts[] = {claim->model, claim->gpu, claim->recipe};

    for (size_t i = 0; i < 3; i++) {
        size_t len = strlen(parts[i]);

        if (strncasecmp(name, parts[i], len) != 0)
            return false;
        name += len;
        if (*name == '\0')
            return true;
        if (*name++ != '/')
            return false;
    }
    return false;
}

/* List all that can be named: each recipe, each model and GPU, each model.
 *
 * out: three for each claim, in the arena */
static enum err_code list_names(struct verify *v, const struct claim_list *claims,
                                const char ***out, struct err *e)
{
    const char **names = arena_array(&v->run->arena, claims->count, 3 * sizeof *names);
    size_t count = 0;

    for (size_t i = 0; names && i < claims->count; i++) {
        const struct recipe_claim *c = &claims->items[i];
        const char *const parts[] = {c->model, c->gpu, c->recipe};
        struct buf text;

        buf_init(&text, (size_t)4 * SLUG_BYTES);
        for (size_t k = 0; k < 3; k++) {
            buf_printf(&text, "%s%s", k > 0 ? "/" : "", parts[k]);
            names[count] = arena_text(&v->run->arena, buf_text(&text), text.len);
            if (!names[count++])
                text.status = ERR_NOMEM;
        }
        if (buf_check(&text, e) != ERR_OK)
            names = NULL;
        buf_done(&text);
    }
    if (!names)
        return err_nomem(e);
    *out = names;
    return ERR_OK;
}

/* Refuse a name that no recipe has. */
static enum err_code refuse_name(struct verify *v, const struct claim_list *claims,
                                 const char *name, struct err *e)
{
    const char **names = NULL;
    const char *nearest;
    enum err_code rc = list_names(v, claims, &names, e);

    if (rc != ERR_OK)
        return rc;
    nearest = text_nearest(name, names, 3 * claims->count);
    return err_set(e, ERR_NOT_FOUND, "there is no recipe %.200s%s%s%s", name,
                   nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* Leave only the claims that were named, in their order. */
static enum err_code choose(struct verify *v, struct claim_list *claims, struct err *e)
{
    const struct verify_options *o = v->options;
    size_t kept = 0;

    for (size_t n = 0; n < o->name_count; n++) {
        bool is_there = false;

        for (size_t i = 0; !is_there && i < claims->count; i++)
            is_there = is_named(&claims->items[i], o->names[n]);
        if (!is_there)
            return refuse_name(v, claims, o->names[n], e);
    }
    for (size_t i = 0; i < claims->count; i++) {
        bool is_chosen = o->name_count == 0;

        for (size_t n = 0; !is_chosen && n < o->name_count; n++)
            is_chosen = is_named(&claims->items[i], o->names[n]);
        if (is_chosen)
            claims->items[kept++] = claims->items[i];
    }
    claims->count = kept;
    return ERR_OK;
}

static bool is_same_checkpoint(const struct hub_claim *a, const struct hub_claim *b)
{
    return strcmp(a->source, b->source) == 0 && strcmp(a->revision, b->revision) == 0;
}

/* Claims of one checkpoint stand together. */
static enum err_code group(struct verify *v, const struct claim_list *claims, struct err *e)
{
    struct verify_run *run = v->run;

    run->checkpoints = arena_array(&run->arena, claims->count, sizeof *run->checkpoints);
    if (!run->checkpoints)
        return err_nomem(e);
    for (size_t i = 0; i < claims->count; i++) {
        const struct recipe_claim *c = &claims->items[i];

        if (i == 0 || !is_same_checkpoint(&c->claim, &c[-1].claim))
            run->checkpoints[run->count++] =
                (struct verify_checkpoint){.repository = hub_repo_of(c->claim.source),
                                           .revision = c->claim.revision,
                                           .claims = c};
        run->checkpoints[run->count - 1].claim_count++;
    }
    return ERR_OK;
}

static void tell(struct verify *v, struct verify_checkpoint *checkpoint)
{
    const struct verify_hooks *hooks = v->options->hooks;

    checkpoint->is_told = true;
    if (hooks && hooks->on_checkpoint)
        hooks->on_checkpoint(hooks->ctx, checkpoint);
}

/* Tell whether a checkpoint has to be asked for: a count stays true, and the rest grows old. */
static bool has_to_be_asked(const struct verify_options *o, const struct hub_result *known)
{
    char oldest[CLOCK_TEXT_BYTES];
    char now[CLOCK_TEXT_BYTES];

    if (o->refresh)
        return true;
    if (known->computed > 0)
        return false;
    if (known->outcome == HUB_NOT_CHECKED || known->outcome == HUB_UNREACHABLE)
        return true;
    clock_ago_text(o->max_age_s, oldest);
    clock_now_text(now);
    return strcmp(known->checked_at, oldest) <= 0 || strcmp(known->checked_at, now) > 0;
}

/* Read what is known, and tell what needs nothing more. */
static enum err_code look_up(struct verify *v, struct err *e)
{
    struct verify_run *run = v->run;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < run->count; i++) {
        struct verify_checkpoint *c = &run->checkpoints[i];

        rc = db_checkpoint_get(v->db, c->repository, c->revision, &c->known, e);
        if (rc == ERR_OK && has_to_be_asked(v->options, &c->known))
            v->asked[run->asked++] = c;
        else if (rc == ERR_OK)
            tell(v, c);
    }
    return rc;
}

static enum err_code prepare(struct verify *v, struct err *e)
{
    struct verify_run *run = v->run;
    struct claim_list claims = {0};
    enum err_code rc = db_claims_get(v->db, &run->arena, &claims, e);

    if (rc == ERR_OK)
        rc = choose(v, &claims, e);
    if (rc == ERR_OK)
        rc = group(v, &claims, e);
    if (rc != ERR_OK)
        return rc;
    v->asked = arena_array(&run->arena, run->count, sizeof *v->asked);
    if (!v->asked)
        return err_nomem(e);
    return look_up(v, e);
}

/* A result on its way into the database.
 *
 * known: what is stored in the end */
struct storing {
    const struct verify_checkpoint *checkpoint;
    db_tx_fn *finish;
    const struct hub_result *result;
    struct hub_result known;
};

static enum err_code store_tx(struct db *db, void *context, struct err *e)
{
    struct storing *s = context;
    const struct verify_checkpoint *c = s->checkpoint;
    size_t changed = 0;
    struct hub_result earlier;
    enum err_code rc = db_checkpoint_get(db, c->repository, c->revision, &earlier, e);

    s->known = earlier;
    if (rc != ERR_OK || !hub_result_replaces(s->result, &earlier))
        return rc;
    rc = db_checkpoint_put(db, c->repository, c->revision, s->result, e);
    if (rc == ERR_OK)
        rc = db_checkpoint_get(db, c->repository, c->revision, &s->known, e);
    /* What is rendered of a recipe shows no more of it than these two. */
    if (rc == ERR_OK &&
        (s->known.outcome != earlier.outcome || s->known.computed != earlier.computed))
        rc = import_judge_citing(db, c->claims[0].claim.source, c->revision, &changed, e);
    if (rc == ERR_OK && changed > 0 && s->finish)
        rc = s->finish(db, NULL, e);
    return rc;
}

static enum err_code store(struct verify *v, struct verify_checkpoint *c,
                           const struct hub_result *result, struct err *e)
{
    struct hub_result dated = *result;
    struct storing storing = {.checkpoint = c, .finish = v->options->finish, .result = &dated};
    enum err_code rc;

    clock_now_text(dated.checked_at);
    rc = db_tx_run(v->db, store_tx, &storing, e);
    if (rc == ERR_OK)
        c->known = storing.known;
    return rc;
}

static void on_result(void *ctx, size_t index, const struct hub_result *result)
{
    struct verify *v = ctx;
    struct verify_checkpoint *c = v->asked[index];

    v->run->requests += result->requests;
    v->run->bytes += result->bytes;
    c->asked = &v->results[index];
    if (v->failure.code == ERR_OK && result->outcome != HUB_NOT_CHECKED &&
        store(v, c, result, &v->failure) != ERR_OK)
        atomic_store(v->options->hub->is_stopped, true);
    if (v->failure.code == ERR_OK)
        tell(v, c);
}

static void on_progress(void *ctx, size_t done, size_t total)
{
    const struct verify *v = ctx;
    const struct verify_hooks *hooks = v->options->hooks;

    if (hooks && hooks->on_progress)
        hooks->on_progress(hooks->ctx, done, total);
}

static enum err_code ask(struct verify *v, struct err *e)
{
    const struct hub_hooks hooks = {on_result, on_progress, v};
    struct verify_run *run = v->run;
    struct hub_checkpoint *checkpoints = arena_array(&run->arena, run->asked, sizeof *checkpoints);
    enum err_code rc;

    v->results = arena_array(&run->arena, run->asked, sizeof *v->results);
    if (!checkpoints || !v->results)
        return err_nomem(e);
    for (size_t i = 0; i < run->asked; i++)
        checkpoints[i] = (struct hub_checkpoint){.repo = v->asked[i]->repository,
                                                 .revision = v->asked[i]->revision,
                                                 .stated = v->asked[i]->claims[0].claim.stated};
    rc = hub_verify(v->options->hub, checkpoints, run->asked, &hooks, v->results, e);
    if (v->failure.code != ERR_OK) {
        *e = v->failure;
        return e->code;
    }
    for (size_t i = 0; i < run->asked; i++) {
        v->asked[i]->asked = &v->results[i];
        if (!v->asked[i]->is_told && rc == ERR_BUSY)
            tell(v, v->asked[i]); /* Not begun before it was stopped. */
    }
    return rc;
}

enum err_code verify_run(struct db *db, const struct verify_options *options,
                         struct verify_run *out, struct err *e)
{
    struct verify v = {.db = db, .options = options, .run = out};
    enum err_code rc;

    *out = (struct verify_run){0};
    arena_init(&out->arena, ARENA_LIMIT);
    rc = prepare(&v, e);
    if (rc == ERR_OK && out->asked > 0)
        rc = ask(&v, e);
    return rc;
}
