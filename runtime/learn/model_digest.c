#include "runtime/learn/model_digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>

#include "scoring/tables/model_bytes.h"

struct hash {
    EVP_MD_CTX *context;
    bool failed;
};

static void hash_update(void *context, const void *bytes, size_t size)
{
    struct hash *hash = context;

    if (!hash->failed && EVP_DigestUpdate(hash->context, bytes, size) != 1)
        hash->failed = true;
}

enum status model_digest(const struct model *model, char digest[DIGEST_BYTES], struct error *err)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    struct hash hash = {NULL, false};

    /* Where it could not allocate its own state OpenSSL 3.0 would follow a null pointer. */
    if (!OSSL_LIB_CTX_get0_global_default())
        return fail_no_memory(err);
    hash.context = EVP_MD_CTX_new();
    if (!hash.context || EVP_DigestInit_ex(hash.context, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(hash.context);
        return fail_no_memory(err);
    }
    model_feed_bytes(model, hash_update, &hash);
    if (EVP_DigestFinal_ex(hash.context, bytes, &size) != 1)
        hash.failed = true;
    EVP_MD_CTX_free(hash.context);
    if (hash.failed)
        return fail(err, STATUS_FAILED, "cannot compute the model's SHA-256");
    for (unsigned int i = 0; i < size && i < 32; i++)
        snprintf(digest + (size_t)2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}
