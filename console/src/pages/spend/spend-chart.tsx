import { useMemo } from 'preact/hooks'
import type { UsageRow } from '@vitae/contract/admin'
import { Chart } from '../../elements/charts/chart.tsx'
import type { ChartSeries } from '../../elements/charts/chart-options.ts'
import { formatNumber } from '../../format.ts'
import { nameOf, type Group, type Place } from './groups.ts'

const colours = ['live', 'store', 'stale', 'server'] as const
/** The number of groups that get their own colour. */
export const coloursAtMost = colours.length

interface Props {
  rows: UsageRow[]
  by: Group
  place: Place
  bucketMs: number
  /** Called with the start of a bar when the user clicks it. */
  onPick?: (at: number) => void
}

/** Credits over time for the largest groups, as ranked by the service, and the others as one series. */
export function SpendChart({ rows, by, place, bucketMs, onPick }: Props) {
  const data = useMemo(() => seriesOf(rows, by, place, bucketMs), [rows, by, place, bucketMs])
  return (
    <Chart
      label="Credits over time"
      stacked
      bucketMs={bucketMs}
      format={formatNumber}
      {...data}
      {...(onPick ? { onPick } : {})}
    />
  )
}

/** Builds one series per group. The rows must be in order of time. */
function seriesOf(
  rows: UsageRow[],
  by: Group,
  place: Place,
  bucketMs: number,
): { at: number[]; series: ChartSeries[] } {
  const first = Date.parse(rows.at(0)?.period ?? '')
  const last = Date.parse(rows.at(-1)?.period ?? '')
  const at: number[] = []
  for (let time = first; time <= last; time += bucketMs) at.push(time)
  const lines = new Map<string, { name: string; isRest: boolean; total: number; values: Map<number, number> }>()
  for (const row of rows) {
    const isRest = row.rest !== undefined
    const name = isRest ? 'others' : by === 'day' ? 'Credits' : nameOf(row, by, place)
    // Two keys can have the same label, so the key id is part of the series id.
    const id = isRest ? 'others' : `${row.key_id ?? ''} ${name}`
    const line = lines.get(id) ?? { name, isRest, total: 0, values: new Map<number, number>() }
    line.values.set(Date.parse(row.period), row.credits)
    line.total += row.credits
    lines.set(id, line)
  }
  const ranked = [...lines.values()].toSorted((a, b) => Number(a.isRest) - Number(b.isRest) || b.total - a.total)
  const series = ranked.map(({ name, isRest, values }, index): ChartSeries => ({
    name,
    colour: isRest ? 'client' : (colours[index] ?? 'client'),
    values: at.map((time) => values.get(time) ?? 0),
  }))
  return { at, series }
}
