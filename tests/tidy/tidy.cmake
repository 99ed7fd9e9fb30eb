totrain_test_of_files(tidy LABEL unit TIMEOUT 300 COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/tidy.py)
totrain_test_of_files(tidy_rooms LABEL unit TIMEOUT 300 COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/rooms.py)
totrain_test_of_files(tidy_unsteady LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/test_unsteady.py)
totrain_test_of_files(tidy_proof LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/test_proof.py $<TARGET_FILE:measured>)
totrain_test_of_files(tidy_steady_rules LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/test_steady_rules.py)
totrain_test_of_files(tidy_comment_rules LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/test_comment_rules.py)
totrain_test_of_files(tidy_cluster_classes LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/test_cluster_classes.py)
totrain_test_of_files(tidy_text_rules LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/test_text_rules.py)
totrain_test_of_files(tidy_lists LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/test_lists.py ${CMAKE_BINARY_DIR})
