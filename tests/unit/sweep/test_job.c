#include <string.h>
#include "bits.h"
#include "job.h"
#include "str.h"
#include "test.h"

static struct job_file f;

static bool read_text(const char *text) { return job_file_read(text, strlen(text), &f); }

/* One option line in one job: accepted with this value in the given field, or refused with these words. */
#define AT(field) offsetof(struct job, field), sizeof(((struct job *)0)->field)
struct line_row {
    const char *line;
    size_t offset, size; /* size 0: only accepted or refused */
    uint64_t value;
    const char *refused; /* part of the problem's text; NULL: accepted */
    const char *note;    /* part of a note; NULL: no note */
};
static const struct line_row lines[] = {
    { "rw=read", AT(rw), JOB_READ, 0, 0 },
    { "rw=randread", AT(rw), JOB_RANDREAD, 0, 0 },
    { "readwrite=randread", AT(rw), JOB_RANDREAD, 0, 0 },
    { "rw =randread", AT(rw), JOB_RANDREAD, 0, 0 },
    { "rw= randread", AT(rw), JOB_RANDREAD, 0, 0 },
    { "  rw = randread  # why", AT(rw), JOB_RANDREAD, 0, 0 },
    { "rw=randread#why", AT(rw), JOB_RANDREAD, 0, 0 },
    { "rw=randread ; why", AT(rw), JOB_RANDREAD, 0, 0 },
    { "rw=randread\r", AT(rw), JOB_RANDREAD, 0, 0 },
    { "rw", 0, 0, 0, "needs a value", 0 },
    { "rw=", 0, 0, 0, "allowed is", 0 },
    { "rw=randraed", 0, 0, 0, "did you mean randread", 0 },
    { "RW=read", 0, 0, 0, "did you mean rw", 0 },
    { "rw=write", AT(rw), JOB_WRITE, 0, 0 },
    { "rw=randwrite", AT(rw), JOB_RANDWRITE, 0, 0 },
    { "rw=rw", AT(rw), JOB_RW, 0, 0 },
    { "readwrite=readwrite", AT(rw), JOB_RW, 0, 0 },
    { "rw=randrw", AT(rw), JOB_RANDRW, 0, 0 },
    { "rw=randrw:4", AT(run_ios), 4, 0, 0 },
    { "rw=randread:8", AT(run_ios), 8, 0, 0 },
    { "rw=randread:0", 0, 0, 0, "behind the colon", 0 },
    { "rw=randread:1000001", 0, 0, 0, "behind the colon", 0 },
    { "rw=randread:4k", 0, 0, 0, "behind the colon", 0 },
    { "rw=read:4k", AT(gap_bytes), 4096, 0, 0 },
    { "rw=write:4k\nrw=read", AT(gap_bytes), 0, 0, 0 },
    { "rw=read:-1", 0, 0, 0, "behind the colon", 0 },
    { "rw=read:2g", 0, 0, 0, "behind the colon", 0 },
    { "rw=trim", 0, 0, 0, "trimming is never done", 0 },
    { "rw=randtrim:4", 0, 0, 0, "trimming is never done", 0 },
    { "rw=trimwrite", 0, 0, 0, "trimming is never done", 0 },
    { "rw=writewritewritewritewrite", 0, 0, 0, "allowed is", 0 },
    { "rwmixread=70", AT(mix_write_pct), 30, 0, 0 },
    { "rwmixwrite=100", AT(mix_read_pct), 0, 0, 0 },
    { "rwmixread=70\nrwmixwrite=70", AT(mix_read_pct), 30, 0, 0 },
    { "rwmixread=101", 0, 0, 0, "outside", 0 },
    { "verify=crc32c", AT(verify), JOB_VERIFY_STAMP, 0, 0 },
    { "verify=stamp", AT(verify), JOB_VERIFY_STAMP, 0, 0 },
    { "verify=md5", AT(verify), JOB_VERIFY_STAMP, 0, "whatever sum is named" },
    { "verify=0", AT(verify), JOB_VERIFY_NONE, 0, 0 },
    { "verify=null", 0, 0, 0, "only pretends", 0 },
    { "verify=crc33", 0, 0, 0, "write crc32c", 0 },
    { "verify", 0, 0, 0, "verify", 0 },
    { "verify=pattern", 0, 0, 0, "needs verify_pattern", 0 },
    { "verify=pattern\nverify_pattern=0xabc", AT(stamp_fill.count), 2, 0, 0 },
    { "verify=pattern\nverify_pattern=0xabc", AT(stamp_fill.byte[0]), 0xa, 0, 0 },
    { "verify_pattern=0xdeadface", AT(stamp_fill.byte[0]), 0xde, 0, 0 },
    { "verify_pattern=\"ab\"", AT(stamp_fill.byte[1]), 'b', 0, 0 },
    { "verify_pattern=\"\"", 0, 0, 0, "write 0x", 0 },
    { "verify_pattern=0x", 0, 0, 0, "write 0x", 0 },
    { "verify_pattern=0x5g", 0, 0, 0, "write 0x", 0 },
    { "verify_pattern=0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
      AT(stamp_fill.count), 32, 0, 0 },
    { "verify_pattern=0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff0", 0, 0, 0,
      "at most 32", 0 },
    { "verify_pattern=17", 0, 0, 0, "write 0x", 0 },
    { "buffer_pattern=0xff", AT(write_fill.byte[0]), 0xff, 0, 0 },
    { "do_verify=0", AT(do_verify), 0, 0, 0 },
    { "verify_fatal=1", AT(verify_fatal), 1, 0, 0 },
    { "verify_only", 0, 0, 0, "verify_only needs verify", 0 },
    { "verify_only\nrw=write\nverify=crc32c", AT(verify_only), 1, 0, 0 },
    { "verify_only\nrw=read\nverify=crc32c", 0, 0, 0, "verify_only needs verify", 0 },
    { "verify_backlog=0", 0, 0, 0, 0, 0 },
    { "verify_backlog=64", 0, 0, 0, "read back at the end", 0 },
    { "verify_offset=8", 0, 0, 0, "at the begin of an LBA", 0 },
    { "verify=crc32c\nbssplit=4k/50:8k/50", 0, 0, 0, "requests of one size", 0 },
    { "verify=crc32c\nrw=randwrite\nrandom_distribution=zipf:1.2", 0, 0, 0, "written once", 0 },
    { "verify=crc32c\nrw=randwrite\nnorandommap", AT(norandommap), 0, 0, "norandommap: not followed" },
    { "verify=crc32c\nrw=randwrite:8", 0, 0, 0, "number behind rw=", 0 },
    { "fsync=32", AT(fsync_ios), 32, 0, 0 },
    { "fdatasync=1", AT(fdatasync_ios), 1, 0, 0 },
    { "end_fsync=1", 0, 0, 0, 0, "always flushed at the end" },
    { "sync=1", 0, 0, 0, 0, "without meaning for reads" },
    { "sync=0\nrw=write", AT(rw), JOB_WRITE, 0, 0 },
    { "sync=none\nrw=write", AT(rw), JOB_WRITE, 0, 0 },
    { "sync=1\nrw=write", 0, 0, 0, "sync: waiting for the medium", "without meaning for reads" },
    { "rw=write\nsync=1\nsync=0", AT(rw), JOB_WRITE, 0, "without meaning for reads" },
    { "dedupe_percentage=10\nrw=randrw", 0, 0, 0, "equal blocks", "without meaning" },
    { "bs=4k,8k\nrw=write", 0, 0, 0, "differ between reads and writes", "only the size" },
    { "bs=4k,4k,8k\nrw=write", 0, 0, 0, "differ between reads and writes", "only the size" },
    { "bs=4k,4k\nrw=write", AT(block_bytes), 4096, 0, 0 }, /* the same for all: nothing to be told */
    { "zero_buffers", AT(zero_buffers), 1, 0, 0 },
    { "scramble_buffers=0", AT(scramble_buffers), 0, 0, 0 },
    { "buffer_compress_percentage=50", AT(compress_pct), 50, 0, 0 },
    { "fill_device", 0, 0, 0, "size=100%", 0 },
    { "bs=4k", AT(block_bytes), 4096, 0, 0 },
    { "bs=4K", AT(block_bytes), 4096, 0, 0 },
    { "bs=4kb", AT(block_bytes), 4096, 0, 0 },
    { "bs=4KB", AT(block_bytes), 4096, 0, 0 },
    { "bs=4Ki", AT(block_bytes), 4096, 0, 0 },
    { "bs=0x1000", AT(block_bytes), 4096, 0, 0 },
    { "bs=4KiB", AT(block_bytes), 4000, 0, 0 },
    { "bs=1MiB", AT(block_bytes), 1000000, 0, 0 },
    { "bs=1m", AT(block_bytes), MIB, 0, 0 },
    { "blocksize=128k", AT(block_bytes), 128 * KIB, 0, 0 },
    { "bs=4k,8k,16k", AT(block_bytes), 4096, 0, "only the size for reads, 4k" },
    { "bs=,8k", 0, 0, 0, "nothing stands before the comma", 0 },
    { "rate=,10m", 0, 0, 0, "nothing stands before the comma", 0 },
    { "bssplit=,4k/100", 0, 0, 0, "nothing stands before the comma", 0 },
    { "nonvectored=1", 0, 0, 0, 0, "driven directly" },
    { "bs=4k-8k", 0, 0, 0, "bs=4k-8k", 0 },
    { "bs=512", AT(block_bytes), 512, 0, 0 },
    { "bs=511", 0, 0, 0, "outside the limits", 0 },
    { "bs=32m", AT(block_bytes), 32 * MIB, 0, 0 },
    { "bs=33m", 0, 0, 0, "outside the limits", 0 },
    { "bs=-4k", 0, 0, 0, "bs=-4k", 0 },
    { "bs=4x", 0, 0, 0, "bs=4x", 0 },
    { "bs=0", 0, 0, 0, "outside", 0 },
    { "bs=18446744073709551616", 0, 0, 0, "outside", 0 },
    { "iodepth=1", AT(iodepth), 1, 0, 0 },
    { "iodepth=1024", AT(iodepth), 1024, 0, 0 },
    { "iodepth=0", 0, 0, 0, "outside", 0 },
    { "iodepth=1025", 0, 0, 0, "outside", 0 },
    { "iodepth=4k", 0, 0, 0, "iodepth=4k", 0 },
    { "iodpeth=4", 0, 0, 0, "did you mean iodepth", 0 },
    { "size=1g", AT(size_bytes), GIB, 0, 0 },
    { "size=100%", AT(size_pct), 100, 0, 0 },
    { "size=1%", AT(size_pct), 1, 0, 0 },
    { "size=0%", 0, 0, 0, "from 1% to 100%", 0 },
    { "size=101%", 0, 0, 0, "from 1% to 100%", 0 },
    { "size=%", 0, 0, 0, "whole percents", 0 },
    { "size=50.5%", 0, 0, 0, "whole percents", 0 },
    { "io_size=2g", AT(io_bytes), 2 * GIB, 0, 0 },
    { "io_limit=10%", AT(io_pct), 10, 0, 0 },
    { "offset=1m", AT(offset_bytes), MIB, 0, 0 },
    { "offset=0%", AT(offset_pct), 0, 0, 0 },
    { "offset=99%", AT(offset_pct), 99, 0, 0 },
    { "offset=100%", 0, 0, 0, "from 0% to 99%", 0 },
    { "runtime=60", AT(runtime_ns), 60 * NS_PER_S, 0, 0 },
    { "runtime=90s", AT(runtime_ns), 90 * NS_PER_S, 0, 0 },
    { "runtime=1m", AT(runtime_ns), 60 * NS_PER_S, 0, 0 },
    { "timeout=500ms", AT(runtime_ns), 500 * NS_PER_MS, 0, 0 },
    { "runtime=31d", 0, 0, 0, "outside", 0 },
    { "runtime=soon", 0, 0, 0, "500ms", 0 },
    { "ramp_time=5", AT(ramp_ns), 5 * NS_PER_S, 0, 0 },
    { "time_based", 0, 0, 0, "time_based never ends without runtime", 0 },
    { "time_based=0", AT(time_based), 0, 0, 0 },
    { "time_based\nruntime=1", AT(time_based), 1, 0, 0 },
    { "stonewall", AT(stonewall), 1, 0, 0 },
    { "wait_for_previous", AT(stonewall), 1, 0, 0 },
    { "stonewall=maybe", 0, 0, 0, "yes or no", 0 },
    { "randseed=18446744073709551615", AT(randseed), UINT64_MAX, 0, 0 },
    { "randseed=-1", 0, 0, 0, "randseed", 0 },
    { "norandommap", AT(norandommap), 1, 0, 0 },
    { "norandommap=0", AT(norandommap), 0, 0, 0 },
    { "ioengine=libaio", 0, 0, 0, 0, "ioengine: accepted, without meaning" },
    { "direct=1", 0, 0, 0, 0, "direct" },
    { "invalidate=1", 0, 0, 0, 0, "invalidate" },
    { "thread", 0, 0, 0, 0, "thread" },
    { "group_reporting", 0, 0, 0, 0, "group_reporting" },
    { "max_latency=500", AT(max_latency_ns), 500 * NS_PER_US, 0, 0 },
    { "max_latency=5ms", AT(max_latency_ns), 5 * NS_PER_MS, 0, 0 },
    { "max_latency=5ms,5ms", AT(max_latency_ns), 5 * NS_PER_MS, 0, 0 },
    { "max_latency=1ms,2ms", AT(max_latency_ns), NS_PER_MS, 0, "only the part for reads, 1ms" },
    { "max_latency=0", AT(max_latency_ns), 0, 0, 0 },
    { "max_latency=1h", AT(max_latency_ns), 3600 * NS_PER_S, 0, 0 },
    { "max_latency=2h", 0, 0, 0, "outside", 0 },
    { "max_latency", 0, 0, 0, "max_latency", 0 },
    { "latency_target=1000\nlatency_window=5s", AT(latency_target_ns), NS_PER_MS, 0, 0 },
    { "latency_target=1000\nlatency_window=5000000", AT(latency_window_ns), 5 * NS_PER_S, 0, 0 },
    { "latency_target=1000", 0, 0, 0, "add latency_window=5s", 0 },
    { "latency_target=0", AT(latency_target_ns), 0, 0, 0 },
    { "latency_window=5s", AT(latency_window_ns), 5 * NS_PER_S, 0, 0 },
    { "latency_target=1ms\nlatency_window=1s\nnumjobs=2", 0, 0, 0, "one job with the whole iodepth", 0 },
    { "latency_target=1ms\nlatency_window=1s\nss=iops:2%\nss_dur=5\nruntime=9", 0, 0, 0, "write two jobs",
      0 },
    { "latency_target=1ms\nlatency_window=1s\nverify=crc32c", 0, 0, 0, "write two jobs", 0 },
    { "bs=4k", AT(latency_ppm), 1000000, 0, 0 },
    { "latency_percentile=99.9", AT(latency_ppm), 999000, 0, 0 },
    { "latency_percentile=100.0000", AT(latency_ppm), 1000000, 0, 0 },
    { "latency_percentile=0.0001", AT(latency_ppm), 1, 0, 0 },
    { "latency_percentile=0", 0, 0, 0, "above 0 up to 100", 0 },
    { "latency_percentile=100.0001", 0, 0, 0, "above 0 up to 100", 0 },
    { "latency_percentile=99.99999", 0, 0, 0, "at most 4 decimals", 0 },
    { "latency_percentile=99:99.9", 0, 0, 0, "such as 99.9", 0 },
    { "latency_run=1", AT(latency_run), 1, 0, 0 },
    { "exitall", AT(exitall), 1, 0, 0 },
    { "exitall=0", AT(exitall), 0, 0, 0 },
    { "exitall_on_error", AT(exitall_on_error), 1, 0, 0 },
    { "exit_what=stonewall", AT(exit_what), JOB_EXIT_STONEWALL, 0, 0 },
    { "exit_what=all", AT(exit_what), JOB_EXIT_ALL, 0, 0 },
    { "exit_what=all\nexitall", 0, 0, 0, "write exit_what=stonewall", 0 },
    { "exit_what=none", 0, 0, 0, "group stonewall all", 0 },
    { "percentile_list=99:99.9", AT(percentile_count), 2, 0, 0 },
    { "percentile_list=99.9:99", AT(percentile_ppm[0]), 990000, 0, 0 },
    { "percentile_list=99.9:99", AT(percentile_ppm[1]), 999000, 0, 0 },
    { "percentile_list=5:50:5.0:50", AT(percentile_count), 2, 0, 0 },
    { "percentile_list=0.0001", AT(percentile_ppm[0]), 1, 0, 0 },
    { "percentile_list=99.999900:100.000000", AT(percentile_ppm[0]), 999999, 0, 0 },
    { "percentile_list=99.999900:100.000000", AT(percentile_ppm[1]), 1000000, 0, 0 },
    { "percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20", AT(percentile_count), 20, 0, 0 },
    { "percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21", 0, 0, 0, "at most 20", 0 },
    { "percentile_list=99\npercentile_list=50", AT(percentile_count), 1, 0, 0 },
    { "percentile_list=99\npercentile_list=50", AT(percentile_ppm[0]), 500000, 0, 0 },
    { "percentile_list=0", 0, 0, 0, "above 0 up to 100", 0 },
    { "percentile_list=100.0001", 0, 0, 0, "above 0 up to 100", 0 },
    { "percentile_list=99.99999", 0, 0, 0, "at most 4 decimals", 0 },
    { "percentile_list=99:", 0, 0, 0, "such as 99:99.95", 0 },
    { "percentile_list=", 0, 0, 0, "such as 99:99.95", 0 },
    { "percentile_list=p99", 0, 0, 0, "such as 99:99.95", 0 },
    { "numjobs=1", AT(numjobs), 1, 0, 0 },
    { "numjobs=64", AT(numjobs), 64, 0, 0 },
    { "numjobs=65", 0, 0, 0, "outside", 0 },
    { "numjobs=0", 0, 0, 0, "outside", 0 },
    { "numjobs", 0, 0, 0, "numjobs", 0 },
    { "offset_increment=1g", AT(increment_bytes), GIB, 0, 0 },
    { "offset_increment=10%", AT(increment_pct), 10, 0, 0 },
    { "loops=1", AT(loops), 1, 0, 0 },
    { "loops=10", AT(loops), 10, 0, 0 },
    { "loops=0", 0, 0, 0, "outside", 0 },
    { "number_ios=100", AT(number_ios), 100, 0, 0 },
    { "bssplit=4k/60:8k/40", AT(block_bytes), 8192, 0, 0 },
    { "bssplit=4k/60:8k/40", AT(split_count), 2, 0, 0 },
    { "bssplit=4k/60:8k/40", AT(split[1].percent), 40, 0, 0 },
    { "bssplit=4k/:8k/:16k/50", AT(split[0].percent), 25, 0, 0 },
    { "bssplit=4k/:8k/:16k/51", AT(split[2].percent), 52, 0, 0 },
    { "bssplit=4k/30:8k/30", AT(split[1].percent), 70, 0, 0 },
    { "bssplit=4k", AT(split[0].percent), 100, 0, 0 },
    { "bssplit=4k/10:64k/50:32k/40,512/100", AT(block_bytes), 65536, 0, "only the part for reads" },
    { "bssplit=4k/60:8k/41", 0, 0, 0, "add up to more than 100", 0 },
    { "bssplit=4k/101", 0, 0, 0, "whole percentages", 0 },
    { "bssplit=", 0, 0, 0, "whole percentages", 0 },
    { "bssplit=4k/60:", 0, 0, 0, "whole percentages", 0 },
    { "bssplit=256/60:8k/40", 0, 0, 0, "sizes from 512", 0 },
    { "bssplit=1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k", 0, 0, 0, "at most 16", 0 },
    { "bssplit=4k/50:8k/50\nbs=16k", AT(split_count), 0, 0, 0 },
    { "bsrange=4k-64k", AT(block_bytes), 65536, 0, 0 },
    { "bsrange=4k-64k", AT(block_min_bytes), 4096, 0, 0 },
    { "blocksize_range=4k-15k", AT(block_bytes), 12288, 0, 0 },
    { "bsrange=64k-4k", 0, 0, 0, "the smaller first", 0 },
    { "bsrange=4k", 0, 0, 0, "two sizes", 0 },
    { "ba=64k", AT(align_bytes), 65536, 0, 0 },
    { "blockalign=256", 0, 0, 0, "outside", 0 },
    { "rate=10m", AT(rate_bytes_per_s), 10 * MIB, 0, 0 },
    { "rate=1m,500k", AT(rate_bytes_per_s), MIB, 0, "only the part for reads" },
    { "rate_iops=100", AT(rate_iops), 100, 0, 0 },
    { "rate_process=poisson", 0, 0, 0, "evenly spread", 0 },
    { "thinktime=100", AT(thinktime_ns), 100000, 0, 0 },
    { "thinktime=2ms", AT(thinktime_ns), 2000000, 0, 0 },
    { "thinktime_blocks=8", AT(thinktime_blocks), 8, 0, 0 },
    { "startdelay=5", AT(startdelay_ns), 5 * NS_PER_S, 0, 0 },
    { "percentage_random=50", AT(random_pct), 50, 0, 0 },
    { "percentage_random=101", 0, 0, 0, "outside", 0 },
    { "random_distribution=random", AT(distribution), JOB_UNIFORM, 0, 0 },
    { "random_distribution=zipf:1.2", AT(distribution_micro), 1200000, 0, 0 },
    { "random_distribution=zipf:0.99", AT(distribution), JOB_ZIPF, 0, 0 },
    { "random_distribution=zipf:1", 0, 0, 0, "not zipf:1", 0 },
    { "random_distribution=zipf:1.00", 0, 0, 0, "not zipf:1", 0 },
    { "random_distribution=pareto:0.2", AT(distribution_micro), 200000, 0, 0 },
    { "random_distribution=pareto:1", 0, 0, 0, "pareto:0.99", 0 },
    { "random_distribution=normal:10", AT(distribution), JOB_NORMAL, 0, 0 },
    { "random_distribution=zoned:50/5", 0, 0, 0, "write random, zipf", 0 },
    { "log_avg_msec=500", AT(log_avg_ms), 500, 0, 0 },
    { "write_bw_log=x", AT(logs), 1, 0, "means over intervals" },
    { "write_bw_log=x\nlog_avg_msec=100", AT(logs), 1, 0, 0 },
    { "write_bw_log=x\nlog_avg_msec=100\nnumjobs=2", AT(numjobs), 2, 0, "one file for all copies" },
    { "write_lat_log\nwrite_iops_log=y\nlog_avg_msec=100", AT(logs), 6, 0, 0 },
    { "write_lat_log=y\nlog_avg_msec=100\nruntime=61", 0, 0, 0, 0, "at most 600 points" },
    { "write_lat_log=y\nlog_avg_msec=100\nruntime=60", 0, 0, 0, 0, 0 },
    { "write_iops_log=/tmp/a/b\nlog_avg_msec=100", AT(logs), 2, 0, "folder is not followed" },
    { "write_bw_log=0123456789012345678901234567890123456789012345678901234567890123", 0, 0, 0, "at most 63",
      0 },
    { "write_hist_log=x", 0, 0, 0, 0, "no histogram" },
    { "per_job_logs=0", AT(per_job_logs), 0, 0, 0 },
    { "log_offset=1", AT(log_offset), 1, 0, 0 },
    { "log_max_value", AT(log_max_value), 1, 0, 0 },
    { "ss=iops:5%", 0, 0, 0, "ss needs ss_dur", 0 },
    { "ss=iops:5%\nss_dur=30\nruntime=600", AT(ss_limit_milli), 5000, 0, 0 },
    { "ss=bw_slope:0.3%\nss_dur=30\nruntime=600", AT(ss_kind), JOB_SS_BW_SLOPE, 0, 0 },
    { "ss=bw:10m\nss_dur=30\nruntime=600", AT(ss_limit_milli), 10 * MIB * 1000, 0, 0 },
    { "ss=iops:5.5\nss_dur=30\nruntime=600", AT(ss_limit_milli), 5500, 0, 0 },
    { "ss=latency:5%", 0, 0, 0, "write iops:2%", 0 },
    { "ss=iops:0", 0, 0, 0, "write iops:2%", 0 },
    { "zonemode=strided", 0, 0, 0, "zones", 0 },
    { "kb_base=1000", 0, 0, 0, "kb_base", 0 },
    { "kb_base=1024", 0, 0, 0, 0, 0 },
    { "directory=/tmp", 0, 0, 0, "no files here", 0 },
    { "include=x.fio", 0, 0, 0, "cannot be included", 0 },
    { "include x.fio", 0, 0, 0, "include x.fio: other files cannot be included", 0 },
    { "includes x.fio", 0, 0, 0, "is no option of a job", 0 },
    { " include", 0, 0, 0, "cannot be included", 0 },
    { "percentage_random=30,50", AT(random_pct), 30, 0, "only the part for reads" },
    { "percentage_random=30,30", AT(random_pct), 30, 0, 0 },
    { "percentage_random=30,50\nrw=randwrite", 0, 0, 0, "differ between reads and writes", "only the part" },
    { "percentage_random=,50", 0, 0, 0, "nothing stands before the comma", 0 },
    { "thinktime=-1", 0, 0, 0, "thinktime=-1: allowed", 0 },
    { "thinktime=0.5", 0, 0, 0, "thinktime=0.5: allowed", 0 },
    { "thinktime=5usec", AT(thinktime_ns), 5000, 0, 0 },
    { "runtime=500msec", AT(runtime_ns), 500 * NS_PER_MS, 0, 0 },
    { "runtime=30sec", 0, 0, 0, "a time such as", 0 }, /* 30 us in fio */
    { "bs=${SIZE}", 0, 0, 0, "variables", 0 },
    { "ioengine=${ENGINE}", 0, 0, 0, "variables", 0 },
    { "qwertzuiop=1", 0, 0, 0, "is no option of a job (docs/jobs.md", 0 },
    { "=4k", 0, 0, 0, "nothing stands before", 0 },
    { "description=any text: with = signs", 0, 0, 0, 0, 0 },
};

static void check_line(const struct line_row *row)
{
    char text[200];
    uint64_t got = 0;

    str_fmt(text, sizeof(text), "[one]\n%s\n[two]\n", row->line);
    bool good = read_text(text);
    if (good == !!row->refused)
        test_fail(__FILE__, __LINE__, "%s: %s %s", row->line, good ? "accepted" : "refused",
                  f.problems[0].text);
    EQ(f.job_count, 2);
    EQ(f.refused[0], !!row->refused);
    EQ(f.refused[1], false);
    if (row->refused) {
        HAS_STR(f.problems[0].text, row->refused);
        EQ_STR(f.problems[0].job, "one");
        CHECK(f.problems[0].line == 2 || f.problems[0].line == 1);
    }
    EQ(f.note_count, row->note != NULL);
    if (row->note)
        HAS_STR(f.notes[0].text, row->note);
    memcpy(&got, (char *)&f.jobs[0] + row->offset, row->size);
    if (row->size && got != row->value)
        test_fail(__FILE__, __LINE__, "%s: %llu", row->line, (unsigned long long)got);
}

TEST(each_line_of_the_job_language_is_taken_or_refused_as_the_table_says)
{
    for (unsigned i = 0; i < ARRAY_COUNT(lines); i++)
        check_line(&lines[i]);
}

TEST(defaults_are_those_of_fio)
{
    CHECK(read_text("[a]\n"));
    const struct job *j = &f.jobs[0];
    EQ_STR(j->name, "a");
    EQ_STR(j->filename, "");
    EQ(j->rw, JOB_READ);
    EQ(j->block_bytes, 4096);
    EQ(j->iodepth, 1);
    EQ(j->size_bytes, 0);
    EQ(j->io_bytes, 0);
    EQ(j->runtime_ns, 0);
    EQ(j->stonewall, 0);
    EQ(j->norandommap, 0);
    EQ(j->line, 1);
}

TEST(global_options_reach_the_jobs_after_them_and_a_job_may_differ)
{
    CHECK(read_text("[before]\n[global]\nbs=8k\niodepth=4\n[a]\n[b]\nbs=16k\n[global]\niodepth=9\n[c]\n"));
    EQ(f.job_count, 4);
    EQ(f.jobs[0].block_bytes, 4096);
    EQ(f.jobs[1].block_bytes, 8192);
    EQ(f.jobs[1].iodepth, 4);
    EQ(f.jobs[2].block_bytes, 16384);
    EQ(f.jobs[3].block_bytes, 8192); /* a later [global] adds to the earlier one */
    EQ(f.jobs[3].iodepth, 9);
    EQ_STR(f.jobs[3].name, "c");
    EQ(f.jobs[0].line, 1);
    EQ(f.jobs[1].line, 5);
    EQ(f.jobs[3].line, 10);
}

TEST(percent_and_bytes_replace_each_other)
{
    CHECK(read_text("[global]\nsize=50%\n[a]\nsize=1g\n[b]\n[c]\nsize=1g\nsize=20%\n"));
    EQ(f.jobs[0].size_bytes, GIB);
    EQ(f.jobs[0].size_pct, 0);
    EQ(f.jobs[1].size_pct, 50);
    EQ(f.jobs[2].size_bytes, 0);
    EQ(f.jobs[2].size_pct, 20);
}

TEST(a_wrong_line_refuses_its_job_only)
{
    CHECK(!read_text("[a]\nbs=4k\n[b]\nbs=rubbish\n[c]\n"));
    EQ(f.refused[0], false);
    EQ(f.refused[1], true);
    EQ(f.refused[2], false);
    EQ(f.problem_count, 1);
    EQ(f.problems[0].line, 4);
    EQ_STR(f.problems[0].job, "b");
}

TEST(a_wrong_line_in_global_refuses_every_job_after_it)
{
    CHECK(!read_text("[a]\n[global]\nbs=rubbish\n[b]\n[c]\nbs=4k\n"));
    EQ(f.refused[0], false);
    EQ(f.refused[1], true);
    EQ(f.refused[2], true);
    EQ_STR(f.problems[0].job, "global");
}

TEST(an_option_before_any_section_refuses_all_jobs)
{
    CHECK(!read_text("bs=4k\n[a]\n"));
    EQ(f.refused[0], true);
    HAS_STR(f.problems[0].text, "before any [section]");
}

TEST(a_section_line_that_cannot_be_read_is_a_refused_job)
{
    CHECK(!read_text("[a]\nbs=8k\n[b\nbs=16k\n[c]\n"));
    EQ(f.job_count, 3);
    EQ(f.refused[0], false);
    EQ(f.jobs[0].block_bytes, 8192);
    EQ(f.refused[1], true);
    EQ_STR(f.jobs[1].name, "line 3");
    EQ(f.refused[2], false);
    CHECK(!read_text("[global\nbs=16k\n[c]\n")); /* who knows what [global] wanted */
    EQ(f.refused[1], true);
}

TEST(a_byte_order_mark_and_dos_line_ends_are_accepted)
{
    CHECK(read_text("\xef\xbb\xbf[a]\r\nbs=8k\r\n\r\n# end\r\n"));
    EQ(f.jobs[0].block_bytes, 8192);
}

TEST(names_may_hold_blanks_come_twice_and_be_replaced)
{
    CHECK(read_text("[a b]\n[x]\n[x]\n[y]\nname=z\n"));
    EQ(f.job_count, 4);
    EQ_STR(f.jobs[0].name, "a b");
    EQ_STR(f.jobs[2].name, "x");
    EQ_STR(f.jobs[3].name, "z");
}

TEST(a_file_without_a_job_says_so)
{
    static const char *const texts[] = { "", "\n\n", "# nothing\n", "[global]\nbs=4k\n" };

    for (unsigned i = 0; i < ARRAY_COUNT(texts); i++) {
        CHECK(!read_text(texts[i]));
        EQ(f.job_count, 0);
        HAS_STR(f.problems[0].text, "no job");
    }
}

TEST(more_jobs_than_fit_are_told_and_the_first_ones_stand)
{
    static char text[4096];
    struct text t = text_over(text, sizeof(text));

    for (unsigned i = 0; i < 66; i++)
        text_fmt(&t, "[j%u]\nbs=8k\n", i);
    text_str(&t, "[global]\n");
    CHECK(!read_text(text));
    EQ(f.job_count, 64);
    EQ(f.refused[63], false);
    EQ(f.problem_count, 2);
    HAS_STR(f.problems[0].text, "too many jobs");
}

TEST(problems_beyond_the_kept_ones_are_counted)
{
    static char text[4096];
    struct text t = text_over(text, sizeof(text));

    text_str(&t, "[a]\n");
    for (unsigned i = 0; i < 40; i++)
        text_str(&t, "nonsense=1\nthread\n");
    CHECK(!read_text(text));
    EQ(f.problem_count, 40);
    EQ(f.note_count, 40);
    EQ(f.problems[15].line, 32);
}

TEST(logs_are_named_by_their_prefix_or_else_by_their_job_and_numbered_as_fio_counts)
{
    struct step_logs logs;

    CHECK(read_text(
        "[global]\nlog_avg_msec=50\nwrite_iops_log\nnumjobs=3\n[a]\nwrite_bw_log=../up\\x\n[b]\nname=c\n"
        "write_lat_log=y\nnumjobs=1\nper_job_logs=0\nlog_offset\n[d]\n"));
    CHECK(job_logs(&f.jobs[0], &logs));
    EQ_STR(logs.prefix[STEP_LOG_BW], "x");
    EQ_STR(logs.prefix[STEP_LOG_IOPS], "a");
    CHECK(!logs.prefix[STEP_LOG_LAT]);
    EQ(logs.number, 1);
    EQ(logs.asked_ms, 50);
    CHECK(logs.per_job && !logs.offset && !logs.max);
    CHECK(job_logs(&f.jobs[1], &logs));
    EQ_STR(logs.prefix[STEP_LOG_IOPS], "c");
    EQ_STR(logs.prefix[STEP_LOG_LAT], "y");
    EQ(logs.number, 4);
    CHECK(!logs.per_job && logs.offset);
    CHECK(job_logs(&f.jobs[2], &logs));
    EQ(logs.number, 5);
    CHECK(read_text("[a]\n"));
    CHECK(!job_logs(&f.jobs[0], &logs));
}

TEST(a_note_about_logs_is_made_once_in_a_file)
{
    CHECK(read_text("[global]\nwrite_bw_log\n[a]\n[b]\n[c]\n"));
    EQ(f.note_count, 1);
    EQ(f.notes[0].line, 3);
}

TEST(no_option_stands_in_both_tables_or_twice)
{
    for (unsigned i = 0; i < job_option_count; i++) {
        CHECK(opt_find(job_options, job_option_count, job_options[i].name) == &job_options[i]);
        for (unsigned k = 0; k < job_refusal_count; k++)
            CHECK(!str_equal(job_options[i].name, job_refusals[k].name));
    }
    for (unsigned i = 0; i < job_refusal_count; i++)
        for (unsigned k = 0; k < i; k++)
            CHECK(!str_equal(job_refusals[i].name, job_refusals[k].name));
}

TEST(every_refused_option_is_refused_with_its_own_sentence_and_its_harmless_value_taken)
{
    char text[100];

    for (unsigned i = 0; i < job_refusal_count; i++) {
        str_fmt(text, sizeof(text), "[a]\n%s=77\n", job_refusals[i].name);
        CHECK(!read_text(text));
        HAS_STR(f.problems[0].text, job_refusals[i].why);
        if (!job_refusals[i].harmless)
            continue;
        str_fmt(text, sizeof(text), "[a]\n%s=%s\n", job_refusals[i].name, job_refusals[i].harmless);
        CHECK(read_text(text));
    }
}
