/* sha256.c -- the examples of FIPS 180-4 and of its validation suite, every division of a
 * message into calls, and sha256sum if it is installed. */
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "tests/tap.h"

static void hash(char hex[65], const void *bytes, size_t count)
{
    unsigned char digest[ATTEST_SHA256_SIZE];
    attest_sha256 state;

    attest_sha256_init(&state);
    attest_sha256_add(&state, bytes, count);
    attest_sha256_get(digest, &state);
    attest_sha256_format(hex, digest);
}

static void check(const char *bytes, size_t count, const char *wanted, const char *name)
{
    char hex[65];

    hash(hex, bytes, count);
    TAP_OK(strcmp(hex, wanted) == 0, "%s", name);
}

static void known_answers(void)
{
    static char million[1000000];

    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "empty");
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc");
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "two blocks");
    check("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
          "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
          112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
          "112 characters");
    memset(million, 'a', sizeof million);
    check(million, sizeof million,
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "a million a");
    check("\xbd", 1, "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b",
          "one byte");
    check("\xc9\x8c\x8e\x55", 4,
          "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504", "four bytes");
    memset(million, 0, sizeof million);
    check(million, 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7",
          "55 zeros: the padding just fits");
    check(million, 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb",
          "56 zeros: the length needs a block of its own");
    check(million, 57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785",
          "57 zeros");
    check(million, 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b",
          "64 zeros: a block and its padding");
}

static void pieces(void)
{
    unsigned char message[300], digest[ATTEST_SHA256_SIZE];
    char whole[65], cut[65];
    bool same = true;

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)(i * 37 + 11);
    for (size_t size = 0; size <= sizeof message; size += 25) {
        hash(whole, message, size);
        for (size_t a = 0; a <= size; a++)
            for (size_t b = a; b <= size; b += 13) {
                attest_sha256 state;
                attest_sha256_init(&state);
                attest_sha256_add(&state, message, a);
                attest_sha256_add(&state, message + a, b - a);
                attest_sha256_add(&state, message + b, size - b);
                attest_sha256_get(digest, &state);
                attest_sha256_format(cut, digest);
                same = same && strcmp(cut, whole) == 0;
            }
    }
    TAP_OK(same, "a message in three pieces has the hash of the whole");
}

/* Messages of random length against another implementation. */
static void against_sha256sum(void)
{
    static unsigned char message[5000];
    uint64_t seed = tap_seed(0x5a256);
    char name[] = "/tmp/t-sha256-XXXXXX", command[64], theirs[65] = "", ours[65];
    int file = mkstemp(name);
    bool same = file >= 0;

    if (system("sha256sum </dev/null >/dev/null 2>&1") != 0) {
        TAP_OK(true, "sha256sum agrees # SKIP it is not installed");
        return;
    }
    for (int i = 0; i < 40 && same; i++) {
        size_t size = tap_random(&seed) % sizeof message;
        for (size_t k = 0; k < size; k++)
            message[k] = (unsigned char)tap_random(&seed);
        hash(ours, message, size);
        same = ftruncate(file, 0) == 0 && pwrite(file, message, size, 0) == (ssize_t)size;
        snprintf(command, sizeof command, "sha256sum <%s", name);
        FILE *pipe = popen(command, "r");
        same = same && pipe && fscanf(pipe, "%64s", theirs) == 1 && strcmp(ours, theirs) == 0;
        if (pipe)
            pclose(pipe);
    }
    TAP_OK(same, "sha256sum agrees");
    close(file);
    unlink(name);
}

TEST(sha256)
{
    known_answers();
    pieces();
    against_sha256sum();
    return 0;
}
