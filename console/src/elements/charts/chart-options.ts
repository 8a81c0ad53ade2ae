import uPlot from 'uplot'

export interface ChartSeries {
  name: string
  /** The name of a colour, as the swatches of the legend use it. */
  colour: 'live' | 'store' | 'stale' | 'client' | 'server'
  values: (number | null)[]
}

interface ChartInput {
  element: HTMLElement
  series: ChartSeries[]
  stacked: boolean
  /** How long a bucket is, in milliseconds: the scale ends where the last one does. */
  bucketMs: number
  height: number
  format: (value: number | null) => string
  onHover: (index: number | null) => void
}

const dayMs = 86_400_000
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const utcDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** The day of a bucket that is a day: the service counts days in UTC, wherever one looks from. */
export function formatUtcDay(at: number): string {
  return utcDay.format(at)
}

/** How a chart is drawn: bars in a stack, or lines. */
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
      // Each bar begins where its bucket does, so the last one needs room after it.
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

/** A canvas knows no custom properties: the present value of a name is read from a probe element. */
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
