add_executable(sim ${CMAKE_CURRENT_LIST_DIR}/sim.c ${CMAKE_CURRENT_LIST_DIR}/store.c ${CMAKE_CURRENT_LIST_DIR}/timeline.c
  ${CMAKE_CURRENT_LIST_DIR}/world.c
  ${CMAKE_CURRENT_LIST_DIR}/oracle.c ${CMAKE_CURRENT_LIST_DIR}/toy.c
  ${CMAKE_CURRENT_LIST_DIR}/toy_rows.c
  ${CMAKE_CURRENT_LIST_DIR}/real.c ${CMAKE_CURRENT_LIST_DIR}/search.c
  ${CMAKE_CURRENT_LIST_DIR}/seeds.c
  ${CMAKE_SOURCE_DIR}/tests/cluster/csv_job.c)
target_link_libraries(sim PRIVATE totrain_process)
totrain_show_tests(sim)
# Two in three of these have rows that come bucket by bucket.
totrain_add_test(NAME sim_seeds COMMAND sim --seeds 1..2000)
totrain_add_test(NAME sim_rows COMMAND sim --rows 100000000 --batch 20000 --seeds 1..20)
totrain_add_test(NAME sim_iris COMMAND sim --learner ${CMAKE_SOURCE_DIR}/examples/data/iris.csv
  --seeds 1..20)
totrain_add_test(NAME sim_card COMMAND sim --card ${CMAKE_SOURCE_DIR}/examples/data/breast_cancer.csv
  --seeds 1..100)
totrain_add_test(NAME sim_norms COMMAND sim --norms ${CMAKE_SOURCE_DIR}/examples/data/iris.csv
  --seeds 1..60)
totrain_add_test(NAME sim_click_norms COMMAND sim --click-norms ${CMAKE_SOURCE_DIR}/examples/data/iris.csv
  --seeds 1..60)
# A seed is ten jobs.
totrain_add_test(NAME sim_search COMMAND sim --search ${CMAKE_SOURCE_DIR}/examples/data/iris.csv
  --seeds 1..60)
# That jobs are ended by the clock, some of them, is what it is for.
totrain_add_test(NAME sim_timed COMMAND sim --timed ${CMAKE_SOURCE_DIR}/examples/data/iris.csv
  --seeds 1..200)
set_tests_properties(sim_timed PROPERTIES PASS_REGULAR_EXPRESSION
  " 0 failures.*[1-9][0-9] jobs ended by the clock")
foreach(learner clicks machine clusters trees dart)
  totrain_add_test(NAME sim_${learner} COMMAND sim --${learner} ${CMAKE_SOURCE_DIR}/examples/data/iris.csv
    --seeds 1..20)
endforeach()
foreach(learner medians quantiles percentages hazards rankings)
  totrain_add_test(NAME sim_${learner} COMMAND sim --${learner} ${CMAKE_SOURCE_DIR}/examples/data/iris.csv
    --seeds 1..400)
endforeach()
set_tests_properties(sim_seeds sim_rows sim_iris sim_clicks sim_machine sim_clusters sim_card sim_norms sim_click_norms sim_search sim_timed sim_trees sim_dart sim_medians sim_quantiles sim_percentages sim_hazards sim_rankings PROPERTIES TIMEOUT 300 LABELS sim)

add_executable(sim_shards ${CMAKE_CURRENT_LIST_DIR}/sim_shards.c
  ${CMAKE_CURRENT_LIST_DIR}/shard_world.c ${CMAKE_CURRENT_LIST_DIR}/scored_table.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c
  ${CMAKE_CURRENT_LIST_DIR}/timeline.c)
target_link_libraries(sim_shards PRIVATE totrain_process)
totrain_show_tests(sim_shards)
totrain_add_test(NAME sim_shards COMMAND sim_shards --seeds 1..1000)
set_tests_properties(sim_shards PROPERTIES TIMEOUT 300 LABELS sim)

add_executable(sim_score ${CMAKE_CURRENT_LIST_DIR}/sim_score.c
  ${CMAKE_CURRENT_LIST_DIR}/score_world.c ${CMAKE_CURRENT_LIST_DIR}/links.c ${CMAKE_CURRENT_LIST_DIR}/scored_table.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c
  ${CMAKE_CURRENT_LIST_DIR}/timeline.c)
target_link_libraries(sim_score PRIVATE totrain_process)
totrain_show_tests(sim_score)
totrain_add_test(NAME sim_score COMMAND sim_score --seeds 1..1000)
set_tests_properties(sim_score PROPERTIES TIMEOUT 300 LABELS sim)

add_executable(sim_lanes ${CMAKE_CURRENT_LIST_DIR}/sim_lanes.c ${CMAKE_CURRENT_LIST_DIR}/store.c
  ${CMAKE_CURRENT_LIST_DIR}/timeline.c ${CMAKE_CURRENT_LIST_DIR}/world.c ${CMAKE_CURRENT_LIST_DIR}/oracle.c
  ${CMAKE_CURRENT_LIST_DIR}/toy.c ${CMAKE_CURRENT_LIST_DIR}/toy_rows.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c)
target_link_libraries(sim_lanes PRIVATE totrain_process)
totrain_show_tests(sim_lanes)
totrain_add_test(NAME sim_lanes COMMAND sim_lanes --seeds 1..90)
set_tests_properties(sim_lanes PROPERTIES TIMEOUT 300 LABELS sim)

add_executable(sim_servers ${CMAKE_CURRENT_LIST_DIR}/sim_servers.c
  ${CMAKE_CURRENT_LIST_DIR}/server_world.c ${CMAKE_CURRENT_LIST_DIR}/links.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c ${CMAKE_CURRENT_LIST_DIR}/timeline.c)
target_link_libraries(sim_servers PRIVATE totrain_ps)
totrain_show_tests(sim_servers)
totrain_add_test(NAME sim_servers COMMAND sim_servers --seeds 1..1000)
set_tests_properties(sim_servers PROPERTIES TIMEOUT 300 LABELS sim)
