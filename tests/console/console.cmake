# totrain console by HTTP, and in Debian's Chromium: tests of the browser skip where there is none.
totrain_test_classes(console_page tests COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_page.py APART Browser)
set_tests_properties(${tests} PROPERTIES TIMEOUT 900 LABELS sqlite
  ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")

# Looks of docs/pictures, as a browser measures them; tests/docs/test_pictures.py compares these with the program's.
totrain_test_classes(console_looks tests COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_looks.py)
set_tests_properties(${tests} PROPERTIES TIMEOUT 900
  ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
