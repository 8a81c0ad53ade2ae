import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { formatTime } from '../../format.ts'
import { useZone } from '../../zone.ts'
import { Button } from '../button.tsx'
import { useColourChanges } from '../../theme/theme.ts'
import type { Span } from '../time/time-window.ts'
import { chartOptions, formatDay, type ChartSeries } from './chart-options.ts'

interface Props {
  /** Description of the chart for screen readers. */
  label: string
  span: Span
  series: ChartSeries[]
  stacked: boolean
  format: (value: number | null) => string
  /** Called with the start of a bar when the user clicks it. */
  onPick?: (at: number) => void
}

const height = 220

/** A chart over time. The legend shows the values under the pointer; a table shows all values. */
export function Chart({ label, span: { at, bucketMs }, series, stacked, format, onPick }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const colours = useColourChanges()
  const zone = useZone()

  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const options = chartOptions({ element, series, stacked, bucketMs, format, height, onHover: setHovered })
    plot.current = new uPlot(options, plotData(at, series, stacked), element)
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.current?.destroy()
      plot.current = null
    }
  }, [colours, stacked, bucketMs, zone])
  useEffect(() => plot.current?.setData(plotData(at, series, stacked)), [at, series, stacked])

  const picked = hovered === null ? undefined : at[hovered]
  return (
    <figure class="chart">
      <div
        ref={place}
        class={onPick ? 'chart-place pickable' : 'chart-place'}
        role="img"
        aria-label={label}
        onClick={() => picked !== undefined && onPick?.(picked)}
      />
      <Legend at={at} bucketMs={bucketMs} series={series} hovered={hovered} format={format} />
      <ValueTable label={label} at={at} bucketMs={bucketMs} series={series} format={format} onPick={onPick} />
    </figure>
  )
}

/** Stacked series are cumulative sums, drawn with the highest sum first so that the others cover it. */
function plotData(at: number[], series: ChartSeries[], stacked: boolean): uPlot.AlignedData {
  const x = at.map((ms) => ms / 1_000)
  if (!stacked) return [x, ...series.map(({ values }) => values)]
  const sums: number[][] = []
  for (const { values } of series) {
    const below = sums.at(-1)
    sums.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)))
  }
  return [x, ...sums.reverse()]
}

type Shown = Span & Pick<Props, 'series' | 'format'>

function bucketText(at: number, bucketMs: number): string {
  return bucketMs >= 86_400_000 ? formatDay(at) : formatTime(at)
}

function Legend({ at, bucketMs, series, hovered, format }: Shown & { hovered: number | null }) {
  const time = hovered === null ? undefined : at[hovered]
  return (
    <figcaption class="legend">
      {series.map(({ name, colour, values }) => (
        <span key={name} class="legend-item">
          <span class="swatch" style={{ background: `var(--c-${colour})` }} aria-hidden="true" />
          {name}
          {hovered === null ? null : <strong>{format(values[hovered] ?? null)}</strong>}
        </span>
      ))}
      {time === undefined ? null : <span class="faint legend-time">{bucketText(time, bucketMs)}</span>}
    </figcaption>
  )
}

function ValueTable(props: Shown & { label: string; onPick: Props['onPick'] }) {
  const { label, at, bucketMs, series, format, onPick } = props
  const [open, setOpen] = useState(false)
  const rows = at.flatMap((time, index) => (series.some(({ values }) => values[index]) ? [{ time, index }] : []))
  return (
    <details class="values" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Values as a table</summary>
      {open ? (
        <div class="values-scroll" tabIndex={0} role="region" aria-label={`${label}: values`}>
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ time, index }) => (
                <tr key={time}>
                  <th scope="row">
                    {onPick ? (
                      <Button small kind="quiet" onClick={() => onPick(time)}>
                        {bucketText(time, bucketMs)}
                      </Button>
                    ) : (
                      bucketText(time, bucketMs)
                    )}
                  </th>
                  {series.map(({ name, values }) => (
                    <td key={name}>{format(values[index] ?? null)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </details>
  )
}
