/*
 * jobs.h - the folders of this server's jobs.
 */
#ifndef POSTGRES_HOST_JOBS_H
#define POSTGRES_HOST_JOBS_H

/* Remove what is left of jobs whose database or role was dropped. */
void jobs_sweep(void);

#endif
