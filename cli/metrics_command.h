/*
 * metrics_command.h - all jobs of this user as Prometheus reads them, whatever state they are in.
 *
 *     totrain metrics            prints the page, as for the textfile collector of node_exporter
 *     totrain metrics 9464       serves it at /metrics until it is ended
 *
 * The page that a job itself serves (job.metrics) exists as long as its master runs. This reads the
 * records of all jobs instead: one that waits, has ended or was lost has samples, too.
 */
#pragma once

/* totrain metrics [ADDRESS]. Returns the program's exit code. */
int command_metrics(int argc, char **argv);
