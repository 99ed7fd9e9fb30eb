# What `make bench` says of its numbers; the numbers themselves are too long for a test.
totrain_add_test(NAME quality_verdicts COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_verdicts.py)
set_tests_properties(quality_verdicts PROPERTIES TIMEOUT 60 LABELS unit)
totrain_add_test(NAME quality_tree_verdicts COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_tree_verdicts.py)
set_tests_properties(quality_tree_verdicts PROPERTIES TIMEOUT 60 LABELS unit)
