/*
 * access.h - the address of an API server, and our credentials for it.
 *
 *     kubeconfig file ---kubeconfig_choose---+
 *     a pod's own token --access_in_cluster--+--> struct kube_access --> http
 *
 * All strings live in the caller's arena, and are checked: the server
 * is an https URL (http only where insecure access was allowed), a token has
 * printable ASCII only, certificates and keys are PEM. Nothing of it is logged
 * or put into an error message but the server and file names.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

#define ACCESS_TOKEN_BYTES_MAX  ((size_t)64 << 10)
#define ACCESS_PEM_BYTES_MAX    ((size_t)256 << 10)
#define ACCESS_EXEC_STRINGS_MAX 100

/* A program that prints credentials (client.authentication.k8s.io). */
struct access_exec {
    struct slice command; /* a path, or a name to look for in PATH */
    struct slice version; /* "client.authentication.k8s.io/v1" or v1beta1 */
    struct slice hint;    /* how to install it; may be empty */
    const struct slice *arguments;
    size_t argument_count;
    const struct slice *variables; /* "NAME=value" */
    size_t variable_count;
};

struct access_choice; /* access_find.h */

struct kube_access {
    struct slice server;           /* "https://10.0.0.1:6443/prefix", no slash at the end */
    struct slice server_name;      /* in its certificate; empty: the host of `server` */
    struct slice proxy;            /* URL; empty: none */
    struct slice authority;        /* PEM; empty: those that the system trusts */
    bool is_insecure;              /* the server's certificate is not checked */
    struct slice certificate, key; /* PEM; empty: none */
    struct slice token;            /* bearer token; empty: none */
    struct slice token_file;       /* read again before requests; empty: none */
    const struct access_exec *exec;
    /* The credentials stand in files that are found so, and are read again where the server refuses
     * them; NULL: they do not. */
    const struct access_choice *choice;
    struct slice kube_namespace; /* "default" where none was given */
};

#define ACCESS_POD_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

/*
 * Finds a pod's own access: token, ca.crt and namespace in `folder`, host and port from
 * KUBERNETES_SERVICE_HOST and _PORT, which the caller passes. NOT_FOUND with a hint outside of a
 * pod.
 */
enum status access_in_cluster(const char *folder, const char *host, const char *port,
                              struct arena *arena, struct kube_access *access, struct error *err);

/* The checks on every way to an access. The message of CORRUPT names what is wrong and quotes no
 * secret; the caller adds where it was read. */
enum status access_check_server(struct slice url, bool allows_insecure, struct error *err);
enum status access_check_token(struct slice token, struct error *err);
enum status access_check_pem(struct slice bytes, const char *what, struct error *err);
enum status access_check_namespace(struct slice name, struct error *err); /* RFC 1123 label */

/* Token from a file, white space around it left out, checked. */
enum status access_read_token(const char *path, struct arena *arena, struct slice *token,
                              struct error *err);
