/* What this program calls itself. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* The version of the program, "0.1.0". */
const char *version_text(void);

/* The commit that it was built from, "unknown" outside a checkout. */
const char *version_build(void);

/* Both, "0.1.0 1a2b3c4": texts that are stored are trusted by the program alone that made them. */
const char *version_whole(void);

#endif
