#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fill.sh SOURCE VERSION SERIES SECONDS - makes SOURCE/debian of SOURCE/lib/debian: the change log, whose
# version is the library's and whose date is SECONDS after 1970; the name of the library's package; the list of its
# symbols, from lib/abi.txt; the folder of this machine's libraries in alternatives.
set -eu
source=$1 version=$2 series=$3
date=$(LC_ALL=C date -R -u -d "@$4")
cp -R "$source/lib/debian" "$source/debian"
sed -i "s/@SERIES@/$series/" "$source/debian/control"
mv "$source/debian/libclopt.install" "$source/debian/libclopt$series.install"

cat >"$source/debian/changelog" <<END
libclopt ($version) unstable; urgency=medium

  * See docs/NEWS.md.

 -- $(sed -n 's/^Maintainer: //p' "$source/debian/control")  $date
END

{
	echo "libclopt.so.$series libclopt$series #MINVER#"
	echo "* Build-Depends-Package: libclopt-dev"
	echo " CLOPT_$series@CLOPT_$series $series.0"
	sed -n "s/^\([0-9.]*\) .*[ *]\(clopt_[a-z0-9_]*\)(.*/ \2@CLOPT_$series \1/p" "$source/lib/abi.txt" | LC_ALL=C sort
} >"$source/debian/libclopt$series.symbols"

sed -i "/^#/d; s/@MULTIARCH@/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/" "$source"/debian/*.alternatives
