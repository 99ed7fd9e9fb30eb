#include "runtime/net/tls_verify.h"

#include <stdio.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

bool tls_identity_of(X509 *certificate, struct identity *identity)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    bool is_role = false;

    if (names && sk_GENERAL_NAME_num(names) == 1) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, 0);

        if (name->type == GEN_URI) {
            const ASN1_IA5STRING *uri = name->d.uniformResourceIdentifier;
            struct slice text = {(const char *)ASN1_STRING_get0_data(uri),
                                 (size_t)ASN1_STRING_length(uri)};

            is_role = identity_read(text, identity);
        }
    }
    GENERAL_NAMES_free(names);
    return is_role;
}

static bool is_expected(const struct tls_verify *verify)
{
    return verify->peer.job == verify->expected.job &&
           (verify->peer.role == IDENTITY_MASTER) == (verify->expected.role == IDENTITY_MASTER);
}

static void refuse_identity(struct tls_verify *verify)
{
    char peer[IDENTITY_TEXT_MAX];

    identity_describe(&verify->peer, peer);
    snprintf(verify->refusal, sizeof verify->refusal,
             "its certificate is of %s, expected a certificate of %s of job %llu", peer,
             verify->expected.role == IDENTITY_MASTER ? "the master" : "a worker or server",
             (unsigned long long)verify->expected.job);
}

int tls_verify_certificate(int is_valid, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tls_verify *verify = SSL_get_app_data(ssl);

    if (!is_valid) {
        snprintf(verify->refusal, sizeof verify->refusal, "its certificate is refused: %s",
                 X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
        return 0;
    }
    if (X509_STORE_CTX_get_error_depth(store) > 0)
        return 1;
    if (!tls_identity_of(X509_STORE_CTX_get_current_cert(store), &verify->peer))
        snprintf(verify->refusal, sizeof verify->refusal, "its certificate names no role of a job");
    else if (!is_expected(verify))
        refuse_identity(verify);
    else
        return 1;
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

static const char *explain(unsigned long code)
{
    const char *reason = ERR_reason_error_string(code);

    switch (ERR_GET_REASON(code)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_UNEXPECTED_MESSAGE:
        return "it does not speak TLS";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
        return "it does not speak TLS 1.3";
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
        return "it shows no certificate";
    default:
        return reason ? reason : "TLS failed";
    }
}

void tls_verify_explain(const struct tls_verify *verify, unsigned long code, struct error *err)
{
    fail(err, STATUS_PERMISSION, "%s", verify->refusal[0] ? verify->refusal : explain(code));
}
