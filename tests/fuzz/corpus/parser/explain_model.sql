SELECT * FROM t TO EXPLAIN sqlflow_models.my_xgb WITH summary.plot_type="bar", summary.alpha=1, summary.sort=True USING TreeExplainer;
