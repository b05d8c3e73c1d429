#!/usr/bin/env python3
"""Unpacks what a C++ build needs of LibTorch's wheels into a folder.

usage: unpack_wheels.py FOLDER cpu|cuda WHEEL...
Python sources, and in a CPU build the 0.5 GB of CUDA code, stay out.
"""
import os
import stat
import sys
import zipfile

CUDA_ONLY = ("libtorch_cuda", "libc10_cuda", "libtorch_nvshmem", "libcaffe2_nvrtc")
NEVER = ("libtorch_python", "libshm")


def wanted(name, cuda):
    base = os.path.basename(name)
    if name.startswith(("torch/include/", "nvidia/")) or "LICENSE" in base:
        return True
    if not name.startswith("torch/lib/") or base.startswith(NEVER):
        return False
    return cuda or not base.startswith(CUDA_ONLY)


def main():
    folder, kind, wheels = sys.argv[1], sys.argv[2], sys.argv[3:]
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                if not wanted(member.filename, kind == "cuda"):
                    continue
                path = archive.extract(member, folder)
                if os.path.isfile(path) and ".so" in os.path.basename(path):
                    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


main()
