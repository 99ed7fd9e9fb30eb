/*
 * jobspec_words.h - the words of a job spec's JSON that are in no other file's (params/terms.h).
 */
#pragma once

#include "jobspec/jobspec.h"

/* In the order of enum spec_kind; NULL-terminated. */
extern const char *const spec_kind_words[];
