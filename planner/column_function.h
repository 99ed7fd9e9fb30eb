/*
 * column_function.h - the functions of the COLUMN clause.
 */
#ifndef PLANNER_COLUMN_FUNCTION_H
#define PLANNER_COLUMN_FUNCTION_H

/* Those of the COLUMN clause, NULL-terminated. */
extern const char *const column_functions[];

#endif
