#include "jobspec/jobspec_words.h"

const char *const spec_kind_words[] = {"train", "predict", "evaluate", NULL};
const char *const spec_task_words[] = {"classification", "regression", NULL};
const char *const spec_input_kind_words[] = {"numeric", "category", NULL};
const char *const spec_label_type_words[] = {"integer", "real", "text", NULL};
const char *const spec_activation_words[] = {"identity", "relu", "tanh", "sigmoid", NULL};
const char *const spec_optimizer_words[] = {"SGD", "Momentum", "Nesterov", "Adagrad", "Adam", NULL};
const char *const spec_schedule_words[] = {"constant", "linear", "cosine", "trapezoidal", NULL};
