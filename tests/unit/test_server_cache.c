/* The cache of replies, and the one order of a query's parts. */
#include "server/cache.h"

#include "server/canonical.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of one letter, bodies of 1,000 bytes: what each entry counts for, as server/cache.c has it.
 */
enum { BODY = 1000, ENTRY = 2048 + BODY + 1 };

static int freed;

static void count_freed(void *response)
{
    (void)response;
    freed++;
}

static struct cache *make(size_t limit_bytes)
{
    struct cache *c = NULL;
    struct err e;

    freed = 0;
    assert_int_equal(cache_new(limit_bytes, &c, &e), ERR_OK);
    return c;
}

static struct cache_entry *put(struct cache *c, uint64_t generation, char key)
{
    struct cache_reply reply = {
        .body = malloc(BODY), .body_len = BODY, .response = &freed, .free_response = count_freed};
    struct cache_entry *entry;

    assert_non_null(reply.body);
    memset(reply.body, key, BODY);
    (void)snprintf(reply.etag, sizeof reply.etag, "\"%c\"", key);
    entry = cache_put_take(c, generation, &key, 1, &reply);
    assert_non_null(entry);
    return entry;
}

static bool has(struct cache *c, char key)
{
    struct cache_entry *entry = cache_get(c, &key, 1);

    if (!entry)
        return false;
    assert_int_equal(cache_entry_reply(entry)->body[BODY - 1], key);
    assert_int_equal(cache_entry_reply(entry)->etag[1], key);
    cache_release(entry);
    return true;
}

static void what_is_put_is_got(void **state)
{
    struct cache *c = make(100 * ENTRY);

    (void)state;
    assert_false(has(c, 'a'));
    cache_release(put(c, cache_generation(c), 'a'));
    cache_release(put(c, cache_generation(c), 'b'));
    assert_true(has(c, 'a'));
    assert_true(has(c, 'b'));
    assert_null(cache_get(c, "ab", 2));
    assert_null(cache_get(c, "", 0));
    assert_int_equal(cache_count(c).hits, 2);
    assert_int_equal(cache_count(c).misses, 3);
    assert_int_equal(cache_count(c).entries, 2);
    assert_int_equal(cache_count(c).bytes, 2 * ENTRY);
    cache_free(c);
    assert_int_equal(freed, 2);
}

static void a_full_cache_drops_what_was_asked_for_least_recently(void **state)
{
    struct cache *c = make(8 * ENTRY);

    (void)state;
    for (char key = 'a'; key <= 'h'; key++)
        cache_release(put(c, 0, key));
    assert_int_equal(cache_count(c).bytes, 8 * ENTRY);
    assert_int_equal(freed, 0);
    assert_true(has(c, 'a'));
    cache_release(put(c, 0, 'i'));
    cache_release(put(c, 0, 'j'));
    assert_int_equal(freed, 2);
    assert_true(has(c, 'a'));
    assert_false(has(c, 'b'));
    assert_false(has(c, 'c'));
    assert_true(has(c, 'd'));
    assert_true(has(c, 'j'));
    assert_int_equal(cache_count(c).evictions, 2);
    assert_int_equal(cache_count(c).entries, 8);
    assert_int_equal(cache_count(c).bytes, 8 * ENTRY);
    cache_free(c);
    assert_int_equal(freed, 10);
}

static void a_reply_made_before_a_change_is_not_kept_after_it(void **state)
{
    struct cache *c = make(100 * ENTRY);
    uint64_t before = cache_generation(c);
    struct cache_entry *sent = put(c, before, 'a');

    (void)state;
    cache_clear(c);
    assert_false(has(c, 'a'));
    assert_int_equal(cache_count(c).entries, 0);
    assert_int_equal(cache_count(c).evictions, 0);
    cache_release(put(c, before, 'b'));
    assert_false(has(c, 'b'));
    assert_int_equal(freed, 1);
    cache_release(put(c, cache_generation(c), 'b'));
    assert_true(has(c, 'b'));
    /* What is being sent lives on. */
    assert_int_equal(cache_entry_reply(sent)->body[BODY - 1], 'a');
    cache_release(sent);
    assert_int_equal(freed, 2);
    cache_free(c);
}

static void a_reply_that_would_push_out_many_is_not_kept(void **state)
{
    struct cache *c = make(8 * ENTRY - 1);

    (void)state;
    cache_release(put(c, 0, 'a'));
    assert_int_equal(freed, 1);
    assert_false(has(c, 'a'));
    cache_free(c);
}

static void the_first_of_two_replies_to_one_request_stays(void **state)
{
    struct cache *c = make(100 * ENTRY);
    struct cache_entry *first = put(c, 0, 'a');
    struct cache_entry *second = put(c, 0, 'a');
    struct cache_entry *got = cache_get(c, "a", 1);

    (void)state;
    assert_ptr_equal(got, first);
    assert_ptr_not_equal(got, second);
    cache_release(second);
    assert_int_equal(freed, 1);
    cache_release(first);
    cache_release(got);
    assert_int_equal(freed, 1);
    cache_release(NULL);
    cache_free(c);
    cache_free(NULL);
    assert_int_equal(freed, 2);
}

static void keys_may_have_any_bytes_and_length(void **state)
{
    struct cache *c = make(1000000);
    char keys[300] = {0};

    (void)state;
    for (size_t len = 1; len < sizeof keys; len++) {
        struct cache_reply reply = {.body = malloc(len), .body_len = len};

        assert_non_null(reply.body);
        cache_release(cache_put_take(c, 0, keys, len, &reply));
    }
    for (size_t len = 1; len < sizeof keys; len++) {
        struct cache_entry *entry = cache_get(c, keys, len);

        assert_non_null(entry);
        assert_int_equal(cache_entry_reply(entry)->body_len, len);
        cache_release(entry);
    }
    cache_free(c);
}

static void queries_are_put_into_one_order(void **state)
{
    static const struct {
        const char *query;
        const char *canonical;
    } cases[] = {
        {"", ""},
        {"b=2", "b=2"},
        {"b=2&a=1", "a=1&b=2"},
        {"a=1&b=2", "a=1&b=2"},
        {"ab=1&a=1&a=", "a=&a=1&ab=1"},
        {"&a", "&a"},
        {"a&", "&a"},
    };
    char many[2 * 101 + 1];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out;

        buf_init(&out, 100);
        http_canonical_query(cases[i].query, &out);
        assert_string_equal(buf_text(&out), cases[i].canonical);
        buf_done(&out);
    }
    for (size_t i = 0; i < 101; i++)
        memcpy(many + 2 * i, i == 100 ? "a" : "b&", 2);
    for (size_t i = 0; i < 2; i++) {
        struct buf out;

        buf_init(&out, 1000);
        http_canonical_query(many + 2 * i, &out);
        assert_memory_equal(buf_text(&out), i == 0 ? "b&" : "a&", 2);
        buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_got),
        cmocka_unit_test(a_full_cache_drops_what_was_asked_for_least_recently),
        cmocka_unit_test(a_reply_made_before_a_change_is_not_kept_after_it),
        cmocka_unit_test(a_reply_that_would_push_out_many_is_not_kept),
        cmocka_unit_test(the_first_of_two_replies_to_one_request_stays),
        cmocka_unit_test(keys_may_have_any_bytes_and_length),
        cmocka_unit_test(queries_are_put_into_one_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
