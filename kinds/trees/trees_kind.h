/*
 * trees_kind.h - the kind "trees": boosted trees and forests.
 */
#ifndef KINDS_TREES_TREES_KIND_H
#define KINDS_TREES_TREES_KIND_H

#include "scoring/kind.h"

extern const struct kind trees_kind;

#endif
