/*
 * model_digest.h - the digest by which two models are the same bit for bit.
 */
#pragma once

#include "scoring/tables/model_table.h"

#define DIGEST_BYTES 65 /* 64 hex digits, terminated */

/* SHA-256 of the model's bytes (scoring/tables/model_bytes.h), in hexadecimal. */
enum status model_digest(const struct model *model, char digest[DIGEST_BYTES], struct error *err);
