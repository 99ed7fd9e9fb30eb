SELECT * FROM t TO RUN a/b CMD python, a INTO t;
