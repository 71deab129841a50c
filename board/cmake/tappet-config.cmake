# find_package(tappet) gives the target tappet::tappet.
get_filename_component(_tappet_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET tappet::tappet)
  add_library(tappet::tappet SHARED IMPORTED)
  set_target_properties(tappet::tappet PROPERTIES
    IMPORTED_LOCATION "${_tappet_prefix}/lib/libtappet.so.0"
    IMPORTED_SONAME "libtappet.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${_tappet_prefix}/include")
endif()
unset(_tappet_prefix)
