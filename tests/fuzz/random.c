/* random.c -- runs a fuzz target over random inputs: the stored seeds, mutated, and noise. No
 * coverage guides it, so it is fast. ATTEST_TRIALS sets the number of inputs. When the target
 * aborts, the input is printed in hexadecimal. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUTS 1000000
#define SEEDS 256
#define LONGEST 400

struct input {
    size_t size;
    uint8_t data[LONGEST];
};

static struct input seed[SEEDS], current;
static size_t seeds;

/* Words that doubles and shapes are sensitive to. */
static const double words[] = {0.0,      -0.0,      1.0,
                               -1.0,     0x1p-1074, 0x1p-1022,
                               0x1p-540, 0x1p+540,  0x1.fffffffffffffp+1023,
                               INFINITY, -INFINITY, NAN,
                               708.0,    1e300};
#define WORDS (sizeof words / sizeof words[0])

static void read_seeds(const char *directory)
{
    DIR *dir = opendir(directory);
    struct dirent *entry;

    while (dir && seeds < SEEDS && (entry = readdir(dir))) {
        char path[4096 + 256];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        file = entry->d_name[0] != '.' ? fopen(path, "rb") : NULL;
        if (!file)
            continue;
        seed[seeds].size = fread(seed[seeds].data, 1, LONGEST, file);
        seeds++;
        fclose(file);
    }
    if (dir)
        closedir(dir);
}

static void mutate(struct input *input, uint64_t *state)
{
    size_t at = input->size ? tap_random(state) % input->size : 0;
    size_t room = LONGEST - input->size;

    switch (tap_random(state) % 5) {
    case 0: /* one byte */
        input->data[at] = (uint8_t)tap_random(state);
        break;
    case 1: /* one bit */
        input->data[at] ^= (uint8_t)(1u << tap_random(state) % 8);
        break;
    case 2: /* a word of interest, where a double begins */
        at = 3 + 8 * (tap_random(state) % (LONGEST / 8 - 1));
        memcpy(input->data + at, &words[tap_random(state) % WORDS], 8);
        input->size = input->size < at + 8 ? at + 8 : input->size;
        break;
    case 3: /* longer by a copy of a part */
        if (room > 8 && input->size > 8) {
            memcpy(input->data + input->size, input->data + at % (input->size - 8), 8);
            input->size += 8;
        }
        break;
    default: /* shorter */
        input->size -= input->size > 3 ? tap_random(state) % (input->size - 2) : 0;
    }
}

static void make_input(struct input *input, uint64_t *state)
{
    memset(input, 0, sizeof *input);
    if (seeds && tap_random(state) % 4) {
        *input = seed[tap_random(state) % seeds];
    } else {
        input->size = 3 + tap_random(state) % (LONGEST - 3);
        for (size_t i = 0; i < input->size; i++)
            input->data[i] = (uint8_t)tap_random(state);
    }
    for (uint64_t count = tap_random(state) % 8; count > 0; count--)
        mutate(input, state);
}

static void show_input(int number)
{
    static const char digit[] = "0123456789abcdef";
    char text[2 * LONGEST + 1];

    for (size_t i = 0; i < current.size; i++) {
        text[2 * i] = digit[current.data[i] >> 4];
        text[2 * i + 1] = digit[current.data[i] & 15];
    }
    text[2 * current.size] = '\n';
    if (write(1, "not ok - the target aborted on:\n# ", 34) > 0 &&
        write(1, text, 2 * current.size + 1) > 0)
        _exit(1);
    _exit(128 + number);
}

int main(int argc, char **argv)
{
    const char *source = getenv("srcdir"), *found = strstr(argv[0], "random-");
    const char *target = found ? found + strlen("random-") : "", *set = getenv("ATTEST_TRIALS");
    size_t trials = set && *set ? strtoull(set, NULL, 0) : INPUTS;
    uint64_t state = tap_seed(0x5eed0004);
    char directory[4096];

    (void)argc;
    snprintf(directory, sizeof directory, "%s/tests/fuzz/seeds/%s", source ? source : ".",
             target);
    read_seeds(directory);
    TAP_OK(seeds > 0, "%zu seeds for %s", seeds, target);
    signal(SIGABRT, show_input);
    for (size_t i = 0; i < trials; i++) {
        make_input(&current, &state);
        LLVMFuzzerTestOneInput(current.data, current.size);
    }
    TAP_OK(true, "%zu inputs for %s", trials, target);
    return tap_done();
}
