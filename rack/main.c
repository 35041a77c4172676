#include <stdio.h>
#include <string.h>
#include "bits.h"
#include "rack.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    { "ingest", rack_ingest_main,
      "take journals, directories of them and serial captures into the database" },
    { "report", rack_report_main,
      "one page for a rack: what is odd and missing first, then all machines and drives" },
    { "outliers", rack_outliers_main, "drives that are far from their peers" },
    { "compare", rack_compare_main, "two sets of measurements: the difference and its uncertainty" },
    { "query", rack_query_main, "any SQL, read only" },
    { "export", rack_export_main, "tables as CSV, NDJSON, or TSV for ClickHouse" },
    { "arm", rack_arm_main, "a batch of disks that may be overwritten, and its approval" },
    { "schema", rack_schema_main, "the tables as SQL" },
};

static int print_help(FILE *to, int ending)
{
    fputs("usage: baresweep-rack COMMAND [OPTION...] ...\n\n", to);
    for (unsigned i = 0; i < ARRAY_COUNT(commands); i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].help);
    fputs(
        "\nbaresweep-rack COMMAND --help tells the rest.  Exit codes: 0 done; 1 done, and there is something to look at "
        "(a damaged\nline, an odd drive, a difference); 2 wrong use; 3 a file or the database cannot be read or "
        "written.\n",
        to);
    return ending;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return print_help(stderr, RACK_USAGE);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return print_help(stdout, RACK_GOOD);
    for (unsigned i = 0; i < ARRAY_COUNT(commands); i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "baresweep-rack: there is no command %s\n\n", argv[1]);
    return print_help(stderr, RACK_USAGE);
}
