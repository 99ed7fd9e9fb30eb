-- dialect: postgres
-- query: class numeric[] 150 vectors, 3 elements; x float8 150 reals
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16] LABEL class INTO m;
