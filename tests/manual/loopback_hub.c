/* A loopback hub for a person: serves the checkpoints of tests/support/hub_models.c until its
 * standard input ends.
 *
 *     make build/release/tests/manual/loopback_hub && build/release/tests/manual/loopback_hub
 *     HF_ENDPOINT=http://127.0.0.1:PORT openrecipes verify */
#include "tests/support/loopback_hub.h"

#include <stdio.h>

int main(void)
{
    struct hub_repo repos[HUB_MODELS];
    struct loopback_hub *hub;
    int c = 0;

    for (size_t i = 0; i < HUB_MODELS; i++)
        hub_repo_make((enum hub_model_id)i, &repos[i]);
    hub = loopback_hub_start(repos, HUB_MODELS, NULL, 0);
    printf("HF_ENDPOINT=%s\n", loopback_hub_origin(hub, LOOPBACK_HUB));
    if (fflush(stdout) == 0)
        while (c != EOF)
            c = getchar();
    loopback_hub_stop(hub);
    for (size_t i = 0; i < HUB_MODELS; i++)
        hub_repo_done(&repos[i]);
    return 0;
}
