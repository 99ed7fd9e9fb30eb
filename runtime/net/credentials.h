/*
 * credentials.h - a role's certificate and key, and the folder that holds them.
 *
 *     FOLDER (0700)/ca.crt    the job's certificate authority
 *                   tls.crt   this role's certificate, signed by it
 *                   tls.key   its private key (0600)
 *
 * All PEM. The names are those of a Kubernetes Secret of type
 * kubernetes.io/tls, so that one can be mounted as the folder. A key that
 * every user of the machine may read is refused. Keys never stand in an
 * argument, the environment or a log.
 */
#pragma once

#include "base/error.h"

#define CREDENTIALS_BYTES_MAX ((size_t)64 << 10) /* bytes of each file */

struct credentials {
    struct text authority, certificate, key; /* PEM */
};

void credentials_init(struct credentials *credentials);
void credentials_deinit(struct credentials *credentials); /* wipes the key */

/* Makes the folder where there is none. Files are replaced whole. */
enum status credentials_save(const struct credentials *credentials, const char *folder,
                             struct error *err);
/* IO, LIMIT, PERMISSION with the file's name. After credentials_init. */
enum status credentials_load(struct credentials *credentials, const char *folder,
                             struct error *err);
