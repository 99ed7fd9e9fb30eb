SELECT * FROM iris TO PREDICT WITH predict.extra_outputs=['score', 'leaf'] USING m;
