-- query: carat REAL 1000 reals; cut TEXT 1000 texts; price INTEGER 1000 integers
SELECT * FROM diamonds TO TRAIN DNNRegressor WITH model.hidden_units = [64, 32], train.batch_size = 512, train.seed = 9007199254740993, optimizer.schedule = cosine LABEL price INTO diamonds_model;
