/*
 * graph_kind.h - models of kind "graph": any graph of operations (graph/graph.h), for classes and
 * for numbers.
 */
#pragma once

#include "scoring/kind.h"

extern const struct kind graph_kind;
