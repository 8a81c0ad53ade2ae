import { useMemo } from 'preact/hooks'
import type { UsageRow } from '../../api-types.generated.ts'
import { Chart } from '../../elements/charts/chart.tsx'
import type { ChartSeries } from '../../elements/charts/chart-options.ts'
import { formatNumber } from '../../format.ts'
import { addUp, nameOf, type Group } from './groups.ts'

const colours = ['live', 'store', 'stale', 'server'] as const
const hourMs = 3_600_000

/** Credits over time: the four largest groups, and the rest as one. */
export function SpendChart({ rows, by, perHour }: { rows: UsageRow[]; by: Group; perHour: boolean }) {
  const bucketMs = perHour ? hourMs : 24 * hourMs
  const data = useMemo(() => seriesOf(rows, by, bucketMs), [rows, by, bucketMs])
  return <Chart label="Credits over time" stacked bucketMs={bucketMs} format={formatNumber} {...data} />
}

function seriesOf(rows: UsageRow[], by: Group, bucketMs: number): { at: number[]; series: ChartSeries[] } {
  const times = rows.map(({ period }) => Date.parse(period))
  const at: number[] = []
  for (let time = Math.min(...times); time <= Math.max(...times); time += bucketMs) at.push(time)
  const largest = addUp(rows, by)
    .slice(0, colours.length)
    .map(({ name }) => name)
  const line = (name: string, colour: ChartSeries['colour'], own: UsageRow[]): ChartSeries => {
    const values = new Map<number, number>()
    for (const { period, credits } of own) {
      const time = Date.parse(period)
      values.set(time, (values.get(time) ?? 0) + credits)
    }
    return { name, colour, values: at.map((time) => values.get(time) ?? 0) }
  }
  const series = largest.map((name, index) =>
    line(
      name,
      colours[index] ?? 'client',
      rows.filter((row) => nameOf(row, by) === name),
    ),
  )
  const rest = rows.filter((row) => !largest.includes(nameOf(row, by)))
  return { at, series: rest.length > 0 ? [...series, line('others', 'client', rest)] : series }
}
