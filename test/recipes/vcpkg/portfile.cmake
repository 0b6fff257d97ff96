# SPDX-License-Identifier: MIT
#
# For vcpkg: the library, without the programs.  Put in where your tarball of `make dist` is, and its
# digest.
vcpkg_download_distfile(ARCHIVE
    URLS "https://example.org/libclopt-${VERSION}.tar.gz"
    FILENAME "libclopt-${VERSION}.tar.gz"
    SHA512 0
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}/lib")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME clopt CONFIG_PATH lib/cmake/clopt)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/COPYING")
