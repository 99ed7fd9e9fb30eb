/*
 * processor.h - how many processors a job may use.
 */
#pragma once

#include <stdint.h>

/* The processors that this process may use. */
uint32_t launch_cores(void);
