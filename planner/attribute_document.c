#include "planner/attribute.h"

static const char introduction[] =
    "# Attributes\n"
    "\n"
    "Every attribute of `WITH`, printed from the table in `planner/attributes.c`. Names and words "
    "are\n"
    "taken in any case. What is known but not built yet answers `not supported yet`.\n";

static void append_statements(const struct attribute *attribute, struct text *out)
{
    const char *comma = "";

    if (attribute->scope & SCOPE_TRAIN) {
        text_append_string(out, attribute->scope & SCOPE_NETWORK ? "TRAIN of DNN*" : "TRAIN");
        comma = ", ";
    }
    if (attribute->scope & SCOPE_EVALUATE) {
        text_printf(out, "%sEVALUATE", comma);
        comma = ", ";
    }
    if (attribute->scope & SCOPE_PREDICT)
        text_printf(out, "%sPREDICT", comma);
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

void attributes_print_document(struct text *out)
{
    text_append_string(out, introduction);
    text_append_string(out, "\n| attribute | statements | takes | default | |\n"
                            "|---|---|---|---|---|\n");
    for (size_t i = 0; i < attribute_count; i++)
        if (attributes[i].is_supported)
            append_row(&attributes[i], out);

    text_append_string(out, "\n## Other spellings\n\n| spelling | attribute |\n|---|---|\n");
    for (size_t i = 0; i < attribute_alias_count; i++)
        text_printf(out, "| %s | %s |\n", attribute_aliases[i].name,
                    attribute_aliases[i].attribute);

    text_append_string(out, "\n## Not supported yet\n\n| attribute | |\n|---|---|\n");
    for (size_t i = 0; i < attribute_count; i++) {
        if (!attributes[i].is_supported)
            text_printf(out, "| %s | %s |\n", attributes[i].name, attributes[i].help);
        for (const char *const *word = attributes[i].later; word && *word; word++)
            text_printf(out, "| %s = %s | |\n", attributes[i].name, *word);
    }
}
