/*
 * authority.h - a job's own certificate authority.
 *
 * The launcher makes one when the job begins and issues a certificate for each
 * role that it starts. Its key is never written anywhere: it ends with the
 * launcher, and from then on no further process can get a certificate of the job.
 *
 * Keys are ECDSA on P-256: small, quick to make and to check, and known to
 * every TLS library and policy.
 */
#pragma once

#include "runtime/net/credentials.h"
#include "runtime/net/identity.h"

/* Certificates are valid from AUTHORITY_SKEW_S before `now_s` (seconds since
 * 1970), since the clocks of other machines may be behind, and for
 * AUTHORITY_VALID_S from then: longer than jobs run, as a role shows its
 * certificate again whenever it connects again. */
#define AUTHORITY_SKEW_S  ((int64_t)24 * 3600)
#define AUTHORITY_VALID_S ((int64_t)90 * 24 * 3600)

struct authority;

enum status authority_new(uint64_t job, int64_t now_s, struct authority **authority,
                          struct error *err);
void authority_free(struct authority *authority);

/* A new key and a certificate of `who`, which the caller chose to trust.
 * After credentials_init. */
enum status authority_issue(const struct authority *authority, const struct identity *who,
                            int64_t now_s, struct credentials *credentials, struct error *err);
