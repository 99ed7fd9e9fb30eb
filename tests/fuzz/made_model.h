/*
 * made_model.h - models for the fuzzer of stored models, and for the test of its seeds.
 *
 * The input is the meta row's JSON, a zero byte, and bytes that the other rows are made of. The
 * rows that the JSON calls for are made to fit, checksums included, since no fuzzer would find
 * them, and the checksum of the whole is not looked at; then some are spoilt.
 */
#pragma once

#include "scoring/model.h"

#define MADE_MODEL_ARENA_BYTES ((size_t)4 << 20)

/* The model lives in the arena, and borrows the input. */
enum status made_model_load(struct slice input, struct arena *arena, struct model *model,
                            struct error *err);
