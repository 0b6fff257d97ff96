# SPDX-License-Identifier: MIT
# embed.awk - the files of cl/ as C: one literal a line, so that none is long
# and the result can be read.  A #line goes first, so that a compiler's log
# names the file and line of cl/.  digest: of the files that what is kept of a kernel
# depends on.
BEGIN    { print "#include \"../lib/table/table.h\"" }
FNR == 1 { if (n) print "};"
           name = FILENAME; sub(/^.*cl\//, "", name); file[++n] = name
           printf "static const char *const s%d[] = {\n", n
           printf "\"#line 1 \\\"cl/%s\\\"\\n\",\n", name }
         { gsub(/\\/, "&&"); gsub(/"/, "\\\""); printf "\"%s\\n\",\n", $0 }
END      { print "};\nconst struct source clopt__sources[] = {"
           for (i = 1; i <= n; i++)
               printf "{ \"%s\", s%d, sizeof s%d / sizeof *s%d },\n", file[i], i, i, i
           print "{ NULL, NULL, 0 }\n};"
           printf "const char clopt__digest[] = \"%s\";\n", digest }
