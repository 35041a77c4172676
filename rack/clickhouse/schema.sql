CREATE TABLE IF NOT EXISTS cell(run String, seq UInt64, t_ns UInt64,
  `step` Nullable(UInt64), `disk` String, `job` String, `rw` String,
  `block_bytes` Nullable(UInt64), `command_bytes` Nullable(UInt64), `depth_asked` Nullable(UInt64), `depth` Nullable(UInt64),
  `first_lba` Nullable(UInt64), `span_lbas` Nullable(UInt64), `ios` Nullable(UInt64), `bytes` Nullable(UInt64),
  `errors` Nullable(UInt64), `retries` Nullable(UInt64), `run_ns` Nullable(UInt64), `held_ns` Nullable(UInt64),
  `ramp_ns` Nullable(UInt64), `latency_min_ns` Nullable(UInt64), `latency_mean_ns` Nullable(UInt64), `latency_max_ns` Nullable(UInt64),
  `latency_stddev_ns` Nullable(UInt64), `longest_poll_gap_ns` Nullable(UInt64), `busy_ns` Nullable(UInt64), `wrapped` Nullable(UInt64),
  `bytes_per_s` Nullable(UInt64), `iops_milli` Nullable(UInt64), `first_third_bytes_per_s` Nullable(UInt64), `last_third_bytes_per_s` Nullable(UInt64),
  `latency_p10000_ns` Nullable(UInt64), `latency_p50000_ns` Nullable(UInt64), `latency_p100000_ns` Nullable(UInt64), `latency_p250000_ns` Nullable(UInt64),
  `latency_p500000_ns` Nullable(UInt64), `latency_p700000_ns` Nullable(UInt64), `latency_p750000_ns` Nullable(UInt64), `latency_p900000_ns` Nullable(UInt64),
  `latency_p950000_ns` Nullable(UInt64), `latency_p990000_ns` Nullable(UInt64), `latency_p999000_ns` Nullable(UInt64), `latency_p999900_ns` Nullable(UInt64),
  `latency_p999990_ns` Nullable(UInt64), `latency_p999999_ns` Nullable(UInt64), `latency_class_ios` String, `flags` String,
  `reason` String, `tail_p99_milli` Nullable(UInt64), `tail_p999_milli` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS disk(run String, seq UInt64, t_ns UInt64,
  `name` String, `controller` String, `kind` String, `model` String,
  `serial` String, `firmware` String, `identity` String, `lba_bytes` Nullable(UInt64),
  `physical_block_bytes` Nullable(UInt64), `max_command_bytes` Nullable(UInt64), `lba_count` Nullable(UInt64), `max_depth` Nullable(UInt64),
  `rotation` String, `why_not` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS step_start(run String, seq UInt64, t_ns UInt64,
  `step` Nullable(UInt64), `title` String, `lanes` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS series(run String, seq UInt64, t_ns UInt64,
  `step` Nullable(UInt64), `disk` String, `job` String, `interval_ns` Nullable(UInt64),
  `ios` String, `bytes` String, `max_ns` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS temperature(run String, seq UInt64, t_ns UInt64,
  `step` Nullable(UInt64), `disk` String, `looks` Nullable(UInt64), `slowed` Nullable(UInt64),
  `at_ms` String, `celsius` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS disk_verdict(run String, seq UInt64, t_ns UInt64,
  `disk` String, `verdict` String, `why` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS finding(run String, seq UInt64, t_ns UInt64,
  `code` String, `level` String, `subject` String, `seen` String,
  `expected` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS log(run String, seq UInt64, t_ns UInt64,
  `level` Nullable(UInt64), `text` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS controller(run String, seq UInt64, t_ns UInt64,
  `name` String, `driver` String, `pci_address` String, `vendor_id` Nullable(UInt64),
  `device_id` Nullable(UInt64), `subvendor_id` Nullable(UInt64), `subdevice_id` Nullable(UInt64), `class_code` Nullable(UInt64),
  `what` String, `model` String, `serial` String, `firmware` String,
  `why_not` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS link(run String, seq UInt64, t_ns UInt64,
  `controller` String, `speed` Nullable(UInt64), `width` Nullable(UInt64), `speed_max` Nullable(UInt64),
  `width_max` Nullable(UInt64), `port` String, `payload_bytes` Nullable(UInt64), `ceiling_bytes_per_s` Nullable(UInt64),
  `samples` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS topology(run String, seq UInt64, t_ns UInt64,
  `depth` Nullable(UInt64), `kind` String, `name` String, `pci_address` String,
  `words` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS smbus(run String, seq UInt64, t_ns UInt64,
  `controller` String, `pci_address` String, `probed` Nullable(UInt64), `answers` String,
  `evidence` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS raid_card(run String, seq UInt64, t_ns UInt64,
  `controller` String, `generation` String, `fitted_as` String, `product` String,
  `serial` String, `package` String, `components` String, `memory_mib` Nullable(UInt64),
  `temperature_c` Nullable(UInt64), `rebuild_percent` Nullable(UInt64), `patrol_percent` Nullable(UInt64), `init_percent` Nullable(UInt64),
  `check_percent` Nullable(UInt64), `reconstruction_percent` Nullable(UInt64), `jbod_possible` Nullable(UInt64), `battery` String,
  `battery_present` Nullable(UInt64), `battery_bad` Nullable(UInt64), `battery_learning` Nullable(UInt64), `battery_charge_percent` Nullable(UInt64),
  `battery_cycles` Nullable(UInt64), `enclosures` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS virtual_drive(run String, seq UInt64, t_ns UInt64,
  `disk` String, `name` String, `level` String, `state` String,
  `spans` Nullable(UInt64), `drives_per_span` Nullable(UInt64), `strip_bytes` Nullable(UInt64), `size_bytes` Nullable(UInt64),
  `policy_told` Nullable(UInt64), `current_policy` Nullable(UInt64), `default_policy` Nullable(UInt64), `drive_cache` Nullable(UInt64),
  `access` Nullable(UInt64), `policy` String, `configured_policy` String, `members` String,
  `works` String, `cache_bytes` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS raid_drive(run String, seq UInt64, t_ns UInt64,
  `disk` String, `controller` String, `state` String, `interface` String,
  `device_id` Nullable(UInt64), `enclosure_id` Nullable(UInt64), `slot` Nullable(UInt64), `foreign` Nullable(UInt64),
  `exposed` Nullable(UInt64), `size_bytes` Nullable(UInt64), `wwn` Nullable(UInt64), `media_errors` Nullable(UInt64),
  `other_errors` Nullable(UInt64), `predictive_failures` Nullable(UInt64), `temperature_c` Nullable(UInt64), `link_mb_per_s` Nullable(UInt64),
  `max_link_mb_per_s` Nullable(UInt64), `works` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS run_start(run String, seq UInt64, t_ns UInt64,
  `label` String, `product` String, `version` String, `vendor` String,
  `model` String, `serial` String, `uuid` String, `bios` String,
  `firmware` String, `boot_path` String, `clock` String, `tsc_hz` Nullable(UInt64),
  `tsc_invariant` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS run_end(run String, seq UInt64, t_ns UInt64,
  `verdict` String, `bad_configuration` Nullable(UInt64), `expectation_missed` Nullable(UInt64), `exit_code` Nullable(UInt64),
  `efi_code` Nullable(UInt64), `chains_to_next` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS conf(run String, seq UInt64, t_ns UInt64,
  `source` String, `text_crc32c` String, `settings` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS problem(run String, seq UInt64, t_ns UInt64,
  `source` String, `line` Nullable(UInt64), `job` String, `text` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS plan(run String, seq UInt64, t_ns UInt64,
  `steps` Nullable(UInt64), `estimate_ns` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS not_tested(run String, seq UInt64, t_ns UInt64,
  `disk` String, `job` String, `why` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS data_crc(run String, seq UInt64, t_ns UInt64,
  `disk` String, `when` String, `first_lba` Nullable(UInt64), `bytes` Nullable(UInt64),
  `request_bytes` Nullable(UInt64), `crc32c` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS io_error(run String, seq UInt64, t_ns UInt64,
  `step` Nullable(UInt64), `disk` String, `job` String, `lba` Nullable(UInt64),
  `blocks` Nullable(UInt64), `located` Nullable(UInt64), `status` Nullable(UInt64), `detail` Nullable(UInt64),
  `at_ns` Nullable(UInt64), `words` String, more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS io_errors_more(run String, seq UInt64, t_ns UInt64,
  `step` Nullable(UInt64), `disk` String, `job` String, `count` Nullable(UInt64), more String)
  ENGINE = MergeTree ORDER BY (run, seq);
CREATE TABLE IF NOT EXISTS run(run String, rack String, machine String, clock String, latest UInt8)
  ENGINE = MergeTree ORDER BY run;
CREATE TABLE IF NOT EXISTS peer_cell(run String, machine String, rack String, label String, clock String,
  latest UInt8, seq UInt64, disk String, serial String, model String, firmware String, size_bytes UInt64,
  link String, policy String, controller String, job String, rw String, block_bytes UInt64, depth UInt64, flags String,
  bytes_per_s UInt64, iops_milli UInt64, p50_ns UInt64, p99_ns UInt64, p999_ns UInt64, tail_p99_milli UInt64,
  tail_p999_milli UInt64) ENGINE = MergeTree ORDER BY (model, firmware, job, run, seq);
CREATE TABLE IF NOT EXISTS outlier_limit(peers UInt64, z_milli UInt64, interval_milli UInt64)
  ENGINE = MergeTree ORDER BY peers;
CREATE TABLE IF NOT EXISTS outlier_metric(metric String, low_is_worse UInt8, least_effect_permille UInt64,
  unusable_flags Array(String)) ENGINE = MergeTree ORDER BY metric;
