/* One training recipe: the struct that a recipe file becomes. Its members are described, with units
 * and ranges, by the table in core/recipe_fields.c, which reads and writes them. */
#ifndef CORE_RECIPE_H
#define CORE_RECIPE_H

#include "core/field.h"
#include "core/slug.h"

/* Largest recipe file, in bytes (DESIGN section 3), and what its struct may take in memory. */
#define RECIPE_FILE_LIMIT  (1024 * 1024)
#define RECIPE_ARENA_LIMIT ((size_t)8 * 1024 * 1024)

/* A test of one changed component against a reference. */
struct component_test {
    const char *test;
    const char *shape;
    const char *gpu;
    const char *date;
    const char *result;
    const char *detail;
    const char *note; /* NULL: absent */
};

/* A recipe. Text is owned by the arena; 0 and NULL mean null where a comment says so. */
struct recipe {
    struct arena arena;

    int64_t schema_version;
    const char *model; /* as the file writes it: "Gemma-4-31B" */
    struct {
        const char *type;
        int64_t memory_gb;
        int64_t count;
        int64_t per_node;
        const char *instance; /* NULL: null */
    } gpu;
    struct {
        const char *name;
        const char *url; /* NULL: null */
    } author;
    const char *status;
    struct open_map stack;
    struct {
        int64_t row_tokens;
        const char *rows;
        int64_t global_batch;
        const char *precision;
        struct {
            const char *name;
            const char *source;
            const char *revision;
            const char *license;
            const char *rows_sha256;
            struct open_map build;
        } dataset;
    } workload;
    struct {
        const char *label;
        const char *summary;
        const char *highlights;
        int64_t tp, pp, vpp, cp, ep, etp, dp;
        bool sequence_parallel;
        struct {
            bool is_present;
            int64_t first, last;
        } layer_split;
        int64_t max_tokens_per_gpu;  /* 0: null */
        int64_t rows_per_microbatch; /* 0: null */
        struct {
            bool is_present;
            const char *granularity;
            const char *method; /* NULL: null */
            int64_t num_layers; /* 0: null */
        } recompute;
        struct {
            bool is_present;
            double optimizer_fraction;
            bool overlap_d2h_h2d;
        } offload;
        const char *dispatcher; /* NULL: null */
    } layout;
    struct {
        double tokens_per_s_per_gpu;
        double usd_per_million_tokens; /* as stated; 0: null */
        double step_time_cv_percent;
        double mfu;           /* as stated, a fraction; 0: null */
        const char *mfu_note; /* NULL: null */
        struct {
            int64_t count;
            const char *source;   /* https://huggingface.co/OWNER/NAME */
            const char *revision; /* 40 hexadecimal digits */
        } active_params;
        const char *measured;
        int64_t steps_per_run;
        struct int_list window; /* first and last measured step */
        int64_t window_tokens;
        int64_t runs;
        bool profiler;
        double gpu_hours;
        const char *gpu_hours_note; /* NULL: null */
    } result;
    struct {
        const char *result;
        const char *summary;
        const char *reference;
        const char *configuration;
        struct item_list component_tests; /* of struct component_test */
        struct {
            int64_t steps;
            const char *result;
            double correlation;
            double final_loss_difference;
            int64_t pointwise_failures;
            const char *note; /* NULL: null */
        } convergence;
        const char *rules;
    } correctness;
    struct open_map env;
    struct text_list patches;
    const char *run;
    const char *notes; /* Markdown; NULL: null */

    /* Worked out from the above by recipe_derive (rows with FIELD_DERIVED). */
    struct {
        char model_slug[SLUG_BYTES];
        char gpu_slug[SLUG_BYTES];
        char recipe_slug[SLUG_BYTES];
        char framework_word[SLUG_BYTES];
        const char *model;  /* model_slug, for the table */
        const char *gpu;    /* gpu_slug: the catalogue's, so an alias has become the GPU's slug */
        const char *recipe; /* recipe_slug */
        const char *family; /* the catalogue's; NULL: null */
        const char *framework; /* framework_word: first word of stack.framework in lower case;
                                  NULL: null */
        int64_t nodes;         /* gpu.count / gpu.per_node, rounded up */
        char workload_id[17];  /* first 16 hexadecimal digits of the SHA-256 of what makes speeds
                                  comparable */
        const char *workload;  /* workload_id */
        double usd_per_million_tokens; /* at the list price; 0: no price known */
        double usd_half_unit; /* half a unit of the last digit that the file writes of the stated
                                 usd_per_million_tokens, and of mfu; 0: not known */
        double mfu_half_unit;
        const char *confirmation; /* outcome of the last verification; "not_checked" before one */
    } derived;
};

/* The table; its struct is struct recipe. */
extern const struct field_table recipe_fields;

/* Make an empty recipe. */
void recipe_init(struct recipe *r);

/* Release a recipe and all its text. */
void recipe_done(struct recipe *r);

/* Read a document tree as a recipe: types, ranges, required and unknown fields, by the table.
 *
 * r:      after recipe_init
 * Errors: ERR_NOMEM only; the report has every problem of the document. */
MUST_USE enum err_code recipe_read(struct recipe *r, const struct tree_node *root,
                                   struct report *report, struct err *e);

/* Work out the derived members but those that need the catalogue (family, gpu alias, price).
 *
 * r:    must not be moved or copied afterwards: derived members point into it
 * stem: the file's name without folder and ".yaml"; becomes the recipe's slug, and "" where it is
 *       too long to be one */
void recipe_derive(struct recipe *r, const char *stem);

/* Write the recipe as the JSON document that the API serves: the YAML's own tree. */
void recipe_write_document(const struct recipe *r, const char *key, struct json *j);

#endif
