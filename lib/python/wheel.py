# SPDX-License-Identifier: MIT
"""wheel.py VERSION LIBRARY LOADER FOLDER - write the wheel of the Python package to FOLDER and print
its name.  In it are the package, FOLDER/python/clopt, LIBRARY, and LOADER, the OpenCL loader that LIBRARY
finds beside itself, with the licenses of both.  Equal inputs give equal bytes.

A wheel is a zip file with a list of its files, so no tool is needed to make one.
"""
import base64
import glob
import hashlib
import os
import re
import sys
import sysconfig
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


def files(version, library, loader, tag, package):
    """The names and the contents of all files but the list."""
    info = f"clopt-{version}.dist-info/"
    found = {os.path.join("clopt", os.path.basename(path)): read(path)
             for path in glob.glob(os.path.join(package, "*"))
             if path.endswith((".py", ".typed", ".h", ".md"))}
    found["clopt/" + os.path.basename(library)] = read(library)
    found["clopt/libOpenCL.so.1"] = read(loader)
    found[info + "METADATA"] = (
        f"Metadata-Version: 2.1\nName: clopt\nVersion: {version}\n"
        "Summary: Matrix products, transposes and sums over pairs on any OpenCL device\n"
        "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.23\n"
        "Description-Content-Type: text/markdown\n\n").encode() + read(
            os.path.join(ROOT, "docs", "python.md"))
    found[info + "WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: clopt\nRoot-Is-Purelib: false\n"
                             f"Tag: {tag}\n").encode()
    found[info + "licenses/COPYING"] = read(os.path.join(ROOT, "COPYING"))
    of_loader = license_of(loader)
    if of_loader:
        found[info + "licenses/libOpenCL"] = of_loader
    return found, info + "RECORD"


def main(version, library, loader, folder):
    loader = os.path.realpath(loader)
    if not os.path.isfile(loader):
        sys.exit(f"wheel.py: no OpenCL loader at {loader}")
    machine = sysconfig.get_platform().split("-", 1)[1].replace("-", "_")
    tag = f"py3-none-manylinux_2_{glibc(read(library), read(loader))}_{machine}"
    contents, record = files(version, library, loader, tag, os.path.join(folder, "python", "clopt"))
    rows = []
    for name, content in sorted(contents.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    contents[record] = "".join([*rows, f"{record},,\n"]).encode()
    path = os.path.join(folder, f"clopt-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name)  # of 1980: no time of this build
            entry.external_attr = (0o100755 if ".so" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
