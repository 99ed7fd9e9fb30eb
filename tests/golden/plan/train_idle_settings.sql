-- query: a REAL 150 reals; b REAL 150 reals; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor WITH validation.steps = 2, validation.start_delay_secs = 10, validation.throttle_secs = 300, train.disk_cache = True, model.label_dimension = 1 LABEL y INTO m;
