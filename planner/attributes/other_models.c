#include "planner/attributes/other_models.h"

#define TIME                                                                                       \
    "A function forecasts a series: totrain_forecast_series(day, y, 12), in PostgreSQL "           \
    "totrain.forecast_series. Columns of lags, as lag(y, 1) OVER (ORDER BY day) AS y_1, make a "   \
    "table of one for any model."
#define SERIES                                                                                     \
    "A model forecasts all series of a table: WITH forecast.time = 'day', "                        \
    "forecast.group = 'store', forecast.horizon = 28."
#define FACTORS                                                                                    \
    "Users and items may have other columns beside them: COLUMN VOCABULARY(customer), "            \
    "VOCABULARY(item), *."
#define VOTES                                                                                      \
    "Models are not joined: predictions of several can be averaged in a SELECT. TO EVALUATE a, b " \
    "compares them."
#define SEARCHES                                                                                   \
    "WITH tune.trials = 20, max_depth = RANGE(3, 10) searches values of a model's attributes."
#define PREPARES                                                                                   \
    "A model scales numbers, encodes words and fills in missing values by itself, and keeps how."
#define WORDCLUSTERS "Each word of a category is a column of 0 and 1, and centers are means."

/* clang-format off: one row, one model. */
const struct other_model other_models[] = {
    {"LogisticRegressionCV", "LinearClassifier", NULL},
    {"LogReg", "LinearClassifier", NULL},
    {"Logistic", "LinearClassifier", NULL},
    {"logregr_train", "LogisticRegression", NULL},
    {"linregr_train", "OrdinaryLeastSquares", NULL},
    {"Perceptron", "LinearClassifier WITH model.loss = 'hinge'", NULL},
    {"PassiveAggressiveClassifier", "LinearClassifier WITH model.loss = 'hinge'",
     "Steps follow a gradient."},
    {"svm_classification", "LinearClassifier WITH model.loss = 'hinge'",
     "There is no kernel machine for classes."},
    {"BayesianRidge", "OrdinaryLeastSquares",
     "Weights have standard errors, and no prior distribution."},
    {"Lars", "LinearRegressor WITH model.l1 = 0.01, model.l2 = 0", NULL},
    {"TheilSenRegressor", "LinearRegressor WITH model.loss = 'huber'", NULL},
    {"RANSACRegressor", "LinearRegressor WITH model.loss = 'huber'", NULL},
    {"GLM", "LinearClassifier or LinearRegressor",
     "Families are losses: model.loss = 'poisson', 'gamma' or 'tweedie'."},
    {"GAM", "LGBMRegressor", "There are no splines."},
    {"IsotonicRegression", "XGBRegressor WITH monotone_constraints = '(1)'",
     "Classifiers are calibrated by train.calibration = 'isotonic'."},
    {"LogisticRegressor", "LinearClassifier", NULL},
    {"logistic_reg", "LinearClassifier", NULL},
    {"logregr", "LogisticRegression", NULL},
    {"MNLogit", "LogisticRegression", NULL},
    {"SGDClassifier", "LinearClassifier", NULL},
    {"RidgeClassifier", "LinearClassifier", NULL},
    {"LinearSVC", "LinearClassifier WITH model.loss = 'squared_hinge'", NULL},
    {"PoissonRegressor", "LinearRegressor WITH model.loss = 'poisson'", NULL},
    {"GammaRegressor", "LinearRegressor WITH model.loss = 'gamma'", NULL},
    {"TweedieRegressor", "LinearRegressor WITH model.loss = 'tweedie'", NULL},
    {"HuberRegressor", "LinearRegressor WITH model.loss = 'huber'", NULL},
    {"QuantileRegressor", "LinearRegressor WITH model.loss = 'quantile'", NULL},
    {"LinearRegression", "LinearRegressor", NULL},
    {"linear_reg", "LinearRegressor", NULL},
    {"linregr", "OrdinaryLeastSquares", NULL},
    {"WLS", "OrdinaryLeastSquares", NULL},
    {"Ridge", "LinearRegressor", NULL},
    {"Lasso", "LinearRegressor WITH model.l1 = 0.01, model.l2 = 0", NULL},
    {"ElasticNet", "LinearRegressor WITH model.l1 = 0.01, model.l2 = 0.01", NULL},
    {"SGDRegressor", "LinearRegressor", NULL},
    {"MLPClassifier", "DNNClassifier", NULL},
    {"dnn_classifier", "DNNClassifier", NULL},
    {"MLPRegressor", "DNNRegressor", NULL},
    {"dnn_regressor", "DNNRegressor", NULL},
    {"MLP", "DNNClassifier or DNNRegressor", NULL},
    {"DNN", "DNNClassifier or DNNRegressor", NULL},
    {"NeuralNetwork", "DNNClassifier or DNNRegressor", NULL},
    {"GaussianNB", "NaiveBayes", NULL},
    {"CategoricalNB", "NaiveBayes", NULL},
    {"BernoulliNB", "NaiveBayes", NULL},
    {"naive_bayes", "NaiveBayes", NULL},
    {"MiniBatchKMeans", "KMeans", NULL},
    {"k_means", "KMeans", NULL},
    {"RandomForest", "RandomForestClassifier or RandomForestRegressor", NULL},
    {"random_forest_classifier", "RandomForestClassifier", NULL},
    {"random_forest_regressor", "RandomForestRegressor", NULL},
    {"forest_train", "RandomForestClassifier or RandomForestRegressor", NULL},
    {"tree_train", "DecisionTreeClassifier or DecisionTreeRegressor", NULL},
    {"GradientBoosting", "GradientBoostingClassifier or GradientBoostingRegressor", NULL},
    {"xgboost", "xgboost.gbtree", NULL},
    {"xgb", "xgboost.gbtree", NULL},
    {"lgb", "lightgbm.gbdt", NULL},
    {"lgbm", "lightgbm.gbdt", NULL},
    {"GBM", "LGBMClassifier or LGBMRegressor", NULL},
    {"NGBoost", "LGBMRegressor WITH objective = 'quantile'",
     "Quantiles of a label are learned, and no distribution."},
    {"NGBRegressor", "LGBMRegressor WITH objective = 'quantile'",
     "Quantiles of a label are learned, and no distribution."},
    {"BaggingClassifier", "RandomForestClassifier", "Trees alone are drawn rows for."},
    {"BaggingRegressor", "RandomForestRegressor", "Trees alone are drawn rows for."},
    {"VotingClassifier", "AUTO", VOTES},
    {"VotingRegressor", "AUTO", VOTES},
    {"StackingClassifier", "AUTO", VOTES},
    {"StackingRegressor", "AUTO", VOTES},
    {"GridSearchCV", "AUTO", SEARCHES},
    {"RandomizedSearchCV", "AUTO", SEARCHES},
    {"Pipeline", "LinearClassifier or LinearRegressor", PREPARES},
    {"StandardScaler", "LinearClassifier or LinearRegressor", PREPARES},
    {"MinMaxScaler", "LinearClassifier or LinearRegressor", PREPARES},
    {"OneHotEncoder", "LinearClassifier or LinearRegressor", PREPARES},
    {"LabelEncoder", "LinearClassifier or LinearRegressor", PREPARES},
    {"SimpleImputer", "LinearClassifier or LinearRegressor", PREPARES},
    {"TfidfVectorizer", "LinearClassifier",
     "COLUMN TEXT(column, ngrams = 2, weights = 'tfidf') makes inputs of the words of texts."},
    {"CountVectorizer", "LinearClassifier",
     "COLUMN TEXT(column, weights = 'count') makes inputs of the words of texts."},
    {"lightgbm", "lightgbm.gbdt", NULL},
    {"gbtree", "xgboost.gbtree", NULL},
    {"gbdt", "lightgbm.gbdt", NULL},
    {"CoxPHFitter", "XGBRegressor WITH objective = 'survival:cox'",
     "There is no linear model of survival."},
    {"CoxPHSurvivalAnalysis", "XGBRegressor WITH objective = 'survival:cox'",
     "There is no linear model of survival."},
    {"SVC", "DNNClassifier",
     "There is no kernel machine for classes; LinearSVC is LinearClassifier WITH model.loss = "
     "'squared_hinge'."},
    {"NuSVC", "DNNClassifier",
     "There is no kernel machine for classes; LinearSVC is LinearClassifier WITH model.loss = "
     "'squared_hinge'."},
    {"SVM", "DNNClassifier",
     "There is no kernel machine for classes; LinearSVC is LinearClassifier WITH model.loss = "
     "'squared_hinge'."},
    {"SVR", "DNNRegressor", "There is no kernel machine for numbers."},
    {"NuSVR", "DNNRegressor", "There is no kernel machine for numbers."},
    {"KernelRidge", "DNNRegressor", "There is no kernel machine for numbers."},
    {"GaussianProcessRegressor", "DNNRegressor", "There are no Gaussian processes."},
    {"GaussianProcessClassifier", "DNNClassifier", "There are no Gaussian processes."},
    {"KNeighborsClassifier", "RandomForestClassifier", "There are no nearest neighbours."},
    {"KNeighborsRegressor", "RandomForestRegressor", "There are no nearest neighbours."},
    {"KNN", "RandomForestClassifier or RandomForestRegressor", "There are no nearest neighbours."},
    {"LinearDiscriminantAnalysis", "LogisticRegression", "There is no discriminant analysis."},
    {"LDA", "LogisticRegression", "There is no discriminant analysis."},
    {"QuadraticDiscriminantAnalysis", "NaiveBayes", "There is no discriminant analysis."},
    {"MultinomialNB", "NaiveBayes",
     "COLUMN TEXT(column, weights = 'count') counts the words of texts."},
    {"ComplementNB", "NaiveBayes",
     "COLUMN TEXT(column, weights = 'count') counts the words of texts."},
    {"AdaBoostClassifier", "GradientBoostingClassifier", "It is boosted by gradients here."},
    {"AdaBoostRegressor", "GradientBoostingRegressor", "It is boosted by gradients here."},
    {"CatBoostClassifier", "LGBMClassifier",
     "CatBoost is not among these models; columns of words are learned as they are by others, "
     "too."},
    {"CatBoostRegressor", "LGBMRegressor",
     "CatBoost is not among these models; columns of words are learned as they are by others, "
     "too."},
    {"CatBoost", "LGBMClassifier or LGBMRegressor",
     "CatBoost is not among these models; columns of words are learned as they are by others, "
     "too."},
    {"ExtraTreesClassifier", "RandomForestClassifier", "No thresholds are drawn at random."},
    {"ExtraTreesRegressor", "RandomForestRegressor", "No thresholds are drawn at random."},
    {"TabNet", "DNNClassifier or DNNRegressor",
     "Definitions have attention, such as zoo/tabular_transformer."},
    {"FTTransformer", "DNNClassifier or DNNRegressor",
     "Definitions have attention, such as zoo/tabular_transformer."},
    {"Transformer", "DNNClassifier or DNNRegressor",
     "Definitions have attention, such as zoo/tabular_transformer."},
    {"CNN", "DNNClassifier or DNNRegressor",
     "Pictures in BLOBs are learned by definitions, such as zoo/mnist_cnn."},
    {"AutoML", "AUTO", "It tries kinds of models and their settings, judged by the same rows."},
    {"automl_classifier", "AUTO",
     "It tries kinds of models and their settings, judged by the same rows."},
    {"automl_regressor", "AUTO",
     "It tries kinds of models and their settings, judged by the same rows."},
    {"AutoGluon", "AUTO", "It tries kinds of models and their settings, judged by the same rows."},
    {"SARIMAX", "ARIMA", SERIES},
    {"SARIMA", "ARIMA", SERIES},
    {"NBEATS", "Forecast", SERIES},
    {"NHITS", "Forecast", SERIES},
    {"TFT", "Forecast", SERIES},
    {"TimesFM", "Forecast", SERIES},
    {"Holt", "AutoETS", SERIES},
    {"HoltWinters", "AutoETS", SERIES},
    {"VAR", "Forecast", "Series are forecast one by one, with regressors of the same row."},
    {"ExponentialSmoothing", "AutoETS", SERIES},
    {"Prophet", "Forecast", SERIES},
    {"LSTM", "LGBMRegressor", TIME},
    {"GRU", "LGBMRegressor", TIME},
    {"RNN", "LGBMRegressor", TIME},
    {"matrix_factorization", "MatrixFactorization", NULL},
    {"MatrixFactorisation", "MatrixFactorization", NULL},
    {"SVD", "MatrixFactorization or PCA",
     "Ratings of two columns have factors, numbers of many columns components."},
    {"SVDpp", "MatrixFactorization", "Ratings alone are learned from."},
    {"FunkSVD", "MatrixFactorization", NULL},
    {"PMF", "MatrixFactorization", NULL},
    {"ALS", "MatrixFactorization", "Factors are learned by steps, not by least squares in turn."},
    {"ALSWR", "MatrixFactorization", "Factors are learned by steps, not by least squares in turn."},
    {"NMF", "MatrixFactorization", "Factors have any sign."},
    {"BPR", "MatrixFactorization", "There is no loss of pairs of items."},
    {"LightFM", "DeepFMRegressor", FACTORS},
    {"KModes", "KMeans", WORDCLUSTERS},
    {"KPrototypes", "KMeans", WORDCLUSTERS},
    {"SpectralClustering", "KMeans", "There are no clusters of a graph."},
    {"MeanShift", "KMeans", "There are no clusters by density."},
    {"DBSCAN", "KMeans", "There are no clusters by density."},
    {"HDBSCAN", "KMeans", "There are no clusters by density."},
    {"AgglomerativeClustering", "KMeans", "There are no trees of clusters."},
    {"GaussianMixture", "KMeans", "There are no mixtures of distributions."},
    {"DeepEmbeddingClusterModel", "KMeans", "There are no clusters of a learned embedding yet."},
    {"iForest", "IsolationForest", NULL},
    {"ExtendedIsolationForest", "IsolationForest", "Each split uses one column."},
    {"RandomCutForest", "IsolationForest", "Columns are drawn alike, whatever their range."},
    {"LocalOutlierFactor", "IsolationForest or OneClassSVM", "There are no nearest neighbours."},
    {"EllipticEnvelope", "IsolationForest or OneClassSVM", "There is no ellipse around the rows."},
    {"TruncatedSVD", "PCA", "The mean is taken off."},
    {"FactorAnalysis", "PCA", "Columns have no noise of their own."},
    {"FastICA", "PCA", "Components have the greatest variance."},
    {"TSNE", "PCA", "There are no maps of neighbours."},
    {"UMAP", "PCA", "There are no maps of neighbours."},
    {"Autoencoder", "PCA", "There are no networks without a label."},
    {NULL, NULL, NULL},
};
/* clang-format on */

bool other_model_hint(struct slice name, struct error *err)
{
    const struct other_model *model = other_models;

    while (model->name && !slice_is_fold(name, model->name))
        model++;
    if (!model->name)
        return false;
    if (model->why)
        error_hint(err, "%s Nearest is %s.", model->why, model->here);
    else
        error_hint(err, "It is called %s here.", model->here);
    return true;
}
