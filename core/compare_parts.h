/* What the parts of a comparison share; core/compare.h and core/compare_facts.h are for everybody
 * else. Where memory runs out, c->is_short says so, and is looked at once at the end.
 *
 * Facts are one text. It begins with the workload's id, COMPARE_MIDDLE, what keeps the command from
 * being read whole (or nothing), COMPARE_END. Then each fact is: a letter for its group, one for
 * its kind, a key, COMPARE_MIDDLE, its value, COMPARE_END. The key is three digits for the row of
 * the field table, and the name, so that facts stand in the order of their keys. */
#ifndef CORE_COMPARE_PARTS_H
#define CORE_COMPARE_PARTS_H

#include "base/buf.h"
#include "core/compare.h"
#include "core/shell_script.h"

/* Control characters, which no recipe has: ASCII's unit and record separator. */
#define COMPARE_MIDDLE '\x1f'
#define COMPARE_END    '\x1e'

/* Digits before a name in its key. */
#define COMPARE_KEY_DIGITS 3

/* Where facts stand.
 *
 * row:  in the field table
 * path: of the map that their names are from, within its group; "" if that is the group */
struct compare_place {
    enum compare_group group;
    size_t row;
    const char *path;
};

/* Begin a fact; its value is what is appended until compare_fact_end. */
void compare_fact_begin(const struct compare_place *place, enum compare_kind kind, const char *name,
                        size_t len, struct buf *out);
void compare_fact_end(struct buf *out);

/* A command that was read.
 *
 * flags: of script, all of them, by name and then by their place */
struct compare_command {
    struct shell_script script;
    const struct shell_flag **flags;
};

/* Read a command.
 *
 * run:    lent for the command's life
 * out:    after success, compare_command_done
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code compare_command_read(const char *run, struct compare_command *out,
                                            struct err *e);
void compare_command_done(struct compare_command *command);

/* Write the facts of a command's flags. */
void compare_flags_write(const struct compare_place *place, const struct compare_command *command,
                         struct buf *out);

/* Find a difference by its name; NULL if there is none. */
const struct compare_difference *compare_find(const struct comparison *c, enum compare_group group,
                                              const char *name);

/* The header of one side's facts.
 *
 * problem: "" where the command was read whole */
struct compare_head {
    const char *workload;
    const char *problem;
};

/* Add all that differs between c->a and c->b.
 *
 * out_a, out_b: of sides with facts; live as long as c
 * Errors: ERR_CORRUPT if facts are not of the form above. */
MUST_USE enum err_code compare_find_differences(struct comparison *c, struct compare_head *out_a,
                                                struct compare_head *out_b, struct err *e);

#endif
