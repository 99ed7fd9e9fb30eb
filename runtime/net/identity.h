/*
 * identity.h - the identity of a role, as in its certificate.
 *
 *     totrain:job/17/master
 *     totrain:job/17/worker/3
 *     totrain:job/17/server/0      a parameter server
 *
 * It is the one name (a URI) in the certificate's subjectAltName. Host names
 * and addresses do not count: roles move between machines, and a process with
 * the certificate is the role wherever it runs.
 */
#pragma once

#include "base/text.h"

enum identity_role { IDENTITY_MASTER, IDENTITY_WORKER, IDENTITY_SERVER };

struct identity {
    uint64_t job;
    enum identity_role role;
    uint32_t index; /* a worker's or a server's; 0 for the master */
};

#define IDENTITY_TEXT_MAX 64

void identity_write(const struct identity *identity, char text[IDENTITY_TEXT_MAX]);
/* Exactly what identity_write writes, nothing else. */
bool identity_read(struct slice text, struct identity *identity);
/* For people: "worker 3 of job 17". */
void identity_describe(const struct identity *identity, char text[IDENTITY_TEXT_MAX]);
bool identity_equal(const struct identity *a, const struct identity *b);
