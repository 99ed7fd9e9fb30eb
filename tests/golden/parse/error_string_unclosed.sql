SELECT * FROM iris TO TRAIN M WITH a = 'its, b = 1 INTO m;
SELECT 2;
