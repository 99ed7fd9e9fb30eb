/*
 * libpq_parameters.h - cells as the parameters of a statement, in binary.
 */
#pragma once

#include "extension/postgres/libpq/libpq.h"

/* Parameters of a statement as libpq takes them. Texts and bytes are borrowed from the cells. */
struct parameters {
    Oid *types;
    const char **values;
    int *sizes, *formats;
    char (*numbers)[8];
};

/* To be deinitialised even when this fails. */
enum status parameters_init(struct parameters *parameters, size_t count, struct error *err);
void parameters_deinit(struct parameters *parameters);
/* LIMIT for what no parameter can hold. */
enum status parameters_put(struct parameters *parameters, size_t i, const struct cell *cell,
                           struct error *err);
Oid parameters_type(enum cell_type type);
