-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_length numeric
-- memory: 2899102925 of 536870912
EXPORT MODEL iris_model TO 'iris.onnx';
