#include "runtime/net/authority.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#define CURVE "P-256"

struct authority {
    EVP_PKEY *key;
    X509 *certificate;
};

static enum status fail_openssl(struct error *err, const char *what)
{
    const char *reason = ERR_reason_error_string(ERR_get_error());

    ERR_clear_error();
    return fail(err, STATUS_FAILED, "cannot make %s: %s", what, reason ? reason : "OpenSSL failed");
}

static bool set_serial(X509 *certificate)
{
    uint64_t serial;

    return RAND_bytes((unsigned char *)&serial, sizeof serial) == 1 &&
           ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1;
}

static bool set_times(X509 *certificate, int64_t now_s)
{
    return ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)(now_s - AUTHORITY_SKEW_S)) &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)(now_s + AUTHORITY_VALID_S));
}

static bool set_subject(X509 *certificate, const char *name)
{
    return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                                      (const unsigned char *)name, -1, -1, 0) == 1;
}

static bool add_extension(X509 *certificate, X509 *issuer, int kind, const char *value)
{
    X509V3_CTX context;
    X509_EXTENSION *extension;
    bool is_added;

    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    is_added = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_added;
}

/* A certificate that is all but signed. */
static X509 *draft(EVP_PKEY *key, const char *name, int64_t now_s)
{
    X509 *certificate = X509_new();

    if (certificate && X509_set_version(certificate, X509_VERSION_3) == 1 &&
        set_serial(certificate) && set_times(certificate, now_s) &&
        set_subject(certificate, name) && X509_set_pubkey(certificate, key) == 1)
        return certificate;
    X509_free(certificate);
    return NULL;
}

static bool sign_self(X509 *certificate, EVP_PKEY *key)
{
    return X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1 &&
           add_extension(certificate, certificate, NID_basic_constraints,
                         "critical,CA:TRUE,pathlen:0") &&
           add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign") &&
           add_extension(certificate, certificate, NID_subject_key_identifier, "hash") &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

enum status authority_new(uint64_t job, int64_t now_s, struct authority **out, struct error *err)
{
    struct authority *authority = calloc(1, sizeof *authority);
    char name[IDENTITY_TEXT_MAX];

    if (!authority)
        return fail_no_memory(err);
    snprintf(name, sizeof name, "totrain job %llu", (unsigned long long)job);
    authority->key = EVP_EC_gen(CURVE);
    if (authority->key)
        authority->certificate = draft(authority->key, name, now_s);
    if (!authority->certificate || !sign_self(authority->certificate, authority->key)) {
        authority_free(authority);
        return fail_openssl(err, "a certificate authority");
    }
    *out = authority;
    return STATUS_OK;
}

void authority_free(struct authority *authority)
{
    if (!authority)
        return;
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
    free(authority);
}

/* Workers and servers are both ends of connections, the master only accepts them. */
static bool sign(const struct authority *authority, X509 *certificate, const struct identity *who)
{
    char name[IDENTITY_TEXT_MAX], alternative[IDENTITY_TEXT_MAX + 4];
    const char *usage = who->role == IDENTITY_MASTER ? "serverAuth" : "serverAuth,clientAuth";
    X509 *issuer = authority->certificate;

    identity_write(who, name);
    snprintf(alternative, sizeof alternative, "URI:%s", name);
    return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
           add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
           add_extension(certificate, issuer, NID_ext_key_usage, usage) &&
           add_extension(certificate, issuer, NID_subject_alt_name, alternative) &&
           add_extension(certificate, issuer, NID_subject_key_identifier, "hash") &&
           add_extension(certificate, issuer, NID_authority_key_identifier, "keyid") &&
           X509_sign(certificate, authority->key, EVP_sha256()) > 0;
}

static bool print_pem(const X509 *certificate, const EVP_PKEY *key, struct text *out)
{
    BIO *memory = BIO_new(BIO_s_secmem());
    bool is_printed;
    char *bytes = NULL;
    long size;

    is_printed = memory && (key ? PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL)
                                : PEM_write_bio_X509(memory, certificate)) == 1;
    if (is_printed) {
        size = BIO_get_mem_data(memory, &bytes);
        text_append(out, (struct slice){bytes, (size_t)size});
        is_printed = !out->failed;
    }
    BIO_free(memory);
    return is_printed;
}

enum status authority_issue(const struct authority *authority, const struct identity *who,
                            int64_t now_s, struct credentials *credentials, struct error *err)
{
    EVP_PKEY *key = EVP_EC_gen(CURVE);
    char name[IDENTITY_TEXT_MAX];
    X509 *certificate;
    bool is_issued;

    identity_describe(who, name);
    certificate = key ? draft(key, name, now_s) : NULL;
    is_issued = certificate && sign(authority, certificate, who) &&
                print_pem(authority->certificate, NULL, &credentials->authority) &&
                print_pem(certificate, NULL, &credentials->certificate) &&
                print_pem(NULL, key, &credentials->key);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return is_issued ? STATUS_OK : fail_openssl(err, "a certificate");
}
