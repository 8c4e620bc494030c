/* Values in, a formula of core/, its result out. */
#include "db/functions.h"

#include "base/mem.h"
#include "base/num.h"
#include "core/cost.h"
#include "core/shown.h"

static void cost_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        sqlite3_result_null(context);
    else
        sqlite3_result_double(context,
                              cost_usd_per_million_tokens(sqlite3_value_double(values[0]),
                                                          sqlite3_value_double(values[1])));
}

static void stderr_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_double(context, cost_speed_stderr(sqlite3_value_double(values[0]),
                                                     sqlite3_value_double(values[1]),
                                                     sqlite3_value_int64(values[2])));
}

static void shown_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    char text[NUM_TEXT_BYTES];

    (void)count;
    num_format_real(text, shown_round(sqlite3_value_double(values[0])));
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static const struct {
    const char *name;
    int arguments;
    void (*run)(sqlite3_context *context, int count, sqlite3_value **values);
} functions[] = {
    {"cost_usd_per_million_tokens", 2, cost_function},
    {"cost_speed_stderr", 3, stderr_function},
    {"shown_json", 1, shown_function},
};

int functions_add(sqlite3 *handle)
{
    int result = SQLITE_OK;

    for (size_t i = 0; result == SQLITE_OK && i < COUNT_OF(functions); i++)
        result = sqlite3_create_function_v2(handle, functions[i].name, functions[i].arguments,
                                            SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                            functions[i].run, NULL, NULL, NULL);
    return result;
}
