#include "tests/documents/column_document.h"

#include <string.h>

#include "planner/columns/column_function.h"

/* clang-format off: one line, one line. */
static const char introduction[] =
    "# Functions of COLUMN\n"
    "\n"
    "Printed from the list in `planner/columns/column_function.c`. `c` is the name of a column of "
    "the "
    "SELECT, a category\n"
    "one of the functions that make one. [The language](language.md#functions-in-column) has what "
    "a column is that no\n"
    "function names.\n"
    "\n"
    "NUMERIC, DENSE, SPARSE, SEQUENCE, DATE, TEXT, VOCABULARY and INDICATOR(c) say what the "
    "column itself is, so one of them\n"
    "may name it. The others make a further input of it, which has the function's name: `COLUMN "
    "age, BUCKET(age, [30, 50])`\n"
    "takes the number and the bucket, whose name is `BUCKET(age)`, of a second one `BUCKET(age) "
    "2`. `*` and patterns take\n"
    "what no function names. PREDICT, EVALUATE and the scoring functions take the column itself, "
    "and do with it as TRAIN did.\n"
    "NULL is a category of its own where training saw one.\n"
    "\n"
    "In double quotes a column's name in a function is a regular expression, too, and means the "
    "function of each\n"
    "column that it fits: `BUCKET(\"f[0-9]+\", 8)`.\n"
    "\n"
    "An argument behind the first may be given by its name: `BUCKET(age, num_buckets = 5)`. AS "
    "gives "
    "an argument that is a\n"
    "call a name, which stands for it elsewhere in the COLUMN clauses of the statement: "
    "`EMBEDDING(CONCAT(a, b) AS g, 8)`\n"
    "and `EMBEDDING(g, 1)`.\n"
    "\n"
    "Names of ElasticDL's documents mean the same: HASH is CATEGORY_HASH, BUCKETIZE and BUCKETIZED "
    "are BUCKET,\n"
    "VOCABULARIZE and APPLY_VOCAB are VOCABULARY.\n"
    "\n"
    "| function | makes | |\n"
    "|---|---|---|\n";
/* clang-format on */

/* clang-format off: one line, one line. */
static const char hash_of_a_cross[] =
    "\n"
    "## Hash of a cross\n"
    "\n"
    "CROSS([a, b], n) is a whole number from 0 to n - 1, a function of the values alone, the same "
    "in all databases and\n"
    "versions:\n"
    "\n"
    "1. Each value becomes a text: of a column its word (a number its shortest decimal, so that 3, "
    "3.0 and '3' are one),\n"
    "   of BUCKET the number of its bucket from 0, of CATEGORY_ID the id, of CATEGORY_HASH its "
    "hash "
    "bucket from 0.\n"
    "2. Each text is hashed by XXH3, 64 bits, without a seed; NULL and NaN have 0 in its "
    "place.\n"
    "3. XXH3, likewise, of these, 8 bytes each, the least first, in the order of the columns; the "
    "rest of its division by\n"
    "   n is the bucket.\n";
/* clang-format on */

static void append_call(struct slice call, const char *comma, struct text *out)
{
    text_printf(out, "%s`%.*s`", comma, SLICE_FORMAT(call));
}

/* "A(c); A(c, n)" -> "`A(c)`, `A(c, n)`" */
static void append_arguments(const char *arguments, struct text *out)
{
    const char *comma = "", *end;

    for (; (end = strstr(arguments, "; ")); arguments = end + 2, comma = ", ")
        append_call((struct slice){arguments, (size_t)(end - arguments)}, comma, out);
    append_call(slice_of(arguments), comma, out);
}

void column_functions_document(struct text *out)
{
    text_append_string(out, introduction);
    for (const struct column_function *function = column_functions; function->name; function++) {
        text_append_string(out, "| ");
        append_arguments(function->arguments, out);
        text_printf(out, " | %s | %s", function->makes, function->help);
        if (function->parameters)
            text_printf(out, " Names of arguments: %s.", function->parameters);
        text_append_string(out, " |\n");
    }
    text_append_string(out, hash_of_a_cross);
}
