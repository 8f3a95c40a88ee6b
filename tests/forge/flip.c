/* flip.c -- flip FILE OTHER: swaps the contents of two files of one size back and forth, by
 * exchanging their names and by writing over them, until it is killed or its parent is gone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t load(char *to, size_t room, const char *path)
{
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(to, 1, room, file) : 0;

    if (file)
        fclose(file);
    return size;
}

static void overwrite(const char *path, const char *contents, size_t size)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);

    if (file < 0 || write(file, contents, size) != (ssize_t)size)
        exit(1);
    close(file);
}

int main(int argc, char **argv)
{
    static char own[4096], other[4096];
    pid_t parent = getppid();
    size_t size;

    if (argc != 3 || (size = load(own, sizeof own, argv[1])) == 0 ||
        load(other, sizeof other, argv[2]) != size)
        return 2;
    while (getppid() == parent) {
        for (int times = 0; times < 2; times++)
            if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) != 0)
                return 1;
        overwrite(argv[1], other, size);
        overwrite(argv[1], own, size);
    }
    return 0;
}
