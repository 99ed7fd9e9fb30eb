"""Texts and reference numbers for tests/sqlite/test_texts.py: 800 texts of 12 words, of which some tell a little of what
the text is about, and what scikit-learn's LogisticRegression over HashingVectorizer (as many features, presence of
words) gets right of 800 others.

    texts.py     makes the numbers again, with scikit-learn
"""

from clusters import uniform

ABOUT = (["ship", "harbour", "anchor", "sail", "Крюйс", "deck", "mast", "tide", "crew", "cargo"],
         ["oven", "flour", "sugar", "yeast", "Brötchen", "dough", "crust", "knead", "butter", "salt"])
OTHERS = 2000  # words that tell nothing
WORDS, ROWS = 12, 1600


def made(seed=3):
    """(text, what it is about): the first half to learn from, the second half to be judged by."""
    draw = uniform(seed)
    rows = []
    for number in range(ROWS):
        about = number % 2
        words = []
        for _ in range(WORDS):
            u = next(draw)
            if u < 0.2:
                words.append(ABOUT[about][int(10 * next(draw))])
            elif u < 0.27:
                words.append(ABOUT[1 - about][int(10 * next(draw))])
            else:
                words.append(f"w{int(OTHERS * next(draw) ** 2)}")
        if number % 3 == 0:
            words = [word.upper() for word in words]
        rows.append((", ".join(words) + ".", about))
    return rows


BUCKETS = 8192
ACCURACY, AUC = 0.785, 0.8611125  # accuracy and AUC of the second half
# The same of trees over counts in so many features, by XGBoost 3.2, LightGBM 4.7 and scikit-learn 1.9.
TREE_BUCKETS = 1000
TREES_AUC = {"XGB": 0.8132375, "LGBM": 0.82221875, "RandomForest": 0.83459375, "HistGradientBoosting": 0.8214}


def main():
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    rows = made()
    vectorizer = HashingVectorizer(n_features=BUCKETS, binary=True, alternate_sign=False, token_pattern=r"\w+")
    inputs, labels = vectorizer.transform(text for text, _ in rows), [label for _, label in rows]
    half = ROWS // 2
    model = LogisticRegression(max_iter=1000).fit(inputs[:half], labels[:half])
    print(model.score(inputs[half:], labels[half:]),
          roc_auc_score(labels[half:], model.predict_proba(inputs[half:])[:, 1]))
    judge_trees(rows, labels, half)


def judge_trees(rows, labels, half):
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.metrics import roc_auc_score
    from xgboost import XGBClassifier
    vectorizer = HashingVectorizer(n_features=TREE_BUCKETS, norm=None, alternate_sign=False, token_pattern=r"\w+")
    inputs = vectorizer.transform(text for text, _ in rows).astype("float32").toarray()
    for model in (XGBClassifier(), LGBMClassifier(verbose=-1), RandomForestClassifier(random_state=1), HistGradientBoostingClassifier()):
        model.fit(inputs[:half], labels[:half])
        print(type(model).__name__, roc_auc_score(labels[half:], model.predict_proba(inputs[half:])[:, 1]))


if __name__ == "__main__":
    main()
