/* Tensors dealt out to files in the way of the library that saves them. */
#include "tests/support/hub_files.h"

#include "base/json.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tensor that owns its name.
 *
 * order: of its visit */
struct entry {
    struct tensor tensor;
    char name[120];
    int64_t count;
    int64_t bytes;
    size_t order;
    size_t shard;
};

struct entries {
    struct entry *list;
    size_t count;
    size_t cap;
};

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void collect(void *ctx, const struct tensor *t)
{
    struct entries *all = ctx;
    struct entry *entry;
    struct err e;

    if (!mem_grow((void **)&all->list, &all->cap, all->count, sizeof *all->list))
        abort();
    entry = &all->list[all->count];
    *entry = (struct entry){.tensor = *t, .order = all->count};
    all->count++;
    (void)snprintf(entry->name, sizeof entry->name, "%s", t->name); /* Under 100 characters. */
    if (tensor_count(t, &entry->count, &e) != ERR_OK)
        abort();
    entry->bytes = entry->count * tensor_dtype_bits(t->dtype) / 8;
}

static int by_size(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Within a file the widest type comes first, then the name decides. */
static int by_shard(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    unsigned x_bits = tensor_dtype_bits(x->tensor.dtype);
    unsigned y_bits = tensor_dtype_bits(y->tensor.dtype);

    if (x->shard != y->shard)
        return x->shard < y->shard ? -1 : 1;
    if (x_bits != y_bits)
        return x_bits > y_bits ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Deal the tensors out; returns the number of files. */
static size_t deal(struct entries *all, const struct hub_model *model)
{
    size_t shard = 0;
    int64_t bytes = 0;

    if (model->is_biggest_first)
        qsort(all->list, all->count, sizeof *all->list, by_size);
    for (size_t i = 0; i < all->count; i++) {
        struct entry *entry = &all->list[i];

        if (bytes > 0 && entry->bytes > model->shard_bytes - bytes) {
            shard++;
            bytes = 0;
        }
        bytes += entry->bytes;
        entry->shard = shard;
    }
    qsort(all->list, all->count, sizeof *all->list, by_shard);
    return shard + 1;
}

static void put_ints(struct json *j, const char *key, const int64_t *values, size_t count)
{
    json_begin(j, key, '[');
    for (size_t i = 0; i < count; i++)
        json_put_int(j, NULL, values[i]);
    json_end(j, ']');
}

/* Write the header of one file from its tensors, with the length before it. */
static void make_shard(struct hub_file *file, const struct entry *entries, size_t count)
{
    int64_t offsets[2] = {0, 0};
    struct buf text;
    struct json j;

    buf_init(&text, 25000000);
    buf_add(&text, "\0\0\0\0\0\0\0\0", 8);
    json_init(&j, &text);
    json_begin(&j, NULL, '{');
    json_begin(&j, "__metadata__", '{');
    json_put_text(&j, "format", "pt");
    json_end(&j, '}');
    for (size_t i = 0; i < count; i++) {
        const struct tensor *t = &entries[i].tensor;

        offsets[0] = offsets[1];
        offsets[1] += entries[i].bytes;
        json_begin(&j, entries[i].name, '{');
        json_put_text(&j, "dtype", t->dtype);
        put_ints(&j, "shape", t->shape, t->rank);
        put_ints(&j, "data_offsets", offsets, COUNT_OF(offsets));
        json_end(&j, '}');
    }
    json_end(&j, '}');
    while (text.len % 8 != 0)
        buf_putc(&text, ' ');
    file->bytes = need(buf_take(&text, &file->len));
    for (size_t i = 0; i < 8; i++)
        file->bytes[i] = (char)((file->len - 8) >> (8 * i) & 0xFF);
    file->size = (int64_t)file->len + offsets[1];
}

static void make_text(struct hub_file *file, const char *name, struct buf *text)
{
    (void)snprintf(file->name, sizeof file->name, "%s", name); /* Short names of ours. */
    file->bytes = need(buf_take(text, &file->len));
    file->size = (int64_t)file->len;
}

static void make_index(struct hub_repo *repo, const struct entries *all)
{
    const struct hub_file *shards = &repo->files[2];
    struct buf text;
    struct json j;

    buf_init(&text, 25000000);
    json_init(&j, &text);
    json_begin(&j, NULL, '{');
    json_begin(&j, "metadata", '{');
    json_put_int(&j, "total_parameters", 1); /* The real ones are wrong too. */
    json_end(&j, '}');
    json_begin(&j, "weight_map", '{');
    for (size_t i = 0; i < all->count; i++)
        json_put_text(&j, all->list[i].name, shards[all->list[i].shard].name);
    json_end(&j, '}');
    json_end(&j, '}');
    make_text(&repo->files[1], "model.safetensors.index.json", &text);
}

static void make_metadata(struct hub_repo *repo)
{
    struct buf text;
    struct json j;

    buf_init(&text, 1000000);
    json_init(&j, &text);
    json_begin(&j, NULL, '{');
    json_put_text(&j, "id", repo->model->repo);
    json_put_text(&j, "sha", repo->model->revision);
    json_put_bool(&j, "gated", false);
    json_put_bool(&j, "disabled", false);
    json_put_null(&j, "model-index");
    json_begin(&j, "safetensors", '{');
    json_put_int(&j, "total", repo->model->total);
    json_end(&j, '}');
    json_end(&j, '}');
    repo->metadata = need(buf_take(&text, NULL));
}

void hub_repo_make(enum hub_model_id id, struct hub_repo *out_repo)
{
    const struct hub_model *model = hub_model_get(id);
    struct hub_repo repo = {.model = model};
    struct entries all = {0};
    struct buf config;
    size_t shards, first;

    hub_model_each(id, collect, &all);
    shards = deal(&all, model);
    first = model->shard_start ? 2 : 1;
    repo.count = first + shards;
    repo.files = need(mem_array(repo.count, sizeof *repo.files));
    buf_init(&config, 10000);
    buf_puts(&config, model->config);
    make_text(&repo.files[0], "config.json", &config);
    for (size_t i = 0, from = 0, to = 0; i < shards; i++, from = to) {
        struct hub_file *file = &repo.files[first + i];

        while (to < all.count && all.list[to].shard == i)
            to++;
        /* Short names of ours. */
        (void)snprintf(file->name, sizeof file->name, "%s%05zu-of-%05zu.safetensors",
                       model->shard_start ? model->shard_start : "", i + 1, shards);
        if (!model->shard_start)
            memcpy(file->name, "model.safetensors", sizeof "model.safetensors");
        make_shard(file, &all.list[from], to - from);
    }
    if (model->shard_start)
        make_index(&repo, &all);
    make_metadata(&repo);
    free(all.list);
    *out_repo = repo;
}

void hub_repo_done(struct hub_repo *repo)
{
    for (size_t i = 0; i < repo->count; i++)
        free(repo->files[i].bytes);
    free(repo->files);
    free(repo->metadata);
    *repo = (struct hub_repo){0};
}
