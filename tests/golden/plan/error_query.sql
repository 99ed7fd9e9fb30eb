-- refused: 14 no such table: iriss

  SELECT * FROM iriss TO TRAIN LinearClassifier LABEL class INTO m;
