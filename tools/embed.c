/* Writes C source that holds the bytes of the files named as arguments (base/embed.h). Runs while
 * building; it is not part of the program. */
#include <stdio.h>
#include <stdlib.h>

static int write_bytes(const char *path, int index)
{
    FILE *in = fopen(path, "rb");
    size_t column = 0;
    int c;

    if (!in) {
        perror(path);
        return -1;
    }
    printf("static const char file_%d[] = {", index);
    while ((c = getc(in)) != EOF)
        printf("%s%d,", column++ % 24 == 0 ? "\n" : "", c < 128 ? c : c - 256);
    printf("\n0};\n");
    if (ferror(in)) {
        perror(path);
        (void)fclose(in); /* Read only. */
        return -1;
    }
    return fclose(in);
}

int main(int argc, char **argv)
{
    printf("#include \"base/embed.h\"\n");
    for (int i = 1; i < argc; i++)
        if (write_bytes(argv[i], i) != 0)
            return EXIT_FAILURE;
    printf("const struct embed_file embed_files[] = {\n");
    for (int i = 1; i < argc; i++)
        printf("{\"%s\", file_%d, sizeof file_%d - 1},\n", argv[i], i, i);
    printf("{NULL, NULL, 0}};\nconst size_t embed_count = %d;\n", argc - 1);
    return ferror(stdout) || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
