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
if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE
    ${LIBTORCH_INCLUDE} ${LIBTORCH_INCLUDE}/torch/csrc/api/include)
  # Registrations live in the library's initialisers, so it must stay linked
  # even where no symbol of it is named.
  target_link_libraries(LibTorch::cpu INTERFACE
    -Wl,--no-as-needed ${LIBTORCH_torch_cpu} ${LIBTORCH_c10} -Wl,--as-needed)
  target_link_options(LibTorch::cpu INTERFACE
    -Wl,-rpath,${MEANFIELD_TORCH}/lib
    -Wl,-rpath-link,${MEANFIELD_TORCH}/../nvidia/cu13/lib)
endif()

# Links on machines without a GPU, without the toolkit and without the libraries
# that libtorch_cuda itself needs (cuBLAS, cuDNN, ...): those are found when the
# program starts, by the rpath of the wheel, below nvidia/ beside torch/.
foreach(lib torch_cuda c10_cuda)
  find_library(LIBTORCH_${lib} ${lib} PATHS ${MEANFIELD_TORCH}/lib
               NO_DEFAULT_PATH)
endforeach()
if(TARGET LibTorch::cpu AND LIBTORCH_torch_cuda AND LIBTORCH_c10_cuda
   AND NOT TARGET LibTorch::cuda)
  add_library(LibTorch::cuda INTERFACE IMPORTED)
  target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu
    -Wl,--no-as-needed ${LIBTORCH_torch_cuda} ${LIBTORCH_c10_cuda}
    -Wl,--as-needed)
  target_link_options(LibTorch::cuda INTERFACE -Wl,--allow-shlib-undefined)
endif()
