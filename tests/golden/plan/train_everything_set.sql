-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [32], model.activation = 'tanh', model.dropout = 0.1, model.n_classes = 3,
  model.standardize = false, model.optimizer = Adam, model.l1 = 0.001, model.l2 = 0.002, train.batch_size = 32, train.epochs = 7, train.max_steps = 100,
  train.shuffle = false, train.seed = 42, train.verbose = 2, train.log_every_n_iter = 10, train.early_stopping = 3, train.test_size = 0.25,
  train.class_weight = 'balanced', optimizer.learning_rate = 0.01, optimizer.beta_1 = 0.8, optimizer.beta2 = 0.9, optimizer.epsilon = 1e-7,
  optimizer.schedule = 'linear', validation.metrics = [Accuracy, "neg_log_loss"], job.lanes = 6, job.min_workers = 2, job.max_workers = 3,
  job.where = 'local', job.reproducible = true, job.sync = true
LABEL class INTO iris_model;
