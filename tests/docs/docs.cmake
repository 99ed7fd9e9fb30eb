# The documents describe the program as it is.
foreach(name man cli_page completion pictures)
  totrain_add_test(NAME docs_${name} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
  set_tests_properties(docs_${name} PROPERTIES TIMEOUT 120 LABELS docs
    ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
endforeach()
totrain_test_of_files(docs_documents LABEL unit TIMEOUT 120
  COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_documents.py)
