/*
 * sha256.h - SHA-256 (FIPS 180-4), for what runs inside a database, where no library of
 * cryptography is loaded. It is no secret that is hashed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    uint8_t block[64];
};

void sha256_init(struct sha256 *hash);
void sha256_update(struct sha256 *hash, const void *bytes, size_t size);
void sha256_final(struct sha256 *hash, uint8_t digest[SHA256_BYTES]);
