-- The functions of schema totrain, in ordinary SQL.
\pset format unaligned
SELECT name, value, part, detail FROM totrain.run($$
  SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 30, train.batch_size = 16
  LABEL class INTO iris_model $$) WHERE name NOT IN ('job', 'seconds', 'loss', 'LogLoss');
SELECT count(*) FILTER (WHERE totrain.predict('iris_model', iris) = class::text) > 130 AS most_are_right FROM iris;
SELECT totrain.predict('iris_model', ROW(5.1, 3.5, 1.4, 0.2));
SELECT totrain.predict('iris_model', NULL);
SELECT totrain.predict(NULL, iris) FROM iris LIMIT 1;
SELECT totrain.predict('iris_model', ROW(5.1, 3.5));
SELECT totrain.predict('iris_model', ROW('a', 'b', 'c', 'd'));
SELECT totrain.predict('public.iris_model', iris) = totrain.predict('"iris_model"', iris) AS same FROM iris LIMIT 1;
SELECT bool_and(totrain.probability('iris_model', iris) BETWEEN 0.3 AND 1) AS is_probability FROM iris;
-- Usable wherever functions are: views, generated statistics, joins, aggregates, parallel queries, prepared statements.
CREATE VIEW scored AS SELECT iris.*, totrain.predict('iris_model', iris) AS predicted FROM iris;
SELECT predicted, count(*) FROM scored GROUP BY 1 ORDER BY 1;
PREPARE scoring(double precision) AS SELECT totrain.predict('iris_model', ROW(5.1, 3.5, 1.4, $1::double precision));
EXECUTE scoring(0.2);
-- A model trained anew is seen at once, by the prepared statement too.
SELECT count(*) FROM totrain.run($$
  SELECT petal_width, petal_length, sepal_width, sepal_length, class + 10 AS class FROM iris TO TRAIN DNNClassifier
  WITH model.hidden_units = [8], train.epoch = 30, train.batch_size = 16
  COLUMN sepal_length, sepal_width, petal_length, petal_width LABEL class INTO iris_model $$);
EXECUTE scoring(0.2);
SELECT relation, version, kind, rows FROM totrain.models;
SELECT * FROM totrain.rows('ROLLBACK MODEL iris_model TO 1');
SELECT relation, version FROM totrain.models;
EXECUTE scoring(0.2);
DEALLOCATE scoring;
DROP VIEW scored;
DROP TABLE iris_model;
SELECT relation, version FROM totrain.models;
