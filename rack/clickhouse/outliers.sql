-- Odd drives among the latest runs of all machines: the same values as `baresweep-rack outliers --tsv`.
-- For ClickHouse 18.16: no window functions, so a group becomes an array, and the median is taken by its ranks.
SELECT
    cell.3 AS machine, cell.4 AS disk, cell.1 AS run, cell.2 AS seq, job, metric,
    toUInt8((value < median) = low_is_worse) AS worse, value, median, deviation,
    intDiv(distance * 6745, greatest(spread * 10, 1)) AS z_milli,
    intDiv(distance * 1000, greatest(median, 1)) AS effect_permille, peers
FROM
(
    SELECT
        job, metric, low_is_worse, least_effect_permille, cell, median, deviation, peers, limit_peers,
        cell.5 AS value,
        if(value > median, value - median, median - value) AS distance,
        greatest(deviation, intDiv(median * 10, 1000)) AS spread
    FROM
    (
        SELECT
            job, metric, low_is_worse, least_effect_permille, cells, median, peers, limit_peers,
            arraySort(arrayMap(c -> if(c.5 > median, c.5 - median, median - c.5), cells)) AS distances,
            distances[intDiv(peers + 1, 2)] + intDiv(distances[intDiv(peers, 2) + 1] - distances[intDiv(peers + 1, 2)], 2)
                AS deviation
        FROM
        (
            SELECT
                job, metric, low_is_worse, least_effect_permille,
                groupArray(tuple(run, seq, machine, disk, value)) AS cells,
                arraySort(groupArray(value)) AS sorted,
                length(sorted) AS peers,
                toUInt64(least(peers, 128)) AS limit_peers,
                sorted[intDiv(peers + 1, 2)] + intDiv(sorted[intDiv(peers, 2) + 1] - sorted[intDiv(peers + 1, 2)], 2)
                    AS median
            FROM
            (
                SELECT
                    run, seq, machine, disk, model, firmware, size_bytes, link, policy, job, rw, block_bytes, depth, metric,
                    low_is_worse, least_effect_permille,
                    multiIf(metric = 'rate', bytes_per_s, metric = 'tail_p99', tail_p99_milli, tail_p999_milli) AS value
                FROM peer_cell CROSS JOIN outlier_metric
                WHERE latest = 1 AND NOT hasAny(splitByChar('|', flags), unusable_flags)
            )
            WHERE value > 0
            GROUP BY model, firmware, size_bytes, link, policy, job, rw, block_bytes, depth, metric, low_is_worse,
                least_effect_permille
        )
        WHERE peers >= 6
    )
    ARRAY JOIN cells AS cell
)
ANY INNER JOIN (SELECT peers AS limit_peers, z_milli AS limit_z_milli FROM outlier_limit) USING limit_peers
WHERE z_milli >= limit_z_milli AND effect_permille >= least_effect_permille
ORDER BY machine, disk, run, seq, metric
