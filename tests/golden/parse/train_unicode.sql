SELECT größe, 价格 FROM häuser TO TRAIN LinearRegressor COLUMN größe LABEL 价格 INTO modell_ä;
