/*
 * described_catalog.h - a catalog that is described in a comment.
 *
 *     -- query: sepal_length REAL 150 reals; class INTEGER 150 integers
 *     -- query: city TEXT 140 texts, 20 numeric, 10 nulls; "a b" 150 blobs
 *     -- validation: ...                      what any other SELECT returns
 *     -- model: iris_model DNNClassifier classification; label class integer;
 *               inputs petal_width numeric, color category     (on one line)
 *     -- model: p PCA projection; label "" none; ...         of two components
 *     -- model: h zoo/heads projection; label "" none; inputs a numeric, b category label text
 *                                         b is one of several labels; others are of type number,
 *                                         integer and real
 *     -- model: ...; label kind text classes fraud legit; ...  the greater one is positive
 *     -- model: f Forecast regression; label sales real; inputs store category, day numeric
 *                                         of 14 days; words of columns that begin with "item" are
 *                                         whole numbers
 *     -- model: old ...                       of names like it no statistics are kept
 *     -- rows: 2025-12-25 Christmas, - Easter, 3 May     rows of any SELECT; - is NULL
 *     -- repeats: 1000                        how often they come
 *     -- schemas: main other                  without it any schema is there
 *     -- file: /data/shop.db                  without it tables are made in memory
 *     -- dialect: postgres
 *     -- pathless:                            a host that takes no paths of files
 *     -- query: v numeric[] 150 vectors, 3 elements
 *     -- query: v TEXT 150 texts, 150 listed, 3 numbers; s TEXT 150 texts, 150 listed, 10 ids
 *     -- cluster: may                         jobs may run there; "will": they do unless told
 *     -- cluster: not allowed here            they may not
 *     -- workers: 2                           of a job at most
 *     -- memory: 3000000000 of 536870912      bytes of the model, and most that a session loads
 *     -- staged:                              the job's processes are started elsewhere
 *     -- refused: 14 no such table: iriss     the host refuses at this byte
 *
 * "numeric" counts those of the texts that read as numbers. The statement
 * begins after these lines.
 */
#pragma once

#include "inputs/input.h"
#include "kinds/forecast/forecast_model.h"
#include "planner/plan/catalog.h"

#define DESCRIBED_COLUMNS_MAX 72

struct described_query {
    struct query_column columns[DESCRIBED_COLUMNS_MAX];
    size_t count;
    uint32_t rows;
    struct slice select; /* the first one that was asked for */
};

struct described_catalog {
    struct catalog catalog; /* the catalog for plan_statement */
    struct described_query query, validation;
    struct model_summary model;
    struct model_input inputs[DESCRIBED_COLUMNS_MAX];
    struct transform_input made[DESCRIBED_COLUMNS_MAX]; /* model.made's inputs */
    const struct transform_input *made_list[DESCRIBED_COLUMNS_MAX];
    char made_names[DESCRIBED_COLUMNS_MAX][80];
    struct model_summary_head heads[DESCRIBED_COLUMNS_MAX];
    struct cell classes[DESCRIBED_COLUMNS_MAX];
    struct forecast_model outline; /* model.outline */
    struct forecast_found found;   /* outline.found */
    struct kind_params fitted;     /* model.params of a forecast that keeps parameters */
    struct slice model_name, schemas, file, refused, rows;
    int64_t repeats; /* how often the rows come */
    int refused_position;
    bool has_model, has_schemas;
};

/* Read the comment lines at the text's start; returns where the statement
 * begins. The catalog borrows from the text and must not move. Ends the
 * program for a description that it does not understand. */
size_t described_catalog_read(struct described_catalog *described, struct slice text);
