SELECT größe, 价格 FROM häuser TO TRAIN M LABEL größe LABLE x INTO m;
