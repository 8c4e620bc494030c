/* The version, from the file VERSION and the commit, by way of the Makefile. */
#include "base/version.h"

#include "generated_version.h"

const char *version_text(void)
{
    return OPENRECIPES_VERSION;
}

const char *version_build(void)
{
    return OPENRECIPES_BUILD;
}

const char *version_whole(void)
{
    return OPENRECIPES_VERSION " " OPENRECIPES_BUILD;
}
