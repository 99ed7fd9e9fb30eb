/*
 * jobspec_parts.h - the limits of a job spec's members that reader and schema share, beside those
 * of params/terms.h.
 */
#pragma once

#include "inputs/input_members.h"
#include "jobspec/jobspec_words.h"

#define MEMBERS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define NAME_BYTES_MAX  INPUT_NAME_BYTES_MAX
#define SCORED_ROWS_MAX (1ull << 40) /* rows of a spool */
