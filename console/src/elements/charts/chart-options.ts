import uPlot from 'uplot'

export interface ChartSeries {
  name: string
  /** Name of the colour, shared with the legend's swatches. */
  colour: 'live' | 'store' | 'stale' | 'client' | 'server'
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
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const utcDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Formats the day of a daily bucket in UTC, because the service counts days in UTC. */
export function formatUtcDay(at: number): string {
  return utcDay.format(at)
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
    ...(days ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC') } : {}),
    scales: {
      // Each bar starts at the start of its bucket, so the axis needs one more bucket after the last one.
      x: { range: (_plot, low, high) => [low, high + (stacked ? bucketMs / 1_000 : 0)] },
      y: { range: (_plot, _low, high) => [0, Math.max(high * 1.08, stacked ? 4 : 1)] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        values: (_plot, splits, _axis, _space, step) =>
          splits.map((at) => (days ? formatUtcDay(at * 1_000) : tickText(at, step))),
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
          : { label: name, stroke, width: 2, spanGaps: true, points: { show: false } }
      }),
    ],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? null)] },
  }
}

function tickText(atSeconds: number, stepSeconds: number): string {
  const at = new Date(atSeconds * 1_000)
  const midnight = at.getHours() === 0 && at.getMinutes() === 0
  return stepSeconds >= 86_400 || midnight ? day.format(at) : clock.format(at)
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
