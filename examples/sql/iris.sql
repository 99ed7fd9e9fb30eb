-- Which iris is it? Three classes from four numbers.
--
--     sqlite3 iris.db ".import --csv examples/data/iris.csv iris"
--     build/release/totrain iris.db -f examples/sql/iris.sql

SELECT * FROM iris
TO TRAIN DNNClassifier
WITH model.hidden_units = [16, 16], train.epoch = 60, train.batch_size = 32,
     optimizer.learning_rate = 0.01, train.test_size = 0.2
LABEL class
INTO iris_model;

SELECT * FROM iris
TO PREDICT iris_predicted.class
WITH predict.extra_outputs = 'probability'
USING iris_model;

SELECT class, count(*) AS flowers, round(avg(probability), 3) AS mean_probability
FROM iris_predicted GROUP BY class;

SELECT * FROM iris TO EVALUATE iris_model WITH validation.metrics = 'Accuracy,LogLoss';

SHOW TRAIN iris_model;
