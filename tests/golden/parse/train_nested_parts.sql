SELECT * FROM t TO TRAIN M INTO db.schema.m;
