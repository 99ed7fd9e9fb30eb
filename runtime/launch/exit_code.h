/*
 * exit_code.h - how a worker's process ends, beside the codes of base/error.h.
 */
#pragma once

#define EXIT_UNSOUND 6 /* its machine computes wrongly (arithmetic/self_test.h) */
