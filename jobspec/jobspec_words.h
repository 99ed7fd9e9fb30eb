/*
 * jobspec_words.h - the enums of a job spec and the words that stand for them
 * in JSON; shared by reader and writer alone.
 */
#ifndef JOBSPEC_JOBSPEC_WORDS_H
#define JOBSPEC_JOBSPEC_WORDS_H

#include "jobspec/jobspec.h"

/* In the order of the enums; NULL-terminated. */
extern const char *const spec_kind_words[];
extern const char *const spec_task_words[];
extern const char *const spec_input_kind_words[];
extern const char *const spec_label_type_words[];
extern const char *const spec_activation_words[];
extern const char *const spec_optimizer_words[];
extern const char *const spec_schedule_words[];

#endif
