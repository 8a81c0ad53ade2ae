import uPlot from 'uplot'
import { dayOf, formatIn, startOfDay, zoneName } from '../../zone.ts'

export interface ChartSeries {
  name: string
  /** Name of the colour, shared with the legend's swatches. The first five mean success or failure; groups have others. */
  colour: 'live' | 'store' | 'stale' | 'client' | 'server' | 'group-1' | 'group-2' | 'group-3' | 'group-4' | 'rest'
  values: (number | null)[]
}

interface ChartInput {
  element: HTMLElement
  series: ChartSeries[]
  stacked: boolean
  /** Length of a bucket in milliseconds. The x axis ends with the last bucket. */
  bucketMs: number
  height: number
  format: (value: number | null) => string
  onHover: (index: number | null) => void
}

const dayMs = 86_400_000
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** Formats the day of a daily bucket. */
export function formatDay(at: number): string {
  return formatIn({ month: 'short', day: 'numeric' }, at)
}

/** The uPlot options of a chart with stacked bars or lines. */
export function chartOptions(input: ChartInput): uPlot.Options {
  const { element, stacked, bucketMs, height, format, onHover } = input
  const days = bucketMs >= dayMs
  const colourOf = colourReader(element)
  const grid = { stroke: colourOf('--line'), width: 1 }
  const axis = {
    stroke: colourOf('--text-3'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    grid,
    ticks: { show: false },
  }
  const drawn = stacked ? input.series.toReversed() : input.series
  const axisText = (value: number) => (value === 0 ? '0' : value % 1 && stacked ? '' : format(value))
  const bars = uPlot.paths.bars?.({ size: [0.82, 40], align: 1 })
  return {
    width: element.clientWidth,
    height,
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: !stacked }, drag: { x: false, y: false } },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), zoneName() === 'UTC' ? 'Etc/UTC' : zoneName()),
    scales: {
      // Each bar starts at the start of its bucket, so the axis needs one more bucket after the last one.
      x: { range: (_plot, low, high) => [low, high + bucketMs / 1_000] },
      y: { range: (_plot, _low, high) => [0, Math.max(high * 1.08, 4)] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        values: (_plot, splits, _axis, _space, step) =>
          splits.map((at) => (days ? formatDay(at * 1_000) : tickText(at, step))),
      },
      {
        ...axis,
        size: 56,
        values: (_plot, splits) => splits.map((value) => axisText(value)),
      },
    ],
    series: [
      {},
      ...drawn.map(({ name, colour }): uPlot.Series => {
        const stroke = colourOf(`--c-${colour}`)
        return stacked && bars
          ? { label: name, fill: stroke, stroke, width: 0, paths: bars, points: { show: false } }
          : { label: name, stroke, width: 2, points: { show: () => false, filter: alone, fill: stroke, size: 5 } }
      }),
    ],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? null)] },
  }
}

/** The values between two gaps. A line needs two values, so they are drawn as points. */
function alone({ data }: uPlot, index: number): number[] {
  const values = data[index] ?? []
  const isGap = (at: number) => (values[at] ?? null) === null
  return [...values.keys()].filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1))
}

function tickText(atSeconds: number, stepSeconds: number): string {
  const at = atSeconds * 1_000
  const isMidnight = at === startOfDay(dayOf(at))
  return stepSeconds >= 86_400 || isMidnight ? formatDay(at) : formatIn(clock, at)
}

/** A canvas cannot use CSS custom properties, so a probe element resolves their current values. */
function colourReader(element: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement('span')
    probe.style.setProperty('color', `var(${name})`)
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
