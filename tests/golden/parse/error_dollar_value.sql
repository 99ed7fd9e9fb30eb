SELECT * FROM t TO TRAIN M WITH validation.select = $$SELECT 1$$ INTO m;
