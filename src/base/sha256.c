/* sha256.c -- SHA-256, FIPS 180-4 sections 4.1.2, 5 and 6.2. Names follow the standard. */
#include "base/sha256.h"

#include <string.h>

/* Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
 * primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

/* Branches of a hash are useless to a fuzzer and take a third of its time. */
#if defined(__clang__)
#define UNTRACED __attribute__((no_sanitize("coverage")))
#else
#define UNTRACED
#endif

UNTRACED static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

UNTRACED static uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

UNTRACED static void store_be32(unsigned char *p, uint32_t x)
{
    p[0] = (unsigned char)(x >> 24);
    p[1] = (unsigned char)(x >> 16);
    p[2] = (unsigned char)(x >> 8);
    p[3] = (unsigned char)x;
}

/* W_t from W_{t-16} in its place: w is a ring of the last sixteen. */
UNTRACED static uint32_t schedule(uint32_t w[16], unsigned t)
{
    uint32_t a = w[(t + 1) & 15], b = w[(t + 14) & 15];
    uint32_t sigma0 = rotr(a, 7) ^ rotr(a, 18) ^ a >> 3;
    uint32_t sigma1 = rotr(b, 17) ^ rotr(b, 19) ^ b >> 10;

    return w[t & 15] += sigma0 + w[(t + 9) & 15] + sigma1;
}

/* One round; the caller renames the variables instead of moving them. */
#define ROUND(a, b, c, d, e, f, g, h, t, word)                                                 \
    do {                                                                                       \
        h += (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g))) + K[t] + (word);   \
        d += h;                                                                                \
        h += (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));             \
    } while (0)

#define EIGHT_ROUNDS(t, word)                                                                  \
    do {                                                                                       \
        ROUND(a, b, c, d, e, f, g, h, (t), word(t));                                           \
        ROUND(h, a, b, c, d, e, f, g, (t) + 1, word((t) + 1));                                 \
        ROUND(g, h, a, b, c, d, e, f, (t) + 2, word((t) + 2));                                 \
        ROUND(f, g, h, a, b, c, d, e, (t) + 3, word((t) + 3));                                 \
        ROUND(e, f, g, h, a, b, c, d, (t) + 4, word((t) + 4));                                 \
        ROUND(d, e, f, g, h, a, b, c, (t) + 5, word((t) + 5));                                 \
        ROUND(c, d, e, f, g, h, a, b, (t) + 6, word((t) + 6));                                 \
        ROUND(b, c, d, e, f, g, h, a, (t) + 7, word((t) + 7));                                 \
    } while (0)

#define FIRST_WORD(t) (w[t] = load_be32(block + 4 * (t)))
#define NEXT_WORD(t) schedule(w, t)

UNTRACED static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

    EIGHT_ROUNDS(0, FIRST_WORD);
    EIGHT_ROUNDS(8, FIRST_WORD);
    for (unsigned t = 16; t < 64; t += 16) {
        EIGHT_ROUNDS(t, NEXT_WORD);
        EIGHT_ROUNDS(t + 8, NEXT_WORD);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void attest_sha256_init(attest_sha256 *hash)
{
    /* Section 5.3.3: the square roots of the first eight primes. */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(hash->state, start, sizeof start);
    hash->total = 0;
}

void attest_sha256_add(attest_sha256 *hash, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    size_t held = hash->total % ATTEST_SHA256_BLOCK;

    if (count == 0)
        return;
    hash->total += count;
    if (held) {
        size_t room = ATTEST_SHA256_BLOCK - held, part = count < room ? count : room;
        memcpy(hash->block + held, from, part);
        from += part;
        count -= part;
        if (part < room)
            return;
        compress(hash->state, hash->block);
    }
    for (; count >= ATTEST_SHA256_BLOCK; count -= ATTEST_SHA256_BLOCK) {
        compress(hash->state, from);
        from += ATTEST_SHA256_BLOCK;
    }
    memcpy(hash->block, from, count);
}

UNTRACED void attest_sha256_get(unsigned char digest[ATTEST_SHA256_SIZE], attest_sha256 *hash)
{
    uint64_t bits = hash->total * 8;
    size_t held = hash->total % ATTEST_SHA256_BLOCK;

    /* Section 5.1.1: a one bit, zeros, and the length in bits as 64 bits. */
    hash->block[held++] = 0x80;
    if (held > ATTEST_SHA256_BLOCK - 8) {
        memset(hash->block + held, 0, ATTEST_SHA256_BLOCK - held);
        compress(hash->state, hash->block);
        held = 0;
    }
    memset(hash->block + held, 0, ATTEST_SHA256_BLOCK - 8 - held);
    store_be32(hash->block + ATTEST_SHA256_BLOCK - 8, (uint32_t)(bits >> 32));
    store_be32(hash->block + ATTEST_SHA256_BLOCK - 4, (uint32_t)bits);
    compress(hash->state, hash->block);
    for (int i = 0; i < 8; i++)
        store_be32(digest + 4 * i, hash->state[i]);
}

UNTRACED void attest_sha256_format(char hex[2 * ATTEST_SHA256_SIZE + 1],
                                   const unsigned char digest[ATTEST_SHA256_SIZE])
{
    static const char digit[] = "0123456789abcdef";

    for (int i = 0; i < ATTEST_SHA256_SIZE; i++) {
        hex[2 * i] = digit[digest[i] >> 4];
        hex[2 * i + 1] = digit[digest[i] & 15];
    }
    hex[2 * ATTEST_SHA256_SIZE] = '\0';
}

void attest_sha256_hex(char hex[2 * ATTEST_SHA256_SIZE + 1], const void *bytes, size_t count)
{
    unsigned char digest[ATTEST_SHA256_SIZE];
    attest_sha256 hash;

    attest_sha256_init(&hash);
    attest_sha256_add(&hash, bytes, count);
    attest_sha256_get(digest, &hash);
    attest_sha256_format(hex, digest);
}
