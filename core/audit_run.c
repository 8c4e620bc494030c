/* Rows that hold the command's text against the recipe: its exports, its placeholders, what the
 * reader must set. Its flags are in core/audit_flags.c. */
#include "core/audit_maker.h"

#include "base/mem.h"
#include "core/shell_words.h"

#include <string.h>

void audit_differences_init(struct audit_differences *d)
{
    buf_init(&d->found, AUDIT_TEXT_BYTES);
    buf_init(&d->expected, AUDIT_TEXT_BYTES);
    buf_init(&d->found_item, AUDIT_VALUE_BYTES);
    buf_init(&d->expected_item, AUDIT_VALUE_BYTES);
    d->count = 0;
}

void audit_differ(struct audit_differences *d)
{
    d->count++;
    if (d->count <= AUDIT_ITEMS_SHOWN) {
        audit_add_item(&d->found, "; ", buf_text(&d->found_item));
        audit_add_item(&d->expected, "; ", buf_text(&d->expected_item));
    }
    buf_reset(&d->found_item);
    buf_reset(&d->expected_item);
}

void audit_put_differences(struct audit_maker *m, enum audit_check check,
                           struct audit_differences *d, enum audit_result result, const char *found)
{
    if (d->found_item.status != ERR_OK || d->expected_item.status != ERR_OK)
        m->is_short = true;
    if (d->count > AUDIT_ITEMS_SHOWN)
        buf_printf(&d->found, "; %zu more", d->count - AUDIT_ITEMS_SHOWN);
    if (d->count == 0)
        audit_put(m, check, result, found, NULL);
    else
        audit_put_bufs(m, check, AUDIT_FAIL, &d->found, &d->expected);
    buf_done(&d->found);
    buf_done(&d->expected);
    buf_done(&d->found_item);
    buf_done(&d->expected_item);
}

/* Hold one exported variable against its entry in env, which may write the value with quotes or
 * without. */
static void compare_export(struct audit_differences *d, const struct shell_set *set,
                           const struct open_entry *entry, struct buf *value, struct buf *wanted)
{
    const char *text = entry && entry->text ? entry->text : "";

    buf_reset(value);
    buf_reset(wanted);
    if (set->value.text)
        shell_unquote(set->value, value);
    shell_unquote((struct shell_span){text, strlen(text)}, wanted);
    if (entry &&
        (strcmp(buf_text(value), text) == 0 || strcmp(buf_text(value), buf_text(wanted)) == 0))
        return;
    buf_add(&d->found_item, set->name.text, set->name.len);
    buf_putc(&d->found_item, '=');
    buf_puts(&d->found_item, buf_text(value));
    buf_add(&d->expected_item, set->name.text, set->name.len);
    buf_puts(&d->expected_item, entry ? "=" : " is not in env");
    buf_puts(&d->expected_item, text);
    audit_differ(d);
}

static const struct open_entry *find_entry(const struct open_map *map, struct shell_span key)
{
    for (size_t i = 0; i < map->count; i++)
        if (shell_span_is(key, map->entries[i].key))
            return &map->entries[i];
    return NULL;
}

/* Hold the exports of the command against env; returns how many there are. */
static size_t compare_exports(struct audit_differences *d, const struct shell_script *script,
                              const struct open_map *env, struct buf *value, struct buf *wanted)
{
    size_t count = 0;

    for (size_t i = 0; i < script->set_count; i++) {
        const struct shell_set *set = &script->sets[i];

        if (!set->is_exported || shell_script_find(script, set->name) != set)
            continue;
        count++;
        compare_export(d, set, find_entry(env, set->name), value, wanted);
    }
    return count;
}

static void find_unexported(struct audit_differences *d, const struct shell_script *script,
                            const struct open_map *env)
{
    for (size_t i = 0; i < env->count; i++) {
        const struct open_entry *entry = &env->entries[i];
        struct shell_span name = {entry->key, strlen(entry->key)};
        const struct shell_set *set = shell_script_find(script, name);

        if (set && set->is_exported)
            continue;
        buf_printf(&d->found_item, "%s is not exported", entry->key);
        buf_printf(&d->expected_item, "%s=", entry->key);
        buf_puts(&d->expected_item, entry->text ? entry->text : "");
        audit_differ(d);
    }
}

static void audit_env(struct audit_maker *m, const struct shell_script *script)
{
    struct audit_differences d;
    struct buf value, wanted, found;
    size_t count;

    if (script->problem) {
        audit_put(m, AUDIT_ENV, AUDIT_UNKNOWN, "the command cannot be read whole", NULL);
        return;
    }
    audit_differences_init(&d);
    buf_init(&value, AUDIT_VALUE_BYTES);
    buf_init(&wanted, AUDIT_VALUE_BYTES);
    buf_init(&found, AUDIT_TEXT_BYTES);
    count = compare_exports(&d, script, &m->r->env, &value, &wanted);
    find_unexported(&d, script, &m->r->env);
    buf_printf(&found, "%zu export%s agree%s with env", count, count == 1 ? "" : "s",
               count == 1 ? "s" : "");
    if (value.status != ERR_OK || wanted.status != ERR_OK || found.status != ERR_OK)
        m->is_short = true;
    audit_put_differences(m, AUDIT_ENV, &d, AUDIT_PASS, buf_text(&found));
    buf_done(&found);
    buf_done(&wanted);
    buf_done(&value);
}

/* Copy spans of the command's text into a list of the audit. */
static void keep_spans(struct audit_maker *m, const struct shell_spans *spans,
                       struct text_list *out)
{
    struct arena *arena = &m->audit->arena;

    out->items = arena_array(arena, spans->count, sizeof *out->items);
    for (size_t i = 0; out->items && i < spans->count; i++) {
        out->items[i] = arena_text(arena, spans->items[i].text, spans->items[i].len);
        m->is_short = m->is_short || !out->items[i];
    }
    m->is_short = m->is_short || !out->items;
    out->count = m->is_short ? 0 : spans->count;
}

static void put_list(struct audit_maker *m, enum audit_check check, enum audit_result result,
                     const struct text_list *list, const char *expected)
{
    struct buf found, expected_buf;

    buf_init(&found, AUDIT_TEXT_BYTES);
    buf_init(&expected_buf, AUDIT_TEXT_BYTES);
    audit_add_list(&found, list, ", ");
    if (list->count == 0)
        buf_puts(&found, "none");
    if (expected)
        buf_puts(&expected_buf, expected);
    audit_put_bufs(m, check, result, &found, &expected_buf);
}

/* Read the command, and then the values of env: what they use, the reader must set too. */
static enum err_code read_script(const struct recipe *r, struct shell_script *script, struct err *e)
{
    const char *run = r->run ? r->run : "";
    enum err_code rc = shell_read(run, strlen(run), script, e);

    for (size_t i = 0; rc == ERR_OK && i < r->env.count; i++) {
        const char *value = r->env.entries[i].text;

        if (value)
            rc = shell_read_value(value, strlen(value), script, e);
    }
    return rc;
}

enum err_code audit_run(struct audit_maker *m, struct err *e)
{
    struct audit *a = m->audit;
    struct shell_script script;
    enum err_code rc;

    shell_script_init(&script);
    rc = read_script(m->r, &script, e);
    if (rc == ERR_OK) {
        m->problem = script.problem;
        audit_flags(m, &script);
        audit_env(m, &script);
        keep_spans(m, &script.placeholders, &a->placeholders);
        put_list(m, AUDIT_PLACEHOLDERS, a->placeholders.count > 0 ? AUDIT_FAIL : AUDIT_PASS,
                 &a->placeholders, "none");
        keep_spans(m, &script.needs, &a->variables);
        put_list(m, AUDIT_VARIABLES, AUDIT_PASS, &a->variables, NULL);
    }
    shell_script_done(&script);
    return rc;
}
