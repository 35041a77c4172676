#include <stdlib.h>
#include <string.h>
#include "math.h"
#include "sample.h"
#include "test.h"

TEST(the_summary_of_the_sample_is_the_golden_one)
{
    struct memory text = sample_text(0x0123456789abcdef), page = summary_of(text.bytes, text.len);

    check_golden("report/sample.journal.ndjson", text.bytes, text.len);
    check_golden("report/summary.txt", page.bytes, page.len);
    memory_free(&page);
    memory_free(&text);
}
