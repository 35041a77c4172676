#include "reports.h"
#include "bits.h"

const struct report_file reports[] = {
    { "summary.txt", render_summary }, { "report.html", render_html }, { "results.csv", render_csv },
    { "fio.json", render_fio_json },   { "junit.xml", render_junit },
};
const unsigned report_count = ARRAY_COUNT(reports);
