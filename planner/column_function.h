/*
 * column_function.h - the functions of the COLUMN clause, one row each.
 */
#ifndef PLANNER_COLUMN_FUNCTION_H
#define PLANNER_COLUMN_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

struct column_function {
    const char *name;
    bool is_supported; /* false: known to the language, answers 'not supported yet' */
};

extern const struct column_function column_functions[];
extern const size_t column_function_count;

#endif
