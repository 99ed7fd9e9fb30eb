/*
 * processor.h - how many processors a job may use.
 */
#ifndef RUNTIME_LAUNCH_PROCESSOR_H
#define RUNTIME_LAUNCH_PROCESSOR_H

#include <stdint.h>

/* The processors that this process may use. */
uint32_t launch_cores(void);

#endif
