/*
 * tls_verify.h - is this certificate the one that we expect, and if not, why
 * not in words. For tls.c only.
 */
#pragma once

#include <openssl/x509.h>

#include "base/error.h"
#include "runtime/net/identity.h"

struct tls_verify {
    struct identity expected; /* index: any */
    struct identity peer;     /* from its certificate */
    char refusal[256];        /* "" when its certificate is not the reason */
};

/* False unless the certificate has exactly one name and that is a role's. */
bool tls_identity_of(X509 *certificate, struct identity *identity);

/* For SSL_CTX_set_verify; the SSL's app data is a struct tls_verify. */
int tls_verify_certificate(int is_valid, X509_STORE_CTX *store);

/* Why a handshake failed; `code` as of ERR_get_error. */
void tls_verify_explain(const struct tls_verify *verify, unsigned long code, struct error *err);
