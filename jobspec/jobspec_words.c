#include "jobspec/jobspec_words.h"

const char *const spec_kind_words[] = {"train", "predict", "evaluate", NULL};
