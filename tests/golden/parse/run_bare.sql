SELECT * FROM t TO RUN sqlflow/runner@sha256:0a1b INTO a, b.c;
