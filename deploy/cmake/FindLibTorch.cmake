# Imported targets for an unpacked LibTorch (the `torch` folder of its wheel, or
# of the LibTorch archive), found below MEANFIELD_TORCH and nowhere else:
#
#   LibTorch::cpu   libtorch_cpu + libc10
#   LibTorch::cuda  adds libtorch_cuda + libc10_cuda, where the wheel has them
#
# TorchConfig.cmake is not used: it demands a CUDA toolkit at configure time and
# defines an empty protobuf::libprotobuf. The include folder holds its own
# google/protobuf and fmt, so it must reach no file that includes gRPC, protobuf
# or spdlog headers.
include(FindPackageHandleStandardArgs)
foreach(lib torch_cpu c10)
  find_library(LIBTORCH_${lib} ${lib} PATHS ${MEANFIELD_TORCH}/lib
               NO_DEFAULT_PATH)
endforeach()
find_path(LIBTORCH_INCLUDE torch/csrc/api/include/torch/torch.h
          PATHS ${MEANFIELD_TORCH}/include NO_DEFAULT_PATH)
if(LIBTORCH_INCLUDE AND EXISTS ${LIBTORCH_INCLUDE}/torch/headeronly/version.h)
  set(_version ${LIBTORCH_INCLUDE}/torch/headeronly/version.h)
else()
  set(_version ${LIBTORCH_INCLUDE}/torch/csrc/api/include/torch/version.h)
endif()
if(EXISTS ${_version})
  file(STRINGS ${_version} _lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX REPLACE "[^0-9;]" "" _numbers "${_lines}")
  string(REPLACE ";" "." LibTorch_VERSION "${_numbers}")
endif()
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LIBTORCH_torch_cpu LIBTORCH_c10 LIBTORCH_INCLUDE
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "no LibTorch below MEANFIELD_TORCH=${MEANFIELD_TORCH}: run deploy/bootstrap.sh, or configure with -DMEANFIELD_TORCH=/path/to/torch (2.4 or newer), or -DMEANFIELD_TORCH=OFF to build without the worker")
if(LibTorch_VERSION AND LibTorch_VERSION VERSION_LESS 2.4)
  message(FATAL_ERROR "LibTorch ${LibTorch_VERSION} in ${MEANFIELD_TORCH} is too old: 2.4 or newer is needed")
endif()

# A shared library of LibTorch that must stay linked even where no symbol of it
# is named: its initialisers register operators. As an imported library it is
# found by the build's rpath, and by CMAKE_INSTALL_RPATH once installed.
function(libtorch_library target)
  add_library(${target} INTERFACE IMPORTED)
  foreach(lib ${ARGN})
    if(NOT TARGET LibTorch::${lib}_so)
      add_library(LibTorch::${lib}_so SHARED IMPORTED)
      set_target_properties(LibTorch::${lib}_so PROPERTIES
        IMPORTED_LOCATION ${LIBTORCH_${lib}})
    endif()
    target_link_libraries(${target} INTERFACE
      -Wl,--push-state,--no-as-needed LibTorch::${lib}_so -Wl,--pop-state)
  endforeach()
endfunction()

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  libtorch_library(LibTorch::cpu torch_cpu c10)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE
    ${LIBTORCH_INCLUDE} ${LIBTORCH_INCLUDE}/torch/csrc/api/include)
  target_link_options(LibTorch::cpu INTERFACE
    -Wl,-rpath-link,${MEANFIELD_TORCH}/../nvidia/cu13/lib)
endif()

# Links on machines without a GPU, without the toolkit and without the libraries
# that libtorch_cuda itself needs (cuBLAS, cuDNN, ...): those are found when the
# program starts, by the rpath of the wheel, below nvidia/ beside torch/.
foreach(lib torch_cuda c10_cuda)
  find_library(LIBTORCH_${lib} ${lib} PATHS ${MEANFIELD_TORCH}/lib
               NO_DEFAULT_PATH)
endforeach()
if(LibTorch_FOUND AND LIBTORCH_torch_cuda AND LIBTORCH_c10_cuda
   AND NOT TARGET LibTorch::cuda)
  libtorch_library(LibTorch::cuda torch_cuda c10_cuda)
  target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu)
  target_link_options(LibTorch::cuda INTERFACE -Wl,--allow-shlib-undefined)
endif()

# What a worker loads at run time, into lib/meanfield below the install prefix,
# so that the installed folder can be moved. The libraries look beside
# themselves for each other.
function(libtorch_install)
  file(GLOB libraries ${MEANFIELD_TORCH}/lib/libtorch_cpu.so*
       ${MEANFIELD_TORCH}/lib/libc10.so* ${MEANFIELD_TORCH}/lib/libgomp*.so*
       ${MEANFIELD_TORCH}/../nvidia/cu13/lib/libcudart.so*
       ${MEANFIELD_TORCH}/../nvidia/cu13/lib/libcupti.so*)
  if(MEANFIELD_TORCH_CUDA)
    file(GLOB cuda ${MEANFIELD_TORCH}/lib/lib*cuda*.so*
         ${MEANFIELD_TORCH}/lib/libtorch_nvshmem.so*
         ${MEANFIELD_TORCH}/lib/libcaffe2_nvrtc.so*
         ${MEANFIELD_TORCH}/../nvidia/*/lib/lib*.so*)
    list(APPEND libraries ${cuda})
  endif()
  list(REMOVE_DUPLICATES libraries)
  install(PROGRAMS ${libraries} DESTINATION lib/meanfield)
endfunction()
