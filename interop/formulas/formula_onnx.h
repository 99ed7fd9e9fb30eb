#pragma once

#include "interop/formulas/formula_print.h"

/* Bytes of a ModelProto. UNSUPPORTED for a column that no tensor can be, or whose name is taken;
 * LIMIT where they do not fit into `out`. The program `is_graph`. */
enum status formula_print_onnx(const struct formula_program *program, struct slice name,
                               struct text *out, struct error *err);
