/*
 * exit_code.h - how a worker's process ends, beside the codes of base/error.h.
 */
#ifndef RUNTIME_LAUNCH_EXIT_CODE_H
#define RUNTIME_LAUNCH_EXIT_CODE_H

#define EXIT_UNSOUND 6 /* its machine computes wrongly (arithmetic/self_test.h) */

#endif
