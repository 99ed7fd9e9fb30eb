"""Models whose trees are deep: one row has SHAP values that take hours."""


def chain(tests, features, trees):
    """LightGBM's text of trees as deep as they have tests; a test's other side is a leaf."""
    def numbers(values):
        return " ".join(map(str, values))

    leaves = tests + 1
    body = "\n".join((
        f"num_leaves={leaves}", "num_cat=0", f"split_feature={numbers(i % features for i in range(tests))}", f"split_gain={numbers([1] * tests)}",
        f"threshold={numbers((i + 1) / 4096 for i in range(tests))}", f"decision_type={numbers([2] * tests)}",
        f"left_child={numbers(-(i + 1) for i in range(tests))}", f"right_child={numbers([*range(1, tests), -leaves])}",
        f"leaf_value={numbers([.001] * leaves)}", f"leaf_weight={numbers([1] * leaves)}", f"leaf_count={numbers([1] * leaves)}",
        f"internal_value={numbers([0] * tests)}", f"internal_weight={numbers([1] * tests)}", f"internal_count={numbers(leaves - i for i in range(tests))}",
        "is_linear=0", "shrinkage=1", "", "", ""))
    texts = [f"Tree={number}\n{body}" for number in range(trees)]
    return "\n".join((
        "tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0", f"max_feature_idx={features - 1}", "objective=regression",
        f"feature_names={numbers(f'c{i}' for i in range(features))}", f"feature_infos={numbers(['[0:1]'] * features)}",
        f"tree_sizes={numbers(len(text) for text in texts)}", "", "".join(texts) + "end of trees", "", "parameters:", "end of parameters", "")).encode()
