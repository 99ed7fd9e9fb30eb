-- dialect: postgres
-- query: v numeric[] 150 vectors, 3 elements; class integer 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16] COLUMN "v[1]" LABEL class INTO m;
