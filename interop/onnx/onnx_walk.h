/*
 * onnx_walk.h - formulas become operators on tensors: those of one shape side by side.
 *
 * The variables of one stage do not know of each other (scoring/formulas/formula.h). Those whose
 * formulas have the same operations become the columns of one tensor (N, count), which one operator
 * for each operation makes of the columns that they follow from:
 *
 *     v7 = v0 * 2 + v1 * 3 + 1     ---.     (v0 v1) x | 2  5 | + (1 4)
 *     v8 = v0 * 5 + 4              ---'               | 3  0 |
 *
 * Sums become a product with a matrix; choices by comparisons with numbers, which are a tree, an
 * operator TreeEnsemble; numbers from lists a Gather. So a layer is a MatMul and a forest one
 * operator, whatever kind of model the formulas are of.
 *
 * All numbers are doubles, and NaN is a missing one.
 */
#pragma once

#include "interop/onnx/onnx_file.h"
#include "scoring/formulas/formula.h"

/* A column of a tensor that was made. */
struct onnx_place {
    uint32_t tensor, column;
};

/* Formulas side by side: (N, width), or (1, width) where no row matters. The width is their count,
 * or 1 where they are all the same. */
struct onnx_packed {
    onnx_value value;
    uint32_t width;
    bool is_constant;
};

struct onnx_tensor {
    onnx_value value;
    uint32_t width;
};

struct onnx_walk {
    const struct formula_program *program;
    struct arena *arena;
    struct onnx_file *file;
    onnx_value *inputs; /* (columns) of the transform */
    bool *has_words;    /* (columns): the input is a string, else a double */
    onnx_value rows;    /* the sizes (N, 1) */
    struct onnx_tensor *tensors;
    uint32_t tensor_count, tensor_room;
    struct onnx_place *places;   /* (variables) */
    bool *may_miss;              /* (variables): NaN is among its values */
    struct onnx_place *refusals; /* columns that are not 0 for a row that cannot be scored */
    uint32_t refusal_count, refusal_room;
    bool failed;
};

#define ONNX_NEW(walk, type, count) ((type *)onnx_allocate((walk), (count), sizeof(type)))
/* NULL: no memory, and the walk has failed. */
void *onnx_allocate(struct onnx_walk *walk, size_t count, size_t size);

/* Room for one more of the `count` items in the arena; false: no memory. */
bool onnx_grow(struct onnx_walk *walk, void *items, uint32_t count, uint32_t *room, size_t size);

/* Formulas with the same key can be packed together. Their variables have places. */
uint64_t onnx_key(const struct onnx_walk *walk, const struct formula *formula);
struct onnx_packed onnx_pack(struct onnx_walk *walk, const struct formula *const *formulas,
                             uint32_t count);
/* Conditions: tensors of bool. */
struct onnx_packed onnx_pack_conditions(struct onnx_walk *walk,
                                        const struct formula *const *formulas, uint32_t count);
/* A list of a member of each. */
const struct formula **onnx_parts(struct onnx_walk *walk, const struct formula *const *formulas,
                                  uint32_t count, size_t member);

/* Formulas of any keys, each of which gets a place. are_conditions: as 0 and 1. */
void onnx_place_all(struct onnx_walk *walk, const struct formula *const *formulas, uint32_t count,
                    bool are_conditions, struct onnx_place *places);
/* A tensor (N, width) that was made, whose columns may be places. */
uint32_t onnx_add_tensor(struct onnx_walk *walk, onnx_value value, uint32_t width);
/* (N, count): these columns side by side. */
onnx_value onnx_gather(struct onnx_walk *walk, const struct onnx_place *places, uint32_t count);
/* (N, width) of what may be constant. */
onnx_value onnx_full(struct onnx_walk *walk, struct onnx_packed packed);

/* A row for which one of these conditions, (N, width), holds cannot be scored. */
void onnx_refuse(struct onnx_walk *walk, onnx_value condition, uint32_t width);
