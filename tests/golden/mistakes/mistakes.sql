-- attributes: a name that is misspelt
SELECT * FROM iris TO TRAIN LinearClassifier WITH learnin_rate = 0.1 LABEL class INTO m;
-- attributes: the wrong group before the dot
SELECT * FROM iris TO TRAIN LinearClassifier WITH train.learning_rate = 0.1 LABEL class INTO m;
-- attributes: the wrong group, and a plural
SELECT * FROM iris TO TRAIN LinearClassifier WITH model.epochs = 5 LABEL class INTO m;
-- attributes: metrics of the model, and not the address of job.metrics
SELECT * FROM iris TO TRAIN LinearClassifier WITH metrics = 'RMSE' LABEL class INTO m;
-- attributes: two spellings of one
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 5, train.epoch = 6 LABEL class INTO m;
-- attributes: the same name twice
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 5, epochs = 6 LABEL class INTO m;
-- attributes: no value
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs LABEL class INTO m;
-- attributes: no equals sign
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs 5 LABEL class INTO m;
-- attributes: two equals signs
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs == 5 LABEL class INTO m;
-- attributes: a colon, as in JSON
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs: 5 LABEL class INTO m;
-- attributes: in parentheses, as in CREATE MODEL
SELECT * FROM iris TO TRAIN LinearClassifier WITH (epochs = 5) LABEL class INTO m;
-- attributes: no comma between two
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 5 batch_size = 32 LABEL class INTO m;
-- attributes: a comma too many
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 5, LABEL class INTO m;
-- attributes: a second WITH
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 5 WITH batch_size = 32 LABEL class INTO m;
-- attributes: a parameter as a value
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = ? LABEL class INTO m;
-- attributes: one of boosted trees for a linear model
SELECT * FROM iris TO TRAIN LinearClassifier WITH n_estimators = 100 LABEL class INTO m;
-- attributes: one of networks for a linear model
SELECT * FROM iris TO TRAIN LinearClassifier WITH hidden_units = [64] LABEL class INTO m;
-- attributes: one of PREDICT in TRAIN
SELECT * FROM iris TO TRAIN LinearClassifier WITH extra_outputs = 'probability' LABEL class INTO m;
-- attributes: one of TRAIN in PREDICT
SELECT * FROM iris TO PREDICT WITH epochs = 5 USING iris_model;
-- attributes: one of classifiers for a regressor
SELECT rooms, price FROM houses TO TRAIN LinearRegressor WITH class_weight = 'balanced' LABEL price INTO m;
-- values: a number in quotes
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = '5' LABEL class INTO m;
-- values: zero epochs
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 0 LABEL class INTO m;
-- values: half an epoch
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2.5 LABEL class INTO m;
-- values: a negative learning rate
SELECT * FROM iris TO TRAIN LinearClassifier WITH learning_rate = -0.1 LABEL class INTO m;
-- values: a percentage for a share
SELECT * FROM iris TO TRAIN LinearClassifier WITH test_size = 20 LABEL class INTO m;
-- values: a percent sign
SELECT * FROM iris TO TRAIN LinearClassifier WITH test_size = 20% LABEL class INTO m;
-- values: a list in quotes
SELECT * FROM iris TO TRAIN DNNClassifier WITH hidden_units = '64,32' LABEL class INTO m;
-- values: a list in parentheses
SELECT * FROM iris TO TRAIN DNNClassifier WITH hidden_units = (64, 32) LABEL class INTO m;
-- values: a list without brackets
SELECT * FROM iris TO TRAIN DNNClassifier WITH hidden_units = 64, 32 LABEL class INTO m;
-- values: a layer of no units
SELECT * FROM iris TO TRAIN DNNClassifier WITH hidden_units = [64, 0] LABEL class INTO m;
-- values: yes for true
SELECT * FROM iris TO TRAIN LinearClassifier WITH shuffle = 'yes' LABEL class INTO m;
-- values: a word that is misspelt
SELECT * FROM iris TO TRAIN DNNClassifier WITH hidden_units = [8], activation = 'rellu' LABEL class INTO m;
-- values: an optimizer that is not there
SELECT * FROM iris TO TRAIN LinearClassifier WITH optimizer = 'lbfgs' LABEL class INTO m;
-- values: a metric that is misspelt
SELECT * FROM iris TO TRAIN LinearClassifier WITH metric = 'acuracy' LABEL class INTO m;
-- values: a metric of numbers for classes
SELECT * FROM iris TO TRAIN LinearClassifier WITH metric = 'RMSE' LABEL class INTO m;
-- values: true for a word
SELECT * FROM iris TO TRAIN LinearClassifier WITH class_weight = true LABEL class INTO m;
-- values: an amount of memory with another unit
SELECT * FROM iris TO TRAIN LinearClassifier WITH job.memory = '4GB' LABEL class INTO m;
-- values: a place that is not there
SELECT * FROM iris TO TRAIN LinearClassifier WITH job.where = 'cluster' LABEL class INTO m;
-- models: scikit-learn's logistic regression
SELECT * FROM iris TO TRAIN LogisticRegressionCV LABEL class INTO m;
-- models: BigQuery's linear regression
SELECT rooms, price FROM houses TO TRAIN linear_reg LABEL price INTO m;
-- models: a random forest
SELECT * FROM iris TO TRAIN RandomForest LABEL class INTO m;
-- models: a name that is misspelt
SELECT * FROM iris TO TRAIN DNNClasifier LABEL class INTO m;
-- models: a name in quotes
SELECT * FROM iris TO TRAIN 'LinearClassifier' LABEL class INTO m;
-- models: one that is not there
SELECT * FROM iris TO TRAIN Prophet LABEL class INTO m;
-- models: arguments, as in Python
SELECT * FROM iris TO TRAIN LinearClassifier(epochs = 5) LABEL class INTO m;
-- columns: a label that is not there
SELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m;
-- columns: no label
SELECT * FROM iris TO TRAIN LinearClassifier INTO m;
-- columns: LABEL twice
SELECT * FROM iris TO TRAIN LinearClassifier INTO m LABEL class LABEL petal_width;
-- columns: two labels
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class, petal_width INTO m;
-- columns: the label with its table
SELECT * FROM iris AS i TO TRAIN LinearClassifier LABEL i.class INTO m;
-- columns: an input with its table
SELECT * FROM iris AS i TO TRAIN LinearClassifier COLUMN NUMERIC(i.petal_width) LABEL class INTO m;
-- columns: a number to be a class
SELECT rooms, price FROM houses TO TRAIN LinearClassifier LABEL price INTO m;
-- columns: a text to be a number
SELECT rooms, city FROM houses TO TRAIN LinearRegressor LABEL city INTO m;
-- columns: an input that is not there
SELECT * FROM iris TO TRAIN LinearClassifier COLUMN sepal_lenght, petal_width LABEL class INTO m;
-- columns: a function that is not there
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN CATEGORY(city) LABEL price INTO m;
-- columns: a function that is not built yet
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN EMBEDDING(city, 8) LABEL price INTO m;
-- columns: two of one name
SELECT rooms, rooms, price FROM houses TO TRAIN LinearRegressor LABEL price INTO m;
-- columns: words of a text for components
SELECT city FROM houses TO TRAIN PCA COLUMN TEXT(city) INTO m;
-- columns: a label for clusters
SELECT rooms, price FROM houses TO TRAIN KMeans WITH n_clusters = 3 LABEL price INTO m;
-- rows: none
SELECT * FROM iris WHERE sepal_length < 0 TO TRAIN LinearClassifier LABEL class INTO m;
-- rows: one class alone
SELECT * FROM iris WHERE class = 1 TO TRAIN LinearClassifier LABEL class INTO m;
-- models: no name to write it to
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class;
-- models: the name of a table
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO houses;
-- models: a name with a dash
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO my-model;
-- the query: a table that is not there
SELECT * FROM irs TO TRAIN LinearClassifier LABEL class INTO m;
-- the query: a column that is not there
SELECT sepal_lenght, class FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
-- the query: FROM forgotten
SELECT sepal_length, class TO TRAIN LinearClassifier LABEL class INTO m;
-- the query: FROM misspelt
SELECT * FORM iris TO TRAIN LinearClassifier LABEL class INTO m;
-- the query: no table after FROM
SELECT * FROM TO TRAIN LinearClassifier LABEL class INTO m;
-- the query: its WHERE behind TO
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class WHERE class < 2 INTO m;
-- the query: its LIMIT behind TO
SELECT * FROM iris TO PREDICT USING iris_model LIMIT 10;
-- the query: in parentheses
(SELECT * FROM iris) TO TRAIN LinearClassifier LABEL class INTO m;
-- the query: VALUES
VALUES (1, 2), (2, 3) TO TRAIN LinearRegressor LABEL column2 INTO m;
-- the query: a table alone
FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
-- the query: behind TRAIN
TO TRAIN LinearClassifier LABEL class INTO m;
-- words: SET for WITH
SELECT * FROM iris TO TRAIN LinearClassifier SET epochs = 5 LABEL class INTO m;
-- words: USING for WITH
SELECT * FROM iris TO TRAIN LinearClassifier USING epochs = 5 LABEL class INTO m;
-- words: TARGET for LABEL
SELECT * FROM iris TO TRAIN LinearClassifier TARGET class INTO m;
-- words: AS for INTO
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class AS m;
-- words: TABLE after INTO
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO TABLE m;
-- words: FROM for USING
SELECT * FROM iris TO PREDICT class FROM iris_model;
-- words: MODEL after USING
SELECT * FROM iris TO PREDICT USING MODEL iris_model;
-- columns: without a comma
SELECT * FROM iris TO TRAIN LinearClassifier COLUMN petal_width petal_length LABEL class INTO m;
-- models: none before LABEL
SELECT * FROM iris TO TRAIN LABEL class INTO m;
-- TO: forgotten before TRAIN
SELECT * FROM iris TRAIN LinearClassifier LABEL class INTO m;
-- TO: forgotten before PREDICT
SELECT * FROM iris PREDICT USING iris_model;
-- TO: forgotten before EVALUATE
SELECT * FROM iris EVALUATE iris_model;
-- TO: a verb that is misspelt
SELECT * FROM iris TO TRIAN LinearClassifier LABEL class INTO m;
-- TO: the verb first
TRAIN LinearClassifier ON iris LABEL class INTO m;
-- TO: the verb first
PREDICT iris USING iris_model;
-- models: explained as such
EXPLAIN MODEL iris_model;
-- models: made as in BigQuery
CREATE MODEL m OPTIONS (model_type = 'logistic_reg') AS SELECT * FROM iris;
-- models: dropped as such
DROP MODEL iris_model;
-- models: dropped as such, with its database
DROP MODEL main.iris_model;
-- models: renamed as such
ALTER MODEL iris_model RENAME TO flowers;
-- models: asked as in BigQuery
SELECT * FROM ML.PREDICT(MODEL iris_model, TABLE iris);
-- SHOW: a word that is misspelt
SHOW MODLES;
-- SHOW: tables
SHOW TABLES;
-- SHOW: a model that is not there
SHOW TRAIN iris_modle;
-- SHOW: one model by the word for all
SHOW MODELS iris_model;
-- CANCEL: a model
CANCEL JOB iris_model;
-- CANCEL: a number alone
CANCEL 5;
-- CANCEL: a job that is not there
CANCEL JOB 99999;
-- predictions: a model that is not there
SELECT * FROM iris TO PREDICT USING iris_modle;
-- predictions: no model
SELECT * FROM iris TO PREDICT p.class;
-- predictions: a table that is no model
SELECT * FROM iris TO PREDICT USING houses;
-- predictions: into a table of the user's
SELECT * FROM iris TO PREDICT houses.class USING iris_model;
-- predictions: a column too few
SELECT sepal_length, sepal_width FROM iris TO PREDICT USING iris_model;
-- predictions: a text among numbers
SELECT x AS sepal_length, 1 AS sepal_width, 1 AS petal_length, 1 AS petal_width FROM readings TO PREDICT USING iris_model;
-- predictions: an output that is misspelt
SELECT * FROM iris TO PREDICT WITH extra_outputs = 'probabilty' USING iris_model;
-- predictions: a table made around them
CREATE TABLE p AS SELECT * FROM iris TO PREDICT USING iris_model;
-- predictions: a query around them
SELECT count(*) FROM (SELECT * FROM iris TO PREDICT USING iris_model) AS p;
-- EVALUATE: rows without the label
SELECT sepal_length, sepal_width, petal_length, petal_width FROM iris TO EVALUATE iris_model;
-- EVALUATE: a table that is no model
SELECT * FROM iris TO EVALUATE iris;
-- EXPLAIN: with ANALYZE
EXPLAIN ANALYZE SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m;
-- ROLLBACK: a version that is not there
ROLLBACK MODEL iris_model TO 9;
-- FORECAST: a model of another kind
FORECAST iris_model;
-- FORECAST: a model that is not there
FORECAST iris_modle FOR 3;
-- FORECAST: steps that are no number
FORECAST iris_model FOR a week;
-- FORECAST: steps twice
FORECAST iris_model FOR 3 INTO coming FOR 4;
-- FORECAST: its word misspelt
FORCAST iris_model;
-- EXPORT: a model that has no trees
EXPORT MODEL iris_model TO 'model.json';
-- EXPORT: a file whose name does not tell a format
EXPORT MODEL iris_model TO 'model.pmml';
-- EXPORT: a format that is not there
EXPORT MODEL iris_model TO 'model.json' FORMAT pmml;
-- EXPORT: a model that is not there
EXPORT MODEL iris_modle TO 'model.json';
-- IMPORT: a file that is not there
IMPORT MODEL theirs FROM 'nowhere/model.json';
-- IMPORT: no file
IMPORT MODEL theirs FROM '';
-- IMPORT: a reserved name
IMPORT MODEL totrain_model FROM 'model.json';
-- two statements without a semicolon
SELECT * FROM iris TO PREDICT USING iris_model SELECT * FROM iris TO EVALUATE iris_model;
-- folds: one
SELECT * FROM iris TO TRAIN LinearClassifier WITH train.folds = 1 LABEL class INTO m;
-- folds: beside rows that are held out
SELECT * FROM iris TO TRAIN LinearClassifier WITH cv = 5, test_size = 0.2 LABEL class INTO m;
-- folds: beside validation.select
SELECT * FROM iris TO TRAIN LinearClassifier WITH validation.select = 'SELECT * FROM iris', train.folds = 5 LABEL class INTO m;
-- folds: of rows in order
SELECT * FROM iris TO TRAIN LinearClassifier WITH train.folds = 5, train.shuffle = false LABEL class INTO m;
-- folds: of a session that does not wait
SELECT * FROM iris TO TRAIN LinearClassifier WITH train.folds = 5, job.wait = false LABEL class INTO m;
-- folds: of clusters
SELECT sepal_length FROM iris TO TRAIN KMeans WITH n_clusters = 3, train.folds = 5 INTO m;
-- search: a range without trials
SELECT * FROM iris TO TRAIN LinearClassifier WITH learning_rate = RANGE(0.001, 0.1) LABEL class INTO m;
-- search: a list without trials
SELECT * FROM iris TO TRAIN LinearClassifier WITH learning_rate = [0.001, 0.1] LABEL class INTO m;
-- search: nothing to choose from
SELECT * FROM iris TO TRAIN LinearClassifier WITH tune.trials = 10, learning_rate = 0.1 LABEL class INTO m;
-- search: the bounds turned round
SELECT * FROM iris TO TRAIN LinearClassifier WITH tune.trials = 10, learning_rate = RANGE(0.1, 0.001) LABEL class INTO m;
-- search: another function
SELECT * FROM iris TO TRAIN LinearClassifier WITH tune.trials = 10, learning_rate = loguniform(0.001, 0.1) LABEL class INTO m;
-- search: one bound
SELECT * FROM iris TO TRAIN LinearClassifier WITH tune.trials = 10, learning_rate = RANGE(0.1) LABEL class INTO m;
-- search: a range of words
SELECT * FROM iris TO TRAIN DNNClassifier WITH num_trials = 10, activation = RANGE('relu', 'tanh') LABEL class INTO m;
-- search: what decides rows
SELECT * FROM iris TO TRAIN LinearClassifier WITH tune.trials = 10, train.seed = RANGE(1, 10) LABEL class INTO m;
-- search: a metric that is not measured
SELECT * FROM iris TO TRAIN LinearClassifier WITH tune.trials = 10, learning_rate = RANGE(0.001, 0.1), tune.metric = 'MCC' LABEL class INTO m;
-- search: no rows to judge by
SELECT * FROM iris TO TRAIN LinearClassifier WITH tune.trials = 10, learning_rate = RANGE(0.001, 0.1), test_size = 0 LABEL class INTO m;
-- search: halving of what has no rounds
SELECT sepal_length FROM iris TO TRAIN KMeans WITH tune.trials = 3, n_clusters = [2, 3], tune.method = 'halving' INTO m;
-- search: a range in TO PREDICT
SELECT * FROM iris TO PREDICT WITH threshold = RANGE(0.1, 0.5) USING iris_model;
-- search: trials of nothing
SHOW TRIALS;
-- search: trials in the singular
SHOW TRIAL iris_model;
-- attributes: of LightGBM
SELECT * FROM iris TO TRAIN LGBMClassifier WITH is_unbalance = true LABEL class INTO m;
-- attributes: of XGBoost
SELECT * FROM iris TO TRAIN XGBClassifier WITH missing = -999 LABEL class INTO m;
-- attributes: of scikit-learn
SELECT * FROM iris TO TRAIN LogisticRegression WITH C = 0.5 LABEL class INTO m;
-- attributes: of BigQuery
SELECT * FROM iris TO TRAIN LinearClassifier WITH input_label_cols = ['class'] INTO m;
-- models: a kernel machine
SELECT * FROM iris TO TRAIN SVC LABEL class INTO m;
-- models: one of time series
SELECT rooms, price FROM houses TO TRAIN ARIMA LABEL price INTO m;
-- models: one that finds what is unlike the rest
SELECT rooms, price FROM houses TO TRAIN LocalOutlierFactor INTO m;
-- the query: all columns but one
SELECT * EXCEPT (city) FROM houses TO TRAIN LinearRegressor LABEL price INTO m;
-- the query: a file
SELECT * FROM 'houses.csv' TO TRAIN LinearRegressor LABEL price INTO m;
-- columns: a function that is not needed
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN ONE_HOT(city) LABEL price INTO m;
-- models: a name in single quotes
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO 'my model';
-- columns: a label with a sign
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class? INTO m;
-- clauses: WITH twice
SELECT * FROM iris TO TRAIN LinearClassifier LABEL class WITH epochs = 5 INTO m WITH seed = 1;
-- EXPLAIN: sorted
SELECT * FROM iris TO EXPLAIN iris_model ORDER BY importance;
-- predictions: into a table that is named twice
SELECT * FROM iris TO PREDICT p.guess USING iris_model INTO q;
-- EVALUATE: a report by thresholds
SELECT * FROM iris TO EVALUATE iris_model WITH report = 'threshold';
-- columns: EXCEPT of a name that is not there
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN * EXCEPT (citty) LABEL price INTO m;
-- columns: EXCEPT without parentheses
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN * EXCEPT city LABEL price INTO m;
-- columns: EXCEPT of a pattern that fits none
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN * EXCEPT (LIKE 'tmp_%') LABEL price INTO m;
-- EVALUATE: models without a comma
SELECT * FROM iris TO EVALUATE iris_model iris_model;
-- EVALUATE: costs without the report
SELECT * FROM iris TO EVALUATE iris_model WITH costs = [1, 20];
-- all columns in a call
SELECT totrain_predict('iris_model', *) FROM iris;
-- scikit-learn's name of probabilities
SELECT predict_proba('iris_model', 5.1) FROM iris;
-- a model's name without quotes
SELECT totrain_predict(iris_model, 1, 2, 3, 4) FROM iris;
-- a function of ours by half of its name
SELECT totrain_proba('iris_model', 1, 2, 3, 4) FROM iris;
-- predictions: the verb first
PREDICT iris_model ON iris;
-- models: whatever is best, by another name
SELECT * FROM iris TO TRAIN AutoML LABEL class INTO m;
-- other tools: the forecast of a model, of BigQuery ML
SELECT * FROM ML.FORECAST(MODEL iris_model, STRUCT(30 AS horizon));
-- other tools: its recommendations
SELECT * FROM ML.RECOMMEND(MODEL iris_model);
-- other tools: its weights
SELECT * FROM ML.WEIGHTS(MODEL iris_model);
-- other tools: what inputs are worth, on the whole
SELECT * FROM ML.GLOBAL_EXPLAIN(MODEL iris_model);
-- other tools: a model of Snowflake's
CREATE OR REPLACE SNOWFLAKE.ML.FORECAST sales(INPUT_DATA => TABLE(iris));
-- other tools: a training of MADlib's
SELECT madlib.linregr_train('houses', 'm', 'price', 'rooms');
-- other tools: a deployment of PostgresML's
SELECT pgml.deploy('iris_model');
-- other tools: a prediction of PostgresML's
SELECT pgml.predict('iris_model', 1);
-- models: the name of a package before it
SELECT * FROM iris TO TRAIN lgb.LGBMClassifier LABEL class INTO m;
-- models: the same, of one that is not there
SELECT * FROM iris TO TRAIN sklearn.svm.SVC LABEL class INTO m;
-- models: what a model does by itself
SELECT * FROM iris TO TRAIN StandardScaler INTO m;
-- models: a search of scikit-learn's
SELECT * FROM iris TO TRAIN GridSearchCV LABEL class INTO m;
-- models: ratings of more than two columns
SELECT * FROM iris TO TRAIN MatrixFactorization LABEL class INTO m;
-- verbs: fit, as scikit-learn has it
SELECT * FROM iris TO FIT LinearClassifier LABEL class INTO m;
-- verbs: transform
SELECT * FROM iris TO TRANSFORM USING iris_model;
-- results: a table of an evaluation
CREATE TABLE t AS SELECT * FROM iris TO EVALUATE iris_model;
-- results: a view of an evaluation
CREATE VIEW v AS SELECT * FROM iris TO EVALUATE iris_model;
-- results: an evaluation inside of a query
SELECT * FROM (SELECT * FROM iris TO EVALUATE iris_model) AS e;
-- SHOW: some of its rows
SHOW VERSIONS iris_model ORDER BY version;
-- EVALUATE: all models
SELECT * FROM iris TO EVALUATE *;
-- EVALUATE: a report by deciles
SELECT * FROM iris TO EVALUATE iris_model WITH report = 'deciles';
-- EVALUATE: a report of drift by its measure
SELECT * FROM iris TO EVALUATE iris_model WITH report = 'psi';
-- EXPLAIN: a report
SELECT * FROM iris TO EXPLAIN iris_model WITH report = 'ice';
-- EXPLAIN: a picture of partial dependence
SELECT * FROM iris TO EXPLAIN iris_model WITH plot_type = 'partial_dependence';
-- EXPLAIN: an explainer that is not there
SELECT * FROM iris TO EXPLAIN iris_model USING gain;
-- EXPLAIN: individual expectations
SELECT * FROM iris TO EXPLAIN iris_model USING ice;
-- EXPLAIN: columns without their explainer
SELECT * FROM iris TO EXPLAIN iris_model WITH explain.columns = 'petal_width';
-- EXPLAIN: a column that is not there
SELECT * FROM iris TO EXPLAIN iris_model WITH explain.columns = 'petal, width' USING partial_dependence;
-- columns: EXCEPT of nothing
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN * EXCEPT () LABEL price INTO m;
-- columns: EXCEPT of a pattern without quotes
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN * EXCEPT (c*) LABEL price INTO m;
-- columns: one less
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN * - city LABEL price INTO m;
-- columns: ALL EXCEPT
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN ALL EXCEPT (city) LABEL price INTO m;
-- columns: pairs of words by a word
SELECT * FROM houses TO TRAIN LinearRegressor COLUMN TEXT(city, 'pairs') LABEL price INTO m;
-- attributes: the best threshold
SELECT * FROM iris WHERE class < 2 TO TRAIN LinearClassifier WITH best_threshold = 'recall >= 0.95' LABEL class INTO m;
-- attributes: Platt's calibration
SELECT * FROM iris WHERE class < 2 TO TRAIN LinearClassifier WITH calibration = 'platt' LABEL class INTO m;
-- results: a function that is not there
SELECT * FROM totrain_evaluate('iris_model', 'SELECT * FROM iris');
-- results: a table of ours, misspelt
SELECT * FROM totrain_modles;
