SELECT * FROM t TO RUN sqlflow/runner:v1 CMD "a.py", '--x=1' INTO t;
