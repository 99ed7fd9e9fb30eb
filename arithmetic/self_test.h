/*
 * self_test.h - does this machine compute as others do?
 *
 * A processor that computes wrongly, or memory that changes by itself, ruins a model that others
 * learn well. So a worker computes something of which the result is known before it gets a lane:
 * products of matrices, one after the other, each of the result of the one before. It takes some
 * milliseconds, and no file or network.
 */
#pragma once

#include <stdint.h>

#include "arithmetic/products.h"
#include "base/error.h"

#define SELF_TEST_DIGEST UINT64_C(0xecaabe4e46fe70a0)

/* The digest of all bits of the results, by this way of the build. */
uint64_t self_test_digest(const struct product_variant *variant);

/* By the way in use. CORRUPT: the result is another one. */
enum status self_test(struct error *err);
