#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - the recipes for packagers in this folder: each has the version of clopt.h, and what it
runs to build and install works, with stand-ins for the package managers' own commands.  After make,
in a copy of the tree with what is built, which other folders and options would change.
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
TOP = tempfile.TemporaryDirectory()
ROOT = os.path.join(TOP.name, "libclopt")
MAKE = os.environ.get("MAKE", "make")


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


VERSION = ".".join(re.findall(r"^#define CLOPT_VERSION_[A-Z]+ (\d+)", read(TREE, "include", "clopt.h"), re.M))


def run(*words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"recipes: {shlex.join(words)}: {done.stdout[-3000:].strip()}")
    return done.stdout


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"recipes: {what} is {found!r}, not {wanted!r}")


def installed(prefix, package):
    """The program and the Python package in a prefix run."""
    environment = {**os.environ, "LD_LIBRARY_PATH": prefix + "/lib", "PYTHONPATH": os.path.dirname(package)}
    run(prefix + "/bin/clopt", "list", env=environment)
    numpy = subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0
    if numpy:
        expect("clopt in Python", run(sys.executable, "-B", "-c", "import clopt; print(clopt.__file__)",
                                      env=environment).strip(), package + "/__init__.py")


def conda(folder):
    try:
        import yaml
    except ImportError:
        return "skipped, there is no PyYAML"
    recipe = yaml.safe_load(read(HERE, "conda", "recipe.yaml"))
    expect("conda's version", recipe["context"]["version"], VERSION)
    prefix, site = folder + "/conda", folder + "/site"
    os.mkdir(site)
    for output in recipe["outputs"]:
        run("sh", "-ec", "\n".join(output["build"]["script"]), cwd=ROOT,
            env={**os.environ, "PREFIX": prefix, "SP_DIR": site, "CPU_COUNT": "2"})
    installed(prefix, site + "/clopt")


def spack(folder):
    """The class on a base that keeps its directives, and has a builder's phases."""
    class Base:
        told = []

        def install(self):
            for words in self.build_targets, self.install_targets:
                run(MAKE, *words, cwd=ROOT)

    def directive(name):
        return lambda *words, **more: Base.told.append((name, *words))

    prefix = type("Prefix", (str,), {"lib": folder + "/spack/lib"})(folder + "/spack")
    spack = types.ModuleType("spack.package")
    for name in "license version variant depends_on extends requires".split():
        setattr(spack, name, directive(name))
    spack.run_after = lambda *_, **__: lambda function: function
    spack.join_path, spack.python_platlib = os.path.join, folder + "/platlib"
    spack.find = lambda where, name, recursive: glob.glob(os.path.join(where, name))
    spack.symlink = os.symlink
    spack.install_tree = lambda here, there: run("install", "-d", os.path.dirname(there)) + run("cp", "-R", here, there)
    makefile = types.ModuleType("makefile")
    makefile.MakefilePackage = Base
    sys.modules.update({"spack": spack, "spack.package": spack, "spack_repo.builtin.build_systems.makefile": makefile,
                        **{name: types.ModuleType(name) for name in ("spack_repo", "spack_repo.builtin",
                                                                     "spack_repo.builtin.build_systems")}})
    names = {}
    exec(compile(read(HERE, "spack", "package.py"), "package.py", "exec"), names)
    package = names["Libclopt"]()
    expect("Spack's version", [words[1] for words in Base.told if words[0] == "version"], [VERSION])
    package.prefix, package.stage = prefix, types.SimpleNamespace(source_path=ROOT)
    package.spec = types.SimpleNamespace(satisfies=lambda what: True)
    package.install()
    package.install_python()
    installed(prefix, folder + "/platlib/clopt")


def vcpkg(folder):
    """The portfile on stand-ins that call CMake; then a project that finds the package."""
    expect("vcpkg's version", json.loads(read(HERE, "vcpkg", "vcpkg.json"))["version"], VERSION)
    stand_ins = f'''
        function(vcpkg_download_distfile)
        endfunction()
        macro(vcpkg_extract_source_archive variable)
          set(${{variable}} "{ROOT}")
        endmacro()
        function(run)
          execute_process(COMMAND ${{ARGN}} COMMAND_ERROR_IS_FATAL ANY)
        endfunction()
        function(vcpkg_cmake_configure)
          cmake_parse_arguments(arg "" SOURCE_PATH "" ${{ARGN}})
          run(cmake -S "${{arg_SOURCE_PATH}}" -B "{folder}/made" -DCMAKE_INSTALL_PREFIX=${{CURRENT_PACKAGES_DIR}}
              -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Debug)
        endfunction()
        function(vcpkg_cmake_install)
          run(cmake --build "{folder}/made" --target install -j 2)
        endfunction()
        function(vcpkg_cmake_config_fixup)
        endfunction()
        function(vcpkg_install_copyright)
          cmake_parse_arguments(arg "" FILE_LIST "" ${{ARGN}})
          file(SIZE "${{arg_FILE_LIST}}" size)
        endfunction()
        set(VERSION {VERSION})
        set(CURRENT_PACKAGES_DIR "{folder}/vcpkg")
        '''
    with open(folder + "/port.cmake", "w") as file:
        file.write(stand_ins + read(HERE, "vcpkg", "portfile.cmake"))
    os.mkdir(folder + "/user")
    with open(folder + "/user/CMakeLists.txt", "w") as file:
        file.write(f"""cmake_minimum_required(VERSION 3.18)
            project(user C)
            find_package(clopt {VERSION} REQUIRED)
            add_executable(matmul "{ROOT}/examples/matmul.c")
            target_link_libraries(matmul PRIVATE clopt::clopt)
            """)
    plain = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    run("cmake", "-P", folder + "/port.cmake", env=plain)
    run("cmake", "-S", folder + "/user", "-B", folder + "/used", f"-DCMAKE_PREFIX_PATH={folder}/vcpkg")
    run("cmake", "--build", folder + "/used", env=plain)
    expect("matmul", run(folder + "/used/matmul"), "1 2 3 6\n4 5 6 15\n")


def docker(folder):
    """What it runs is shell, and what it copies is there, or made."""
    text = re.sub(r"\\\n", " ", read(HERE, "docker", "Dockerfile"))
    for line in re.findall(r"^RUN (.*)$", text, re.M):
        run("sh", "-n", "-c", line)
    for made in re.findall(r"^COPY --from=build /libclopt/(\S+)", text, re.M):
        expect(made, os.path.exists(os.path.join(ROOT, made)), True)


# Times are kept; other builds, with other compilers, are left out.
shutil.copytree(TREE, ROOT, symlinks=True, ignore=lambda folder, names: [
    name for name in names if name.startswith(".") or (folder == os.path.join(TREE, "build") and not re.match(
        r"(obj|examples|man|share|python|asked|sources\.c|common\.a|libclopt.*|clopt.*\.(f90|jl|rs))$", name))])
for recipe in conda, spack, vcpkg, docker:
    with tempfile.TemporaryDirectory() as place:
        print(f"recipes: {recipe.__name__}: {recipe(place) or 'ok'}", flush=True)
