# The module of the server: build/*/postgres/{totrain.so,totrain.control,totrain--*.sql}.
# pg_config says for which PostgreSQL; PG_CONFIG=PATH chooses another.
find_program(PG_CONFIG pg_config)
set(postgres_headers "")
if(PG_CONFIG)
  execute_process(COMMAND ${PG_CONFIG} --includedir-server
                  OUTPUT_VARIABLE postgres_headers OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT EXISTS "${postgres_headers}/postgres.h")
  message(STATUS "PostgreSQL's server headers (postgresql-server-dev-15) are missing: "
                 "the extension for PostgreSQL is not built")
  return()
endif()

set(postgres_folder ${CMAKE_BINARY_DIR}/postgres)
set(server_sources module.c settings.c session.c values.c database_spi.c model_heap.c model_view.c model_rows.c own_sql.c kept_rows.c functions.c plan_support.c undo.c door.c door_cluster.c caller.c kept_jobs.c release.c run.c submit.c stage.c jobs.c parallel_scan.c bare.c script.c)
add_library(totrain_postgres MODULE ${server_sources})
target_compile_definitions(totrain_postgres PRIVATE
  TOTRAIN_PROGRAM="${CMAKE_INSTALL_PREFIX}/bin/totrain")
# PostgreSQL's inline functions are written for its own flags.
target_compile_options(totrain_postgres PRIVATE -Wno-shadow -Wno-unused-parameter -fno-strict-aliasing -fwrapv)
target_include_directories(totrain_postgres SYSTEM PRIVATE ${postgres_headers})
# Both have a parser/parser.h, and each one's headers name it: this one is both.
set(both_parsers ${CMAKE_BINARY_DIR}/include/both_parsers)
file(CONFIGURE OUTPUT ${both_parsers}/parser/parser.h @ONLY CONTENT
  "#include \"@CMAKE_SOURCE_DIR@/parser/parser.h\"\n#include \"@postgres_headers@/parser/parser.h\"\n")
target_include_directories(totrain_postgres BEFORE PRIVATE ${both_parsers})
target_link_libraries(totrain_postgres PRIVATE totrain_postgres_host)
target_link_options(totrain_postgres PRIVATE
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/server.map -Wl,--as-needed)
set_target_properties(totrain_postgres PROPERTIES
  C_EXTENSIONS ON
  OUTPUT_NAME totrain PREFIX "" SUFFIX .so
  LIBRARY_OUTPUT_DIRECTORY ${postgres_folder}
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/server.map)

# What CREATE EXTENSION reads lies beside it.
file(GLOB postgres_files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS totrain.control totrain--*.sql)
# Scripts of former builds would be installed, too.
file(GLOB stale_scripts RELATIVE ${postgres_folder} ${postgres_folder}/totrain--*.sql)
list(REMOVE_ITEM stale_scripts ${postgres_files})
list(TRANSFORM stale_scripts PREPEND ${postgres_folder}/)
if(stale_scripts)
  file(REMOVE ${stale_scripts})
endif()
foreach(file ${postgres_files})
  add_custom_command(OUTPUT ${postgres_folder}/${file}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${postgres_folder}/${file}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} VERBATIM)
endforeach()
list(TRANSFORM postgres_files PREPEND ${postgres_folder}/)
add_custom_target(totrain_postgres_files ALL DEPENDS ${postgres_files})
