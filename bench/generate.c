/* Write a made-up collection: valid recipes of so many models that each model and GPU has some
 * thirty of them, with their catalogue, the same in each run.
 *
 *     generate FOLDER RECIPES */
#include "tests/support/synthetic.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Of one model on one GPU: enough that a page of 20 is full although some have another workload. */
enum { RECIPES_OF_A_PLACE = 32 };

int main(int argc, char **argv)
{
    int64_t count = 0;
    size_t models;
    struct err e;

    if (argc != 3 || num_parse_int(argv[2], strlen(argv[2]), 1, 10000000, &count, &e) != ERR_OK) {
        (void)fprintf(stderr, "usage: generate FOLDER RECIPES\n");
        return 64;
    }
    models = (size_t)count / (SYNTHETIC_GPUS * RECIPES_OF_A_PLACE) + 1;
    (void)mkdir(argv[1], 0755); /* Where it cannot be made, the next line says so. */
    synthetic_write_wide_catalog(argv[1], models);
    for (size_t i = 0; i < (size_t)count; i++) {
        struct synthetic r;

        synthetic_make_wide(&r, 1, i, models);
        synthetic_write(&r, argv[1]);
    }
    return 0;
}
