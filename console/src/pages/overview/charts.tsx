import { useMemo } from 'preact/hooks'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Chart } from '../../elements/charts/chart.tsx'
import type { ChartSeries } from '../../elements/charts/chart-options.ts'
import { formatMs, formatNumber } from '../../format.ts'

type Bucket = AdminAnswer<'readOverview'>['series'][number]

type Figure = Exclude<keyof Bucket, 'at'>
interface Buckets {
  series: Bucket[]
  bucketMs: number
}
type Line = [name: string, colour: ChartSeries['colour'], figure: Figure]

const callLines: Line[] = [
  ['Store', 'store', 'store'],
  ['Live', 'live', 'live'],
  ['Stale', 'stale', 'stale'],
  ['Refused (4xx)', 'client', 'client_errors'],
  ['Failed (5xx)', 'server', 'server_errors'],
]
const latencyLines: Line[] = [
  ['Median', 'live', 'p50_ms'],
  ['95 of 100', 'stale', 'p95_ms'],
]
const creditLines: Line[] = [['Credits', 'live', 'credits']]

/** Calls over time, by source of the data and kind of failure. */
export function CallChart({ series, bucketMs }: Buckets) {
  return (
    <Chart
      label="Calls over time by source"
      stacked
      bucketMs={bucketMs}
      format={formatNumber}
      {...useLines(series, callLines)}
    />
  )
}

/** Latency over time. */
export function LatencyChart({ series, bucketMs }: Buckets) {
  return (
    <Chart
      label="Latency over time"
      stacked={false}
      bucketMs={bucketMs}
      format={formatMs}
      {...useLines(series, latencyLines)}
    />
  )
}

/** Credits spent over time. */
export function CreditChart({ series, bucketMs }: Buckets) {
  return (
    <Chart
      label="Credits burnt over time"
      stacked
      bucketMs={bucketMs}
      format={formatNumber}
      {...useLines(series, creditLines)}
    />
  )
}

function useLines(buckets: Bucket[], lines: Line[]): { at: number[]; series: ChartSeries[] } {
  return useMemo(
    () => ({
      at: buckets.map(({ at }) => Date.parse(at)),
      series: lines.map(([name, colour, figure]) => ({
        name,
        colour,
        values: buckets.map((bucket) => bucket[figure]),
      })),
    }),
    [buckets, lines],
  )
}
