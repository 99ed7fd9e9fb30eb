/*
 * kubeconfig.h - files that name clusters and our credentials for them.
 *
 *     file --read--> clusters, users, contexts --choose--> struct kube_access
 *
 * The format is kubectl's (https://kubernetes.io/docs/reference/config-api/
 * kubeconfig.v1/), read by libyaml, so that JSON is taken too. Several files can
 * be read into one struct: as with KUBECONFIG, the first that names a thing wins.
 *
 * Types are checked while reading, for all entries. Files and base64 are looked
 * at only for the context that is chosen. Errors name file, line and field:
 *
 *     /home/ana/.kube/config:12: users "ana": client-key-data: no base64
 *
 * Members that change our identity or how the server is checked, and that are not
 * supported here (passwords, auth-provider, impersonation), are refused when they are
 * chosen, never ignored; other unknown members are ignored, as kubectl does.
 */
#pragma once

#include "k8s/client/access.h"

#define KUBECONFIG_BYTES_MAX   ((size_t)1 << 20)
#define KUBECONFIG_ENTRIES_MAX 1000 /* entries of each kind in a file */

/* A scalar and where it stood. */
struct kubeconfig_field {
    struct slice value; /* .data NULL: not there */
    const char *name, *file;
    unsigned line;
};

struct kubeconfig_cluster {
    struct kubeconfig_field name, server, server_name, proxy;
    struct kubeconfig_field authority_data, authority_file, insecure;
    struct kubeconfig_cluster *next;
};

struct kubeconfig_user {
    struct kubeconfig_field name, token, token_file;
    struct kubeconfig_field certificate_data, certificate_file, key_data, key_file;
    struct kubeconfig_field refused;    /* the first member that is not supported */
    struct kubeconfig_field exec_place; /* place of exec; its value is the command */
    struct access_exec exec;
    struct kubeconfig_user *next;
};

struct kubeconfig_context {
    struct kubeconfig_field name, cluster, user, kube_namespace;
    struct kubeconfig_context *next;
};

struct kubeconfig {
    struct kubeconfig_field current;
    struct kubeconfig_cluster *clusters; /* in the order read */
    struct kubeconfig_user *users;
    struct kubeconfig_context *contexts;
};

/* Adds the contents of `yaml` to `config` (zeroed before the first). `file` is its
 * path, for errors and relative file names. CORRUPT, LIMIT, NO_MEMORY. */
enum status kubeconfig_read(struct slice yaml, const char *file, struct arena *arena,
                            struct kubeconfig *config, struct error *err);

/* The same for a file on disk. */
enum status kubeconfig_load(const char *file, struct arena *arena, struct kubeconfig *config,
                            struct error *err);

struct kubeconfig_choice {
    const char *context;  /* NULL: the current one */
    bool allows_exec;     /* its user may run a program: only where the file is the caller's own */
    bool allows_insecure; /* http, and servers whose certificate is not checked */
};
