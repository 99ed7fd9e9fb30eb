foreach(name forecast pooled forecast_kept forecast_steps common_steps forecast_grid forecast_points forecast_parts arima ets forecast_peers stl regressors hierarchy transform_series)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c USES base scoring forecast LIBS PkgConfig::CJSON LABEL unit)
endforeach()
