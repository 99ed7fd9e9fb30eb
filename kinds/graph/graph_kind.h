/*
 * graph_kind.h - models of kind "graph": any graph of operations (graph/graph.h), for classes and
 * for numbers.
 */
#ifndef KINDS_GRAPH_GRAPH_KIND_H
#define KINDS_GRAPH_GRAPH_KIND_H

#include "scoring/kind.h"

extern const struct kind graph_kind;

#endif
