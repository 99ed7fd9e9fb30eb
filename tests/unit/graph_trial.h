/*
 * graph_trial.h - trials of operations: gradients against differences of what is computed, and the
 * values of rows alone against those of rows together.
 *
 *     open_fixture --> calls of fixture->graph --> check_operation of one of them --> close_fixture
 *
 * Rows have 12 numbers, x; plan and city are categories of 4 and 6 words, tags a text of up to 3 of
 * 5.
 */
#pragma once

#include "graph/graph_run.h"
#include "tests/unit/made_graph.h"

#define ROWS       7
#define FEATURES   12
#define IDS        5
#define OUTPUTS    3
#define DIFFERENCE 2e-3

extern const struct graph_row trial_row;
extern const int32_t trial_ids[ROWS][IDS];

struct fixture {
    struct arena arena;
    struct graph graph;
    struct graph_plan plan;
    struct graph_room room;
    struct touched_rows touched;
    float features[ROWS * FEATURES];
    float *parameters, *transposed, *gradient;
    float weights[ROWS * OUTPUTS]; /* weights of the outputs in the loss */
    double difference;             /* change of a parameter: less where the value has edges */
};

int open_fixture(void **state);
int close_fixture(void **state);

/* dense(value, 3) of all its numbers, and room to compute in. */
void finish(struct fixture *fixture, uint32_t value);
void check_gradient(struct fixture *fixture);
/* The outputs of each row alone are those of all rows together. */
void check_rows(const struct fixture *fixture);
/* All three. */
void check_operation(struct fixture *fixture, uint32_t value);

/* Numbers that depend on parameters: of one axis, of three and of two. */
uint32_t array_of(struct graph *graph, uint32_t size);
uint32_t shaped(struct graph *graph, double a, double b, double c);
uint32_t table_of(struct graph *graph, double a, double b);

/* The output of one row. */
double state_of(const struct fixture *fixture, const float *features);

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
