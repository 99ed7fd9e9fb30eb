# Reads cells as models do, and prints programs that must read the same: for the tests of formulas.
add_executable(read_cells ${CMAKE_CURRENT_LIST_DIR}/read_cells.c)
target_link_libraries(read_cells PRIVATE totrain_interop)
