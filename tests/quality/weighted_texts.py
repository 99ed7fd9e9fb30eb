#!/usr/bin/env python3
"""Numbers of scikit-learn over the texts of texts.py, for tests/sqlite/test_weighted_texts.py.

    weighted_texts.py     prints REFERENCE anew, with scikit-learn in its environment (made with 1.9.1)

Words are those of ToTrain: CountVectorizer and TfidfVectorizer with token_pattern and min_df = 2, which is what a
vocabulary here has of 100 rows and more. The models learn from the first half, probabilities are those of the first
rows of the second half. AUC is that of LogisticRegression over tf-idf of words and pairs, of all rows of the second half.
"""

import texts

JUDGED = 4

# (ngrams, weights): terms of the vocabulary, and of MultinomialNB the probability of 1 in the first rows judged.
REFERENCE = {
    (1, "count"): (1460, [0.0642331098, 0.995713512, 0.123979576, 0.689049419]),
    (1, "tfidf"): (1460, [0.380484723, 0.747773887, 0.413956926, 0.530495588]),
    (2, "count"): (1816, [0.0562696489, 0.999852523, 0.109475469, 0.663838732]),
    (2, "tfidf"): (1816, [0.376534696, 0.800116121, 0.410671043, 0.531562524]),
}
AUC = 0.862744


def halves():
    rows = texts.made()
    half = len(rows) // 2
    return rows[:half], rows[half:]


def reference():
    """REFERENCE and AUC."""
    # pylint: disable=import-outside-toplevel,import-error
    from sklearn import linear_model, metrics, naive_bayes
    from sklearn.feature_extraction import text
    learned, judged = halves()
    labels = [y for _, y in learned]
    found = {}
    for ngrams in (1, 2):
        for weights, vectorizer in (("count", text.CountVectorizer), ("tfidf", text.TfidfVectorizer)):
            made = vectorizer(token_pattern=r"\w+", min_df=2, ngram_range=(1, ngrams))
            matrix = made.fit_transform([body for body, _ in learned])
            model = naive_bayes.MultinomialNB(alpha=1.0).fit(matrix, labels)
            guesses = model.predict_proba(made.transform([body for body, _ in judged[:JUDGED]]))[:, 1]
            found[ngrams, weights] = (matrix.shape[1], [float(f"{one:.9g}") for one in guesses])
    model = linear_model.LogisticRegression(max_iter=1000).fit(matrix, labels)
    scores = model.decision_function(made.transform([body for body, _ in judged]))
    return found, metrics.roc_auc_score([y for _, y in judged], scores)


if __name__ == "__main__":
    table, auc = reference()
    for key, value in table.items():
        print(f"    {key!r}: {value!r},".replace("'", '"'))
    print(f"AUC = {auc:.6f}")
