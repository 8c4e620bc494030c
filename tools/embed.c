/* Writes C source that holds the bytes of the files named as arguments (base/embed.h). Runs while
 * building; it is not part of the program. Lines of scripts that are nothing but a comment are left
 * out: they are a ninth of what browsers would load. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_script(const char *path)
{
    const char *suffix = strrchr(path, '.');

    return suffix && strcmp(suffix, ".js") == 0;
}

static bool is_comment(const char *line)
{
    return strncmp(line + strspn(line, " "), "//", 2) == 0;
}

static void write_lines(FILE *in, bool has_comments)
{
    char *line = NULL;
    size_t size = 0;
    size_t column = 0;
    ssize_t len;

    while ((len = getline(&line, &size, in)) > 0) {
        if (has_comments && is_comment(line))
            continue;
        for (ssize_t i = 0; i < len; i++)
            printf("%s%d,", column++ % 24 == 0 ? "\n" : "", (signed char)line[i]);
    }
    free(line);
}

static int write_bytes(const char *path, int index)
{
    FILE *in = fopen(path, "rb");

    if (!in) {
        perror(path);
        return -1;
    }
    printf("static const char file_%d[] = {", index);
    write_lines(in, is_script(path));
    printf("\n0};\n");
    if (ferror(in) || !feof(in)) {
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
