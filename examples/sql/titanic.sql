-- Who survived? A yes-or-no question on nothing but words.
--
--     sqlite3 titanic.db ".import --csv examples/data/titanic.csv titanic"
--     build/release/totrain titanic.db -f examples/sql/titanic.sql

-- The plan: what each column becomes, how large the model is, where it runs.
EXPLAIN SELECT * FROM titanic
TO TRAIN LinearClassifier WITH train.epoch = 40 LABEL survived INTO survival;

-- Many passengers are alike in every column, so one in four by number is held out.
SELECT * FROM titanic WHERE rowid % 4 > 0
TO TRAIN LinearClassifier
WITH train.epoch = 40, optimizer.learning_rate = 0.02,
     validation.select = 'SELECT * FROM titanic WHERE rowid % 4 = 0',
     validation.metrics = 'Accuracy,AUC,F1'
LABEL survived
INTO survival;

-- A linear model explains itself: its weights are rows of its table.
SELECT name, round(value, 3) AS weight FROM survival WHERE part = 'weight' ORDER BY value;

-- Scoring is a function like any other.
SELECT class, sex, round(totrain_probability('survival', class, age, sex), 3) AS survives
FROM (SELECT DISTINCT class, age, sex FROM titanic WHERE age = 'adults')
ORDER BY survives DESC;
