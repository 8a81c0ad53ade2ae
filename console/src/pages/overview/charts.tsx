import { useMemo } from 'preact/hooks'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Chart } from '../../elements/charts/chart.tsx'
import type { ChartSeries } from '../../elements/charts/chart-options.ts'
import type { Span } from '../../elements/time/time-window.ts'
import { formatMs, formatNumber } from '../../format.ts'

type Bucket = AdminAnswer<'readOverview'>['series'][number]

type Figure = Exclude<keyof Bucket, 'at'>
type Line = [name: string, colour: ChartSeries['colour'], figure: Figure]
type Point = Partial<Record<Figure, number | null>> & { at: string }

/** The charts of traffic. */
const kinds: Record<'calls' | 'latency' | 'credits', { label: string; lines: Line[] }> = {
  calls: {
    label: 'Calls over time by source',
    lines: [
      ['Store', 'store', 'store'],
      ['Live', 'live', 'live'],
      ['Stale', 'stale', 'stale'],
      ['Refused (4xx)', 'client', 'client_errors'],
      ['Failed (5xx)', 'server', 'server_errors'],
    ],
  },
  latency: {
    label: 'Latency over time',
    lines: [
      ['Median', 'group-1', 'p50_ms'],
      ['95 of 100', 'group-2', 'p95_ms'],
    ],
  },
  credits: { label: 'Credits spent over time', lines: [['Credits', 'group-1', 'credits']] },
}

/** Calls by source and kind of failure, latency, or credits over time. */
export function TrafficChart({ kind, points, span }: { kind: keyof typeof kinds; points: Point[]; span: Span }) {
  const { label, lines } = kinds[kind]
  const series = useMemo(() => {
    const byTime = new Map(points.map((point) => [Date.parse(point.at), point]))
    return lines.map(([name, colour, figure]): ChartSeries => ({
      name,
      colour,
      values: span.at.map((at) => byTime.get(at)?.[figure] ?? null),
    }))
  }, [points, span, lines])
  const isLatency = kind === 'latency'
  return (
    <Chart
      label={label}
      stacked={!isLatency}
      span={span}
      series={series}
      format={isLatency ? formatMs : formatNumber}
    />
  )
}
