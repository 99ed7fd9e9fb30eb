totrain_test(test_completion
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_completion.c USES cli LABEL unit)
totrain_test(test_display
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_display.c USES cli LABEL unit)
totrain_test(test_card
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_card.c USES cli LABEL unit)
totrain_test(test_picture
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_picture.c USES cli LABEL unit)
