/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over files, and over the files of folders: regression
 * tests where there is no fuzzer, and one input under a debugger.
 *
 *   fuzz_uci FILE-OR-FOLDER...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        perror(path);
        return 1;
    }
    const size_t size = fread(data, 1, sizeof data, file);
    const int failed = ferror(file);
    fclose(file);
    if (failed) {
        perror(path);
        return 1;
    }
    LLVMFuzzerTestOneInput(data, size);
    return 0;
}

static int run_folder(DIR *folder, const char *path)
{
    int failed = 0;

    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        char name[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        failed |= run_file(name);
    }
    closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        failed |= folder != NULL ? run_folder(folder, argv[i])
                                 : run_file(argv[i]);
    }
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
