# totrain console by HTTP, and in Debian's Chromium: each class is a test, and those of the browser skip where there is
# none.
totrain_test_classes(console_page tests COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_console.py)
