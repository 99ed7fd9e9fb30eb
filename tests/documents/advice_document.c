#include "tests/documents/advice_document.h"

#include <string.h>

#include "planner/attributes/advice.h"
#include "planner/attributes/other_models.h"

static const char introduction[] =
    "# Coming from other tools\n"
    "\n"
    "What names of XGBoost, LightGBM, scikit-learn, BigQuery ML, Keras and SQLFlow are here, "
    "where they are not the same;\n"
    "printed from `planner/attributes/other_models.c` and `planner/attributes/advice.c`, which "
    "the hints of errors come from.\n"
    "Most parameters have the name that they have there, or are read under it: "
    "[attributes.md](attributes.md) lists both.\n"
    "`{value}` stands for the value of the parameter.\n"
    "\n"
    "## Models\n"
    "\n"
    "| model | here | |\n"
    "|---|---|---|\n";

static const char *const tools[] = {"XGBoost",  "LightGBM", "scikit-learn", "BigQuery ML",
                                    "CatBoost", "Keras",    "SQLFlow"};

/* A cell of a table: what Markdown takes for its own is escaped. */
static void append_cell(struct text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '*' || *text == '|')
            text_append_char(out, '\\');
        text_append_char(out, *text);
    }
    text_append_string(out, " |");
}

static void append_row(struct text *out, const struct advice *row)
{
    text_printf(out, "| %s%s%s | ", row->name, row->kind ? " of " : "",
                row->kind ? row->kind->name : "");
    append_cell(out, row->value ? row->value : "");
    text_append_char(out, ' ');
    append_cell(out, row->instead ? row->instead : "leave it out");
    text_append_char(out, ' ');
    append_cell(out, row->why);
    text_append_char(out, '\n');
}

void advice_print_document(struct text *out)
{
    text_append_string(out, introduction);
    for (const struct other_model *model = other_models; model->name; model++)
        text_printf(out, "| %s | %s | %s |\n", model->name, model->here,
                    model->why ? model->why : "");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        text_printf(out,
                    "\n## Parameters of %s\n\n| parameter | value | write | |\n|---|---|---|---|\n",
                    tools[i]);
        for (const struct advice *row = advice_rows; row->name; row++)
            if (strcmp(row->tool, tools[i]) == 0)
                append_row(out, row);
    }
}
