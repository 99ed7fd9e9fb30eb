#include "tests/documents/model_document.h"

#include "params/terms.h"
#include "planner/attributes/estimators.h"

static const char introduction[] =
    "# Models\n"
    "\n"
    "Every model that `TO TRAIN` knows, printed from the list in "
    "`planner/attributes/estimators.c`. Names are accepted in any\n"
    "case. Where a name has two rows, the objective or the label decides which is meant. A "
    "default stands here if it differs\n"
    "from the one in [attributes.md](attributes.md); a fixed attribute cannot be set.\n"
    "\n"
    "| model | task | stored as | what it is | defaults of its own | fixed |\n"
    "|---|---|---|---|---|---|\n";

static void append_defaults(const struct estimator *estimator, struct text *out)
{
    const struct estimator_default *own = estimator->defaults;

    for (size_t i = 0; own && own[i].attribute; i++)
        text_printf(out, "%s%s = %s", i > 0 ? ", " : "", own[i].attribute, own[i].value);
}

static void append_fixed(const struct estimator *estimator, struct text *out)
{
    for (size_t i = 0; estimator->fixed && estimator->fixed[i]; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", estimator->fixed[i]);
}

void models_print_document(struct text *out)
{
    text_append_string(out, introduction);
    for (size_t i = 0; i < estimator_count; i++) {
        const struct estimator *estimator = &estimators[i];

        text_printf(out, "| %s | %s | %s | %s | ", estimator->name, task_words[estimator->task],
                    estimator->kind->name, estimator->help);
        append_defaults(estimator, out);
        text_append_string(out, " | ");
        append_fixed(estimator, out);
        text_append_string(out, " |\n");
    }
}
