import { useMemo } from 'preact/hooks'
import type { UsageRow } from '@vitae/contract/admin'
import { Chart } from '../../elements/charts/chart.tsx'
import type { ChartSeries } from '../../elements/charts/chart-options.ts'
import type { Span } from '../../elements/time/time-window.ts'
import { formatNumber } from '../../format.ts'
import { nameOf, type Group, type Place } from './groups.ts'

const colours = ['group-1', 'group-2', 'group-3', 'group-4'] as const
/** The number of groups that get their own colour. */
export const coloursAtMost = colours.length

interface Props {
  rows: UsageRow[]
  by: Group
  place: Place
  span: Span
  /** Called with the start of a bar when the user clicks it. */
  onPick?: (at: number) => void
}

/** Credits over time for the largest groups, as ranked by the service, and the others as one series. */
export function SpendChart({ rows, by, place, span, onPick }: Props) {
  const series = useMemo(() => seriesOf(rows, by, place, span), [rows, by, place, span])
  return (
    <Chart
      label="Credits over time"
      stacked
      span={span}
      format={formatNumber}
      series={series}
      {...(onPick ? { onPick } : {})}
    />
  )
}

/** Builds one series per group. */
function seriesOf(rows: UsageRow[], by: Group, place: Place, { at }: Span): ChartSeries[] {
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
  return ranked.map(({ name, isRest, values }, index): ChartSeries => ({
    name,
    colour: isRest ? 'rest' : (colours[index] ?? 'rest'),
    values: at.map((time) => values.get(time) ?? 0),
  }))
}
