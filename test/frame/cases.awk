# SPDX-License-Identifier: MIT
# cases.awk - the list of all suites, as C, from the lines SUITE(name, cost) of the tests.
BEGIN      { FS = "[(, )]+"; print "#include \"../test/frame/suites.h\"" }
/^SUITE\(/ { print "\nvoid " $2 "_suite(TCase *c);"
             print "static void " $2 "_ended(void)\n{\n\ttest_ended(\"" $2 "\");\n}"
             list = list "\t{ \"" $2 "\", \"" $3 "\", " $2 "_suite, " $2 "_ended },\n" }
END        { print "\nconst struct suite test_suites[] = {\n" list "\t{ NULL, NULL, NULL, NULL },\n};" }
