#include "k8s/client/base64.h"

#include <limits.h>

#include <openssl/evp.h>

#define PIECE_BYTES 3072 /* a multiple of 3: padding comes at the end only */

enum status base64_decode(struct slice letters, struct arena *arena, struct slice *bytes,
                          struct error *err)
{
    EVP_ENCODE_CTX *context = letters.size <= INT_MAX ? EVP_ENCODE_CTX_new() : NULL;
    char *out = arena_alloc(arena, letters.size / 4 * 3 + 4);
    int size = 0, rest = 0, more;

    if (!context || !out) {
        EVP_ENCODE_CTX_free(context);
        return fail_no_memory(err);
    }
    EVP_DecodeInit(context);
    more = EVP_DecodeUpdate(context, (unsigned char *)out, &size,
                            (const unsigned char *)letters.data, (int)letters.size);
    if (more >= 0)
        more = EVP_DecodeFinal(context, (unsigned char *)out + size, &rest);
    EVP_ENCODE_CTX_free(context);
    if (more < 0)
        return fail(err, STATUS_CORRUPT, "no base64");
    *bytes = (struct slice){out, (size_t)(size + rest)};
    return STATUS_OK;
}

void base64_encode(struct slice bytes, struct text *out)
{
    unsigned char letters[PIECE_BYTES / 3 * 4 + 1];

    while (bytes.size > 0) {
        size_t size = bytes.size < PIECE_BYTES ? bytes.size : PIECE_BYTES;
        int written = EVP_EncodeBlock(letters, (const unsigned char *)bytes.data, (int)size);

        text_append(out, (struct slice){(const char *)letters, (size_t)written});
        bytes = (struct slice){bytes.data + size, bytes.size - size};
    }
}
