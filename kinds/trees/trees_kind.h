/*
 * trees_kind.h - the kind "trees": boosted trees and forests.
 */
#pragma once

#include "scoring/kind.h"

extern const struct kind trees_kind;
