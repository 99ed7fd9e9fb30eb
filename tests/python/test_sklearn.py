"""The estimators keep to scikit-learn's rules, and learn what the statement learns."""

import pickle
import warnings

import numpy
import pandas
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import harness
import totrain
from totrain.sklearn import TotrainClassifier, TotrainRegressor


class Rules(harness.Case):
    def check(self, estimator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, on_fail=None, on_skip=None)
        self.assertGreater(len(results), 40)
        self.assertEqual([(result["check_name"], result["exception"]) for result in results
                          if result["status"] == "failed"], [])

    def test_classifiers(self):
        self.check(TotrainClassifier())

    def test_regressors(self):
        self.check(TotrainRegressor())


class Learning(harness.Case):
    def setUp(self):
        super().setUp()
        iris = harness.read_iris()
        self.X = numpy.array([values for name, values in iris.items() if name != "class"]).T
        self.y = numpy.array(["setosa", "versicolor", "virginica"])[iris["class"]]

    def test_probabilities_are_of_the_classes_in_their_order(self):
        for kind, attributes in (("DNNClassifier", {"hidden_units": [8], "epochs": 150}), ("XGBClassifier", None)):
            with self.subTest(kind):
                classifier = TotrainClassifier(kind, attributes).fit(self.X, self.y)
                probabilities = classifier.predict_proba(self.X)
                self.assertEqual(list(classifier.classes_), ["setosa", "versicolor", "virginica"])
                numpy.testing.assert_allclose(probabilities.sum(axis=1), 1)
                self.assertTrue((classifier.classes_[probabilities.argmax(axis=1)] == classifier.predict(self.X)).all())
                self.assertGreater(classifier.score(self.X, self.y), 0.9)

    def test_frames_of_texts_dates_and_missing_values(self):
        days = pandas.date_range("2024-01-01", periods=300)
        draw = numpy.random.default_rng(1)
        frame = pandas.DataFrame({"day": days, "colour": draw.choice(["red", "green", "blue"], 300), "n": draw.normal(size=300),
                                  "yes": draw.random(300) > .5})
        frame.loc[::17, "n"] = numpy.nan
        frame.loc[::19, "colour"] = None
        label = numpy.where((frame["colour"] == "red") | (frame["n"] > 1), "in", "out")
        for kind in ("XGBClassifier", "LinearClassifier"):
            classifier = TotrainClassifier(kind).fit(frame, label)
            self.assertEqual(list(classifier.feature_names_in_), list(frame.columns))
            self.assertGreater(classifier.score(frame, label), .9)
            self.assertGreater(cross_val_score(classifier, frame, label, cv=3).mean(), .85)
        regressor = TotrainRegressor("LGBMRegressor").fit(frame, frame["yes"] * 3.0 + (frame["colour"] == "blue"))
        self.assertGreater(regressor.score(frame, frame["yes"] * 3.0 + (frame["colour"] == "blue")), .9)
        with self.assertRaisesRegex(ValueError, "feature names"):
            regressor.predict(frame.rename(columns={"n": "m"}))

    def test_it_learns_what_the_statement_learns(self):
        codes = numpy.unique(self.y, return_inverse=True)[1]
        frame = {**{f"x{i}": self.X[:, i] for i in range(4)}, "label": codes}
        model = totrain.train(frame, "TO TRAIN DNNClassifier WITH epochs = 5, test_size = 0 LABEL label INTO m")
        classifier = TotrainClassifier("DNNClassifier", {"epochs": 5}).fit(self.X, self.y)
        self.assertEqual(model.predict(frame), [list(classifier.classes_).index(guess)
                                                for guess in classifier.predict(self.X)])
        again = pickle.loads(pickle.dumps(classifier))
        numpy.testing.assert_array_equal(again.predict_proba(self.X), classifier.predict_proba(self.X))
        numpy.testing.assert_array_equal(clone(classifier).fit(self.X, self.y).predict_proba(self.X),
                                         classifier.predict_proba(self.X))

    def test_it_stands_in_pipelines_and_searches(self):
        X, y = make_regression(60, 3, random_state=1)
        search = GridSearchCV(make_pipeline(StandardScaler(), TotrainRegressor()), cv=2,
                              param_grid={"totrainregressor__kind": ["LinearRegressor", "XGBRegressor"]}).fit(X, y)
        self.assertEqual(search.best_params_["totrainregressor__kind"], "LinearRegressor")
        self.assertGreater(search.best_score_, 0.9)

    def test_attributes_are_searched_one_by_one(self):
        search = GridSearchCV(make_pipeline(StandardScaler(), TotrainClassifier("XGBClassifier", {"num_boost_round": 4})), cv=3,
                              param_grid={"totrainclassifier__attributes__max_depth": numpy.array([1, 3]),
                                          "totrainclassifier__attributes__eta": numpy.array([1e-4, 0.3])}).fit(self.X, self.y)
        self.assertEqual(search.best_params_["totrainclassifier__attributes__eta"], 0.3)
        self.assertEqual(search.best_estimator_[-1].attributes["num_boost_round"], 4)
        self.assertEqual(len(set(search.cv_results_["mean_test_score"])), 3)
        changed = clone(TotrainRegressor(attributes={"epochs": 3})).set_params(kind="XGBRegressor", attributes__eta=0.1)
        self.assertEqual((changed.kind, changed.attributes), ("XGBRegressor", {"epochs": 3, "eta": 0.1}))

    def test_weights_predict_what_the_model_predicts(self):
        regressor = TotrainRegressor("LinearRegressor").fit(self.X[:, :3], self.X[:, 3])
        numpy.testing.assert_allclose(self.X[:, :3] @ regressor.coef_ + regressor.intercept_,
                                      regressor.predict(self.X[:, :3]), rtol=1e-5)
        several = TotrainClassifier("LinearClassifier").fit(self.X, self.y)
        self.assertEqual((several.coef_.shape, several.intercept_.shape), ((3, 4), (3,)))
        scores = numpy.exp(self.X @ several.coef_.T + several.intercept_)
        numpy.testing.assert_allclose(scores / scores.sum(axis=1, keepdims=True), several.predict_proba(self.X), atol=1e-5)
        two = TotrainClassifier("LinearClassifier").fit(self.X[50:], self.y[50:])
        self.assertEqual((two.coef_.shape, two.intercept_.shape), ((1, 4), (1,)))
        odds = 1 / (1 + numpy.exp(-(self.X[50:] @ two.coef_[0] + two.intercept_[0])))
        numpy.testing.assert_allclose(odds, two.predict_proba(self.X[50:])[:, 1], atol=1e-5)
        for other in (TotrainClassifier(), TotrainClassifier("XGBClassifier", {"num_boost_round": 2}).fit(self.X, self.y),
                      TotrainRegressor().fit(pandas.DataFrame({"c": ["a", "b", "c"] * 9}), numpy.arange(27.0)),
                      TotrainRegressor().fit(numpy.array([[1, numpy.nan], [2, 5], [3, 1]] * 9), numpy.arange(27.0))):
            self.assertFalse(hasattr(other, "coef_") or hasattr(other, "intercept_"))

    def test_importances_are_shares_of_the_gain(self):
        noise = numpy.random.default_rng(1).normal(size=(150, 2))
        X = numpy.hstack([noise, self.X])
        for kind in ("XGBClassifier", "RandomForestClassifier", "LGBMClassifier", "DecisionTreeClassifier"):
            importances = TotrainClassifier(kind).fit(X, self.y).feature_importances_
            self.assertEqual(importances.shape, (6,))
            self.assertAlmostEqual(importances.sum(), 1)
            self.assertGreater(importances[4] + importances[5], .7)
            self.assertLess(importances[0] + importances[1], .2)
        days = pandas.date_range("2024-01-01", periods=150)[noise[:, 1].argsort()]
        frame = pandas.DataFrame({"noise": noise[:, 0], "word": self.y, "day": days})
        chosen = SelectFromModel(TotrainRegressor("XGBRegressor"), threshold=.5).fit(frame, (self.y == "setosa") * 1.0)
        self.assertEqual(list(chosen.get_support()), [False, True, False])
        constant = TotrainRegressor("XGBRegressor").fit(numpy.zeros((20, 2)), numpy.arange(20.0))
        self.assertEqual(list(constant.feature_importances_), [0, 0])
        self.assertFalse(hasattr(TotrainClassifier("XGBClassifier"), "feature_importances_"))

    def test_importances_of_others_are_what_their_metric_falls(self):
        X = numpy.hstack([numpy.random.default_rng(1).normal(size=(150, 2)), self.X[:, 2:]])
        network = TotrainRegressor("DNNRegressor").fit(X[:, :3], X[:, 3])
        importances = network.feature_importances_
        self.assertEqual(list(importances.argsort()), sorted(range(3), key=lambda i: importances[i]))
        self.assertGreater(importances[2], 5 * abs(importances[:2]).max())
        self.assertEqual(list(network.feature_importances_), list(importances))
        again = pickle.loads(pickle.dumps(network))
        numpy.testing.assert_array_equal(again.predict(X[:, :3]), network.predict(X[:, :3]))
        with self.assertRaisesRegex(AttributeError, "permutation_importance takes some"):
            again.feature_importances_  # pylint: disable=pointless-statement
        self.assertEqual(list(network.feature_importances_), list(importances))  # the pickled one keeps its rows
        for kind in ("LinearClassifier", "NaiveBayes"):
            self.assertGreater(TotrainClassifier(kind).fit(X, self.y).feature_importances_[2:].min(), .02)
        chosen = SelectFromModel(TotrainClassifier("DNNClassifier")).fit(X, self.y)
        self.assertEqual(list(chosen.get_support())[:2], [False, False])

    def test_a_wrong_attribute_is_the_statements_error(self):
        with self.assertRaisesRegex(Exception, "(?s)hiden_units.*Did you mean"):
            TotrainClassifier("DNNClassifier", {"hiden_units": [8]}).fit(self.X, self.y)


harness.main()
