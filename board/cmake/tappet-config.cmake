# find_package(tappet) gives the target tappet::tappet.
get_filename_component(_tappet_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
# lib, or lib/x86_64-linux-gnu.
get_filename_component(_tappet_include "${_tappet_lib}/../include" ABSOLUTE)
if(NOT EXISTS "${_tappet_include}/tappet.h")
  get_filename_component(_tappet_include "${_tappet_lib}/../../include" ABSOLUTE)
endif()
if(NOT TARGET tappet::tappet)
  add_library(tappet::tappet SHARED IMPORTED)
  set_target_properties(tappet::tappet PROPERTIES
    IMPORTED_LOCATION "${_tappet_lib}/libtappet.so.0"
    IMPORTED_SONAME "libtappet.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${_tappet_include}")
endif()
unset(_tappet_include)
unset(_tappet_lib)
