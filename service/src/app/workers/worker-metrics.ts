interface WorkerMetrics {
  place: number
  text: string
}

/**
 * The metrics of all workers in one text, each series with the worker that it is of. They are not summed here: a sum
 * would fall when a worker is replaced, and Prometheus would count all of it again.
 */
export function metricsByWorker(workers: readonly WorkerMetrics[]): string {
  const families = new Map<string, { head: string[]; series: string[] }>()
  for (const { place, text } of workers) {
    let family = { head: [] as string[], series: [] as string[] }
    for (const line of text.split('\n')) {
      const [, word, name = ''] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (word === undefined) {
        if (line !== '') family.series.push(labelled(line, place))
        continue
      }
      family = families.get(name) ?? { head: [], series: [] }
      families.set(name, family)
      if (!family.head.includes(line)) family.head.push(line)
    }
  }
  return [...families.values()].map(({ head, series }) => `${[...head, ...series].join('\n')}\n`).join('\n')
}

function labelled(line: string, place: number): string {
  const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  return `${name}{worker="${place}"${labels ? `,${labels}` : ''}} ${value}`
}
