# SPDX-License-Identifier: MIT
"""wheel.py VERSION LIBRARY LOADER FOLDER [editable] - write the wheel of the Python package to
FOLDER and print its name.  In it are the package, FOLDER/python/clopt, LIBRARY, LOADER, the OpenCL
loader that LIBRARY finds beside itself, with the licenses of both, and FOLDER/libclopt-blas.so.
Equal inputs give equal bytes.  An editable one names FOLDER/editable, whose files are links.

A wheel is a zip file with a list of its files, so no tool is needed to make one.  The functions
build_... are what pip calls, by pyproject.toml; they call make, which calls this file.
"""
import base64
import glob
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def glibc(*libraries):
    """The newest minor version of glibc 2 whose functions the libraries need."""
    return max(int(minor) for library in libraries
               for minor in re.findall(rb"\bGLIBC_2\.(\d+)\b", library))


def license_of(path):
    """The copyright of the Debian package with the file of this name, or None."""
    name = os.path.basename(os.path.realpath(path))
    for listed in glob.glob("/var/lib/dpkg/info/*.list"):
        if re.search(rb"/%s\n" % re.escape(name.encode()), read(listed)):
            package = os.path.basename(listed)[:-len(".list")].split(":")[0]
            return read(f"/usr/share/doc/{package}/copyright")
    return None


def metadata(version):
    cpu = "".join(f'Requires-Dist: {name}; extra == "cpu" and platform_machine == "x86_64"\n'
                  for name in ("intel-opencl-rt", "intel-cmplr-lib-rt"))
    return (f"Metadata-Version: 2.1\nName: clopt\nVersion: {version}\n"
            "Summary: Matrix products, transposes and sums over pairs on any OpenCL device\n"
            "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.23\n"
            f"Provides-Extra: cpu\n{cpu}"
            "Description-Content-Type: text/markdown\n\n").encode() + read(
                os.path.join(ROOT, "docs", "python.md"))


def main(version, library, loader, folder, editable=None):
    loader = os.path.realpath(loader)
    if not os.path.isfile(loader):
        sys.exit(f"wheel.py: no OpenCL loader at {loader}")
    machine = sysconfig.get_platform().split("-", 1)[1].replace("-", "_")
    blas = os.path.join(folder, "libclopt-blas.so")
    tag = f"py3-none-manylinux_2_{glibc(*map(read, (library, loader, blas)))}_{machine}"
    package = {os.path.basename(path): path
               for path in glob.glob(os.path.join(folder, "python", "clopt", "*"))
               if path.endswith((".py", ".typed", ".h", ".md"))}
    package.update({os.path.basename(library): library, os.path.basename(blas): blas,
                    "libOpenCL.so.1": loader})
    if editable:
        folder = os.path.join(os.path.abspath(folder), editable)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "clopt"))
        for name, path in package.items():
            own = os.path.join(ROOT, "lib", "python", "clopt", name)
            os.symlink(own if os.path.exists(own) else os.path.abspath(path),
                       os.path.join(folder, "clopt", name))
        contents = {"clopt.pth": folder.encode() + b"\n"}
    else:
        contents = {"clopt/" + name: read(path) for name, path in package.items()}
    info = f"clopt-{version}.dist-info/"
    contents.update({
        info + "METADATA": metadata(version),
        info + "WHEEL": (f"Wheel-Version: 1.0\nGenerator: clopt\nRoot-Is-Purelib: false\n"
                         f"Tag: {tag}\n").encode(),
        info + "licenses/COPYING": read(os.path.join(ROOT, "COPYING"))})
    of_loader = license_of(loader)
    if of_loader:
        contents[info + "licenses/libOpenCL"] = of_loader
    rows = []
    for name, content in sorted(contents.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    contents[info + "RECORD"] = "".join([*rows, f"{info}RECORD,,\n"]).encode()
    path = os.path.join(folder, f"clopt-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name)  # of 1980: no time of this build
            entry.external_attr = (0o100755 if ".so" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    print(path)


def build_wheel(folder, config_settings=None, metadata_directory=None, editable=""):
    said = subprocess.run(["make", f"-j{os.cpu_count()}", "run-wheel", f"EDITABLE={editable}"],
                          cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    made = said.split("\n")[-2]
    return os.path.basename(shutil.copy(os.path.join(ROOT, made), folder))


def build_editable(folder, config_settings=None, metadata_directory=None):
    return build_wheel(folder, editable="editable")


def build_sdist(folder, config_settings=None):
    """All files of the tree but hidden ones and those of a build, as of this folder."""
    def kept(entry):
        own = os.path.relpath(os.path.abspath(folder), ROOT)
        return None if "__pycache__" in entry.name or entry.name == f"{top}/{own}" else entry

    version = ".".join(re.findall(r"^#define CLOPT_VERSION_[A-Z]+ (\d+)",
                                  read(os.path.join(ROOT, "include", "clopt.h")).decode(), re.M))
    top = f"clopt-{version}"
    path = os.path.join(folder, top + ".tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(os.listdir(ROOT)):
            if name != "build" and not name.startswith("."):
                tar.add(os.path.join(ROOT, name), f"{top}/{name}", filter=kept)
        project = read(os.path.join(ROOT, "lib", "python", "pyproject.toml"))
        for name, content in (("PKG-INFO", metadata(version)),
                              ("pyproject.toml", project.replace(b'["."]', b'["lib/python"]'))):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return top + ".tar.gz"


if __name__ == "__main__":
    main(*sys.argv[1:])
