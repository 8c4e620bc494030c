/* The long flags of a command as facts: one for each name, by name. */
#include "base/mem.h"
#include "core/compare_parts.h"
#include "core/shell_words.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const struct shell_flag *a, const struct shell_flag *b)
{
    size_t len = a->name.len < b->name.len ? a->name.len : b->name.len;
    int found = memcmp(a->name.text, b->name.text, len);

    return found != 0 ? found : (a->name.len > b->name.len) - (a->name.len < b->name.len);
}

/* Equal names stay in the order of the command. */
static int by_name_and_place(const void *a, const void *b)
{
    const struct shell_flag *const *left = a;
    const struct shell_flag *const *right = b;
    int found = by_name(*left, *right);

    return found != 0 ? found : (*left > *right) - (*left < *right);
}

enum err_code compare_command_read(const char *run, struct compare_command *out, struct err *e)
{
    shell_script_init(&out->script);
    out->flags = NULL;
    if (shell_read(run, strlen(run), &out->script, e) == ERR_OK) {
        out->flags = mem_array(out->script.flag_count + 1, sizeof *out->flags);
        if (!out->flags)
            (void)err_nomem(e); /* Its code is looked at below. */
    }
    if (!out->flags) {
        compare_command_done(out);
        return e->code;
    }
    for (size_t i = 0; i < out->script.flag_count; i++)
        out->flags[i] = &out->script.flags[i];
    qsort(out->flags, out->script.flag_count, sizeof *out->flags, by_name_and_place);
    return ERR_OK;
}

void compare_command_done(struct compare_command *command)
{
    free(command->flags);
    shell_script_done(&command->script);
}

/* Write all values of one flag: "1 2" of --x 1 2, "1, 2" of --x 1 --x 2. */
static void put_values(const struct shell_flag *const *flags, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_puts(out, flags[i]->is_further ? " " : ", ");
        if (flags[i]->value.text)
            shell_unquote(flags[i]->value, out);
        else
            buf_puts(out, "true");
    }
}

void compare_flags_write(const struct compare_place *place, const struct compare_command *command,
                         struct buf *out)
{
    size_t end;

    for (size_t i = 0; i < command->script.flag_count; i = end) {
        const struct shell_flag *const *flags = command->flags + i;
        bool is_bare;

        for (end = i + 1; end < command->script.flag_count; end++)
            if (by_name(flags[0], command->flags[end]) != 0)
                break;
        is_bare = end == i + 1 && !flags[0]->value.text;
        compare_fact_begin(place, is_bare ? COMPARE_BOOL : COMPARE_TEXT, flags[0]->name.text,
                           flags[0]->name.len, out);
        put_values(flags, end - i, out);
        compare_fact_end(out);
    }
}
