-- Benign or not, from thirty measurements; with early stopping and a second version.
--
--     sqlite3 cancer.db ".import --csv examples/data/breast_cancer.csv breast_cancer"
--     build/release/totrain cancer.db -f examples/sql/breast_cancer.sql

SELECT * FROM breast_cancer
TO TRAIN DNNClassifier
WITH model.hidden_units = [32, 16], train.epoch = 100, train.batch_size = 32,
     train.test_size = 0.2, train.early_stopping = 5, validation.metrics = 'Accuracy,AUC,Recall'
LABEL benign
INTO tumour;

SELECT * FROM breast_cancer
TO TRAIN LinearClassifier
WITH train.epoch = 50, train.test_size = 0.2, validation.metrics = 'Accuracy,AUC,Recall'
LABEL benign
INTO tumour;

SHOW VERSIONS tumour;

-- The first one was better after all.
ROLLBACK MODEL tumour TO 1;

SELECT * FROM breast_cancer TO EVALUATE tumour WITH validation.metrics = 'Accuracy,AUC,Recall';
