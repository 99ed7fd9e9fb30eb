-- The bare statement, as a person types it into psql. Seconds differ from run to run, the last digit
-- of a loss from processor to processor.
\pset format unaligned
SELECT * FROM iris
  TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 5, train.batch_size = 16
  LABEL class INTO iris_model \g |grep -v -E '^(seconds|job|loss|LogLoss)'
SELECT * FROM iris TO PREDICT iris_predicted.class USING iris_model \g |sed 's/|[0-9.]*$//'
SELECT count(*) FROM iris_predicted;
\d iris_predicted
SELECT petal_width, petal_length, sepal_width, sepal_length FROM iris ORDER BY 1, 2, 3, 4 LIMIT 3 TO PREDICT USING iris_model;
SELECT * FROM iris TO EVALUATE iris_model WITH validation.metrics = 'Accuracy' \g |sed 's/^[0-9.]*|/loss|/'
SELECT * FROM iris TO EVALUATE iris_model WITH validation.metrics = 'Accuracy' INTO iris_evaluated \g |sed 's/|[0-9.]*$//'
SELECT loss > 0 AS loss, "Accuracy" FROM iris_evaluated;
-- Ordinary SQL before, between and behind, comments, any case, several lines.
select 'before'; /* TO TRAIN is only a comment here; */
Select * From iris -- the rows; all of them
  where class < 2
to train LinearClassifier
  with train.epoch = 3
label class into "Two Classes" \g |grep -v -E '^(seconds|job|loss|LogLoss)'
select 'behind' as x;
-- A script in one string: each piece commits by itself, and the first error ends it.
SELECT 1 AS one\; SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO piece\; SELECT 2 AS two \g |grep -v -E '^(seconds|job|loss|LogLoss)'
SELECT 1 AS one\; SELECT * FROM iris TO PREDICT USING no_such_model\; SELECT 3 AS never;
SELECT 1 AS one\; SELECT 1/0\; SELECT * FROM iris TO PREDICT never.class USING piece;
SELECT to_regclass('piece') IS NOT NULL AS piece, to_regclass('never') AS never;
BEGIN\; SELECT * FROM iris TO PREDICT USING piece\; COMMIT;
-- Results are results to psql.
SELECT petal_width, petal_length, sepal_width, sepal_length FROM iris ORDER BY 1, 2, 3, 4 LIMIT 1 TO PREDICT USING iris_model \gx
SELECT * FROM iris TO EVALUATE iris_model \gset seen_
SELECT :seen_loss > 0 AS has_loss;
\echo :ROW_COUNT :SQLSTATE :ERROR
SELECT * FROM iris TO EVALUATE no_such_model;
\echo :ROW_COUNT :SQLSTATE :ERROR
DROP TABLE iris_model, "Two Classes", piece, iris_predicted, iris_evaluated;
SHOW MODELS;
