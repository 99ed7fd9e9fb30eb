-- Errors: the line, the caret, what to do about it.
\set VERBOSITY default
SELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m;
SELECT * FROM iris
  TO TRAIN LinearClassifer
  LABEL class INTO m;
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_unit = [4] LABEL class INTO m;
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [4], train.epoch = 0 LABEL class INTO m;
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO;
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class;
SELECT * FROM iris TO PREDICT USING no_such_model;
SELECT * FROM iris TO PREDICT USING iris;
SELECT * FROM no_such_table TO TRAIN LinearClassifier LABEL class INTO m;
SELECT petal_widht, class FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
SELECT * FROM iris WHERE TO TRAIN LinearClassifier LABEL class INTO m;
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO no_such_schema.m;
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO iris;
SELECT * FROM iris TO PREDICT iris.class USING m;
SELECT 'été', * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m;
SELECT * FROM iris TO EXPLAIN m;
SHOW VERSIONS m;
ROLLBACK MODEL m TO 1;
CANCEL JOB 999;
SELECT * FROM iris, (SELECT 1 AS class) x TO TRAIN LinearClassifier LABEL class INTO m;
SELECT *, ARRAY[[1, 2], [3, 4]] AS square FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
SELECT *, '1 day'::interval AS i FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
SELECT *, '{"a": 1}'::jsonb AS j FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
SELECT *, '(1,2)'::point AS p FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
-- The same through the function; here nothing can be pointed at.
SELECT * FROM totrain.run('SELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m');
SELECT * FROM totrain.run('SELECT 1');
SELECT * FROM totrain.run('');
SELECT * FROM totrain.run(NULL);
SELECT totrain.predict('no_such_model', iris) FROM iris;
-- In a transaction block the error stays, and names the function.
BEGIN;
SELECT * FROM iris TO PREDICT USING m;
SELECT 1;
ROLLBACK;
SELECT count(*) FROM pg_tables WHERE schemaname = 'public';
