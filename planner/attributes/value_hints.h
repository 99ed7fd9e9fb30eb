/*
 * value_hints.h - what to write for a value that an attribute does not take.
 */
#pragma once

#include "params/attribute.h"
#include "parser/statement.h"

/* The hint of an error about the value: '64,32' is [64, 32], '5' is 5, 20 of a share is 0.2,
 * 'yes' is true. No hint where it is not clear what was meant. Returns err->status, which memory
 * that ran out changes. */
enum status value_hint(const struct attribute *attribute, const struct value *value,
                       struct error *err);
