#include "runtime/net/tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "runtime/net/tls_verify.h"

#define READ_AHEAD_BYTES ((size_t)64 << 10)
/* AES-128 first: it is the fastest where the processor helps, and the record
 * protection of a training job needs no more. */
#define CIPHERS                                                                                    \
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"                                               \
    "TLS_CHACHA20_POLY1305_SHA256"

struct tls {
    SSL_CTX *context;
    struct identity identity;
};

struct tls_session {
    SSL *ssl;
    bool is_established;
    struct tls_verify verify;
};

static X509 *read_certificate(const struct text *pem)
{
    BIO *memory = BIO_new_mem_buf(pem->data, (int)pem->size);
    X509 *certificate = memory ? PEM_read_bio_X509(memory, NULL, NULL, NULL) : NULL;

    BIO_free(memory);
    return certificate;
}

/* An encrypted key is refused: there is no user to ask for a password. */
static int no_password(char *password, int size, int is_writing, void *context)
{
    (void)password;
    (void)size;
    (void)is_writing;
    (void)context;
    return -1;
}

static EVP_PKEY *read_key(const struct text *pem)
{
    BIO *memory = BIO_new_mem_buf(pem->data, (int)pem->size);
    EVP_PKEY *key = memory ? PEM_read_bio_PrivateKey(memory, NULL, no_password, NULL) : NULL;

    BIO_free(memory);
    return key;
}

static bool set_policy(SSL_CTX *context)
{
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                       tls_verify_certificate);
    SSL_CTX_set_verify_depth(context, 0); /* the authority signs roles without intermediates */
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, READ_AHEAD_BYTES);
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_num_tickets(context, 0) == 1 &&
           SSL_CTX_set_ciphersuites(context, CIPHERS) == 1;
}

static enum status use(struct tls *tls, X509 *authority, X509 *certificate, EVP_PKEY *key,
                       struct error *err)
{
    SSL_CTX *context = tls->context;

    if (!authority || !certificate || !key)
        return fail(err, STATUS_INVALID, "the TLS %s is not PEM",
                    !authority     ? "authority (ca.crt)"
                    : !certificate ? "certificate (tls.crt)"
                                   : "key (tls.key)");
    /* Asked here and not first by two threads at once: OpenSSL keeps what it finds
     * out about a certificate in it. */
    if (X509_check_ca(authority) != 1)
        return fail(err, STATUS_INVALID, "the TLS authority (ca.crt) may not sign certificates");
    if (!tls_identity_of(certificate, &tls->identity))
        return fail(err, STATUS_INVALID, "the TLS certificate names no role of a job");
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority) != 1 ||
        X509_STORE_set_flags(SSL_CTX_get_cert_store(context), X509_V_FLAG_X509_STRICT) != 1 ||
        SSL_CTX_use_certificate(context, certificate) != 1)
        return fail(err, STATUS_INVALID, "the TLS certificate cannot be used");
    if (SSL_CTX_use_PrivateKey(context, key) != 1 || SSL_CTX_check_private_key(context) != 1)
        return fail(err, STATUS_INVALID,
                    "the TLS key (tls.key) does not belong to the certificate");
    return STATUS_OK;
}

enum status tls_new(const struct credentials *credentials, struct tls **out, struct error *err)
{
    struct tls *tls = calloc(1, sizeof *tls);
    X509 *authority, *certificate;
    enum status status;
    EVP_PKEY *key;

    if (!tls)
        return fail_no_memory(err);
    tls->context = SSL_CTX_new(TLS_method());
    if (!tls->context || !set_policy(tls->context)) {
        tls_free(tls);
        ERR_clear_error();
        return fail(err, STATUS_UNSUPPORTED, "this OpenSSL cannot do TLS 1.3");
    }
    authority = read_certificate(&credentials->authority);
    certificate = read_certificate(&credentials->certificate);
    key = read_key(&credentials->key);
    status = use(tls, authority, certificate, key, err);
    X509_free(authority);
    X509_free(certificate);
    EVP_PKEY_free(key);
    ERR_clear_error();
    if (status != STATUS_OK)
        tls_free(tls);
    else
        *out = tls;
    return status;
}

enum status tls_open(const char *folder, struct tls **tls, struct error *err)
{
    struct credentials credentials;
    enum status status;

    credentials_init(&credentials);
    status = credentials_load(&credentials, folder, err);
    if (status == STATUS_OK)
        status = tls_new(&credentials, tls, err);
    credentials_deinit(&credentials);
    return status;
}

void tls_free(struct tls *tls)
{
    if (!tls)
        return;
    SSL_CTX_free(tls->context);
    free(tls);
}

const struct identity *tls_identity(const struct tls *tls)
{
    return &tls->identity;
}

enum status tls_session_new(const struct tls_demand *demand, int socket, enum tls_side side,
                            struct tls_session **out, struct error *err)
{
    struct tls_session *session = calloc(1, sizeof *session);

    if (!session)
        return fail_no_memory(err);
    session->verify.expected = (struct identity){demand->tls->identity.job, demand->peer, 0};
    session->ssl = SSL_new(demand->tls->context);
    if (!session->ssl || SSL_set_fd(session->ssl, socket) != 1) {
        tls_session_free(session);
        ERR_clear_error();
        return fail_no_memory(err);
    }
    SSL_set_app_data(session->ssl, &session->verify);
    if (side == TLS_ACCEPTS)
        SSL_set_accept_state(session->ssl);
    else
        SSL_set_connect_state(session->ssl);
    *out = session;
    return STATUS_OK;
}

void tls_session_free(struct tls_session *session)
{
    if (!session)
        return;
    if (session->is_established) {
        ERR_clear_error();
        (void)SSL_shutdown(session->ssl);
        ERR_clear_error();
    }
    SSL_free(session->ssl);
    free(session);
}

static enum tls_result fail_tls(const struct tls_session *session, struct error *err)
{
    unsigned long code = ERR_get_error();

    ERR_clear_error();
    if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        fail(err, STATUS_CONNECTION, "the other side closed the connection");
        return TLS_CLOSED;
    }
    tls_verify_explain(&session->verify, code, err);
    return TLS_FAILED;
}

static enum tls_result result_of(const struct tls_session *session, int code, struct error *err)
{
    int error_number = errno;

    switch (SSL_get_error(session->ssl, code)) {
    case SSL_ERROR_WANT_READ:
        return TLS_WANTS_READ;
    case SSL_ERROR_WANT_WRITE:
        return TLS_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        fail(err, STATUS_CONNECTION, "the other side closed the connection");
        return TLS_CLOSED;
    case SSL_ERROR_SYSCALL:
        ERR_clear_error();
        fail(err, STATUS_CONNECTION, "%s",
             error_number ? strerror(error_number) : "the other side closed the connection");
        return TLS_CLOSED;
    default:
        return fail_tls(session, err);
    }
}

enum tls_result tls_handshake(struct tls_session *session, struct error *err)
{
    int code;

    ERR_clear_error();
    errno = 0;
    code = SSL_do_handshake(session->ssl);
    if (code != 1)
        return result_of(session, code, err);
    session->is_established = true;
    return TLS_DONE;
}

enum tls_result tls_read(struct tls_session *session, char *bytes, size_t size, size_t *done,
                         struct error *err)
{
    int code;

    ERR_clear_error();
    errno = 0;
    code = SSL_read_ex(session->ssl, bytes, size, done);
    return code == 1 ? TLS_DONE : result_of(session, code, err);
}

enum tls_result tls_write(struct tls_session *session, const char *bytes, size_t size, size_t *done,
                          struct error *err)
{
    int code;

    ERR_clear_error();
    errno = 0;
    code = SSL_write_ex(session->ssl, bytes, size, done);
    return code == 1 ? TLS_DONE : result_of(session, code, err);
}

const struct identity *tls_peer(const struct tls_session *session)
{
    return &session->verify.peer;
}
