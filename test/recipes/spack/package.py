# SPDX-License-Identifier: MIT
#
# For Spack.  Put in where your tarball of `make dist` is, and its digest.
import os

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Libclopt(MakefilePackage):
    """Matrix products, transposes and sums over pairs of points on OpenCL devices."""

    homepage = "https://example.org"
    url = "https://example.org/libclopt-0.3.0.tar.gz"

    license("MIT")

    version("0.3.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("hdf5", default=False, description="Let nbody read and write snapshots")
    variant("python", default=False, description="Install the Python package")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("opencl@1.2:")
    depends_on("cairo+png")
    depends_on("jansson")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("py-h5py", when="+hdf5", type="run")
    extends("python@3.9:", when="+python")
    depends_on("py-numpy@1.23:", when="+python", type="run")

    requires("platform=linux")

    @property
    def build_targets(self):
        return [f"PREFIX={self.prefix}", "PROGRAM_LIB=$(SO)"]

    @property
    def install_targets(self):
        return ["install", *self.build_targets]

    @run_after("install", when="+python")
    def install_python(self):
        package = join_path(python_platlib, "clopt")
        install_tree(join_path(self.stage.source_path, "build", "python", "clopt"), package)
        for library in find(self.prefix.lib, "libclopt*.so*", recursive=False):
            symlink(library, join_path(package, os.path.basename(library)))
