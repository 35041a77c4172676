-- Two sets of measurements; {A} and {B} stand for conditions on peer_cell, {JOB} for job, or '' when they choose by it
-- (rack/clickhouse/compare puts them in).  The same values as `baresweep-rack compare --tsv`.  Drives that both sides
-- have are compared each with itself when there are five.
SELECT
    model, size_bytes, job, rw, block_bytes, depth, metric, paired, n_a, n_b, median_a, median_b, ppm,
    if(known, plus_minus, toInt64(0)) AS plus_minus_ppm, known,
    toUInt8(known AND abs(ppm) > plus_minus AND abs(ppm) >= 10000) AS differs
FROM
(
    SELECT
        model, size_bytes, job, rw, block_bytes, depth, metric, paired,
        if(paired, length(pairs), length(all_a)) AS n_a,
        if(paired, length(pairs), length(all_b)) AS n_b,
        arraySort(if(paired, arrayMap(p -> p.1, pairs), all_a)) AS a,
        arraySort(if(paired, arrayMap(p -> p.2, pairs), all_b)) AS b,
        a[intDiv(n_a + 1, 2)] + intDiv(a[intDiv(n_a, 2) + 1] - a[intDiv(n_a + 1, 2)], 2) AS median_a,
        b[intDiv(n_b + 1, 2)] + intDiv(b[intDiv(n_b, 2) + 1] - b[intDiv(n_b + 1, 2)], 2) AS median_b,
        arraySort(arrayMap(p -> toInt64(if(p.2 < p.1, -1, 1)) * toInt64(intDiv(if(p.2 > p.1, p.2 - p.1, p.1 - p.2) * 1000000,
            p.1)) + 1000000000, pairs)) AS far,
        far[intDiv(n_a + 1, 2)] + intDiv(far[intDiv(n_a, 2) + 1] - far[intDiv(n_a + 1, 2)], 2) AS middle,
        if(paired, middle - 1000000000, toInt64(if(median_b < median_a, -1, 1)) * toInt64(intDiv(if(median_b > median_a,
            median_b - median_a, median_a - median_b) * 1000000, median_a))) AS ppm,
        arraySort(if(paired, arrayMap(f -> toInt64(abs(f - middle)), far),
            arrayMap(v -> if(v > median_a, v - median_a, median_a - v), a))) AS off_a,
        arraySort(arrayMap(v -> if(v > median_b, v - median_b, median_b - v), b)) AS off_b,
        off_a[intDiv(n_a + 1, 2)] + intDiv(off_a[intDiv(n_a, 2) + 1] - off_a[intDiv(n_a + 1, 2)], 2) AS deviation_a,
        off_b[intDiv(n_b + 1, 2)] + intDiv(off_b[intDiv(n_b, 2) + 1] - off_b[intDiv(n_b + 1, 2)], 2) AS deviation_b,
        intDiv(if(paired, deviation_a, intDiv(deviation_a * 1000000, median_a)) * 1858,
            toInt64(floor(sqrt(n_a * 1000000)))) AS error_a,
        intDiv(intDiv(deviation_b * 1000000, median_a) * 1858, toInt64(floor(sqrt(n_b * 1000000)))) AS error_b,
        toUInt8(least(n_a, n_b) >= 5) AS known,
        intDiv(if(paired, error_a, toInt64(floor(sqrt(error_a * error_a + error_b * error_b)))) * interval_milli, 1000)
            AS plus_minus
    FROM
    (
        SELECT
            model, size_bytes, job, rw, block_bytes, depth, metric,
            arrayFilter(p -> p.1 > 0 AND p.2 > 0, groupArray(tuple(drive_a, drive_b))) AS pairs,
            toUInt8(length(pairs) >= 5) AS paired,
            groupArrayArray(values_a) AS all_a,
            groupArrayArray(values_b) AS all_b,
            toUInt64(least(if(paired, length(pairs), least(length(all_a), length(all_b))), 128)) AS limit_peers
        FROM
        (
            SELECT
                model, size_bytes, job, rw, block_bytes, depth, metric, drive,
                arraySort(groupArrayIf(value, side = 0)) AS values_a,
                arraySort(groupArrayIf(value, side = 1)) AS values_b,
                length(values_a) AS m_a, length(values_b) AS m_b,
                if(m_a = 0, toInt64(0), values_a[intDiv(m_a + 1, 2)] + intDiv(values_a[intDiv(m_a, 2) + 1]
                    - values_a[intDiv(m_a + 1, 2)], 2)) AS drive_a,
                if(m_b = 0, toInt64(0), values_b[intDiv(m_b + 1, 2)] + intDiv(values_b[intDiv(m_b, 2) + 1]
                    - values_b[intDiv(m_b + 1, 2)], 2)) AS drive_b
            FROM
            (
                SELECT
                    side, model, size_bytes, {JOB} AS job, rw, block_bytes, depth, drive, metric,
                    toInt64(multiIf(metric = 'rate', bytes_per_s, metric = 'p50', p50_ns, metric = 'p99', p99_ns, p999_ns))
                        AS value
                FROM
                (
                    SELECT *, if(serial != '', concat(model, '\t', serial), concat(machine, '\t', disk)) AS drive,
                        arrayJoin(['rate', 'p50', 'p99', 'p99.9']) AS metric,
                        if(metric = 'rate', 'rate', 'tail_p99') AS judged_as
                    FROM
                    (
                        SELECT 0 AS side, * FROM peer_cell WHERE {A}
                        UNION ALL
                        SELECT 1 AS side, * FROM peer_cell WHERE {B}
                    )
                )
                ANY INNER JOIN (SELECT metric AS judged_as, unusable_flags FROM outlier_metric) USING judged_as
                WHERE NOT hasAny(splitByChar('|', flags), unusable_flags)
            )
            WHERE value > 0
            GROUP BY model, size_bytes, job, rw, block_bytes, depth, metric, drive
        )
        GROUP BY model, size_bytes, job, rw, block_bytes, depth, metric
        HAVING length(all_a) > 0 AND length(all_b) > 0
    )
    ANY INNER JOIN (SELECT peers AS limit_peers, toInt64(interval_milli) AS interval_milli FROM outlier_limit) USING limit_peers
)
ORDER BY model, size_bytes, job, rw, block_bytes, depth, metric
