#include "jobspec/jobspec_words.h"

const char *const spec_kind_words[] = {"train", "predict", "evaluate", NULL};
const char *const spec_direction_words[] = {"falling", "rising", NULL};
