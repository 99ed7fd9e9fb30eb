#include "tests/documents/attribute_document.h"

#include "params/attribute.h"
#include "parser/statement.h"
#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/estimators.h"
#include "planner/attributes/later.h"
#include "planner/attributes/short_names.h"
#include "planner/training/idle_settings.h"

static const char introduction[] =
    "# Attributes\n"
    "\n"
    "Every attribute of `WITH`, printed from the lists in `jobspec/job_attributes.h` and "
    "`kinds/`. "
    "Names and words are\n"
    "accepted in any case. The part before the dot may be omitted if the rest names one attribute "
    "of the statement:\n"
    "`epoch = 5, learning_rate = 0.1`. A name that is known and not built yet answers `not "
    "supported yet`.\n";

/* Appends TRAIN, and the estimators that use the attribute where not all of them do. */
static void append_train(const struct attribute *attribute, struct text *out)
{
    size_t used = 0;

    text_append_string(out, "TRAIN");
    for (size_t i = 0; i < estimator_count; i++)
        used += estimator_uses(&estimators[i], attribute);
    if (used == estimator_count)
        return;
    text_append_string(out, " of ");
    estimators_append(attribute, out);
}

static void append_statements(const struct attribute *attribute, struct text *out)
{
    const char *comma = "";

    if (attribute->scope & SCOPE_TRAIN) {
        append_train(attribute, out);
        comma = ", ";
    }
    if (attribute->scope & SCOPE_EVALUATE) {
        text_printf(out, "%sEVALUATE", comma);
        comma = ", ";
    }
    if (attribute->scope & SCOPE_PREDICT) {
        text_printf(out, "%sPREDICT", comma);
        comma = ", ";
    }
    if (attribute->scope & SCOPE_EXPLAIN) {
        text_printf(out, "%sTO EXPLAIN", comma);
        comma = ", ";
    }
    if (attribute->scope & SCOPE_FORECAST)
        text_printf(out, "%sFORECAST", comma);
}

static void append_row(const struct attribute *attribute, struct text *out)
{
    text_printf(out, "| %s | ", attribute->name);
    append_statements(attribute, out);
    text_append_string(out, " | ");
    attribute_append_expected(attribute, out);
    text_printf(out, " | %s | %s |\n", attribute->default_value ? attribute->default_value : "",
                attribute->help);
}

/* Attributes whose names another kind has, too, which are listed as that one has them. */
static void append_others(const struct kind *kind, struct text *out)
{
    size_t of_kind = 0;

    while (of_kind < estimator_count && estimators[of_kind].kind != kind)
        of_kind++;
    if (of_kind == estimator_count)
        return; /* its models have names of the users' own, and the attributes of another kind */
    for (size_t i = 0; i < kind->attributes->count; i++) {
        const struct attribute *attribute = &kind->attributes->rows[i];

        if (attribute_find(slice_of(attribute->name)) == attribute)
            continue;
        text_printf(out, "| %s | of them TRAIN of %s | ", attribute->name,
                    estimators[of_kind].group ? estimators[of_kind].group
                                              : estimators[of_kind].name);
        attribute_append_expected(attribute, out);
        text_printf(out, " | %s | %s |\n", attribute->default_value ? attribute->default_value : "",
                    attribute->help);
    }
}

void attributes_print_document(struct text *out)
{
    const struct attribute_alias *other;
    struct attribute_alias alias;
    const struct attribute *attribute;

    text_append_string(out, introduction);
    text_append_string(out, "\n| attribute | statements | takes | default | |\n"
                            "|---|---|---|---|---|\n");
    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        append_row(attribute, out);
    for (size_t k = 0; kinds[k]; k++)
        append_others(kinds[k], out);

    text_append_string(out, "\n## Other spellings\n\n| spelling | attribute |\n|---|---|\n");
    for (size_t i = 0; attribute_alias_number(i, &alias); i++)
        text_printf(out, "| %s | %s |\n", alias.name, alias.attribute);

    for (size_t i = 0; (other = short_name_of_others(i)); i++)
        text_printf(out, "| %s | %s |\n", other->name, other->attribute);

    text_append_string(out, "\n## Read, and without effect\n\nSQLFlow's attributes of TRAIN.\n\n"
                            "| attribute | |\n|---|---|\n");
    for (const struct idle_attribute *idle = idle_attributes; idle->name; idle++)
        text_printf(out, "| %s | %s |\n", idle->name, idle->why);
    text_append_string(out, "\n## Not supported yet\n\n| attribute | |\n|---|---|\n");
    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        for (const char *const *word = attribute->later; word && *word; word++)
            text_printf(out, "| %s = %s | |\n", attribute->name, *word);
    for (size_t i = 0; i < later_attribute_count; i++)
        text_printf(out, "| %s | %s |\n", later_attributes[i].name, later_attributes[i].help);
}
