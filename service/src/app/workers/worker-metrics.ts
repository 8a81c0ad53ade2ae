import type { Worker } from 'node:cluster'

/** A worker that is scraped asks all workers, itself too, by way of the process that started them. */
interface Ask {
  scrape: number
}
interface Question extends Ask {
  to: number
  /** How many were asked. */
  of: number
}
interface Reply extends Question {
  text: string
}
interface PlacedReply extends Reply {
  /** The place of the one that replies among the workers, which the one that replaces it will have. */
  place: number
}
/** What workers send to the process that started them. */
export type MetricsMessage = Ask | Reply

const repliesWithinMs = 2_000

/** A worker that is ending takes no messages. */
const ignored = () => undefined

/** Passes a question on to all workers, and a reply to the one that asked. */
export function passOn(
  message: MetricsMessage,
  { worker, place }: { worker: Worker; place: number },
  workers: ReadonlyMap<number, Worker>,
): void {
  if ('text' in message) workers.get(message.to)?.send({ ...message, place } satisfies PlacedReply, ignored)
  else
    for (const one of workers.values())
      one.send({ ...message, to: worker.id, of: workers.size } satisfies Question, ignored)
}

/** Reads the metrics of all workers that reply in time: one that is stuck must not hide the others. */
export function metricsOfAllWorkers(own: () => Promise<string>): () => Promise<string> {
  const scrapes = new Map<number, (reply: PlacedReply) => void>()
  let last = 0
  const send = (message: MetricsMessage) => void process.send?.(message, undefined, undefined, ignored)
  process.on('message', (message: string | Question | PlacedReply) => {
    if (typeof message === 'string') return
    if ('place' in message) scrapes.get(message.scrape)?.(message)
    else void own().then((text) => send({ ...message, text }), ignored)
  })
  return () =>
    new Promise((resolve) => {
      const scrape = ++last
      const replies: PlacedReply[] = []
      const end = () => {
        clearTimeout(timer)
        scrapes.delete(scrape)
        resolve(metricsByWorker(replies))
      }
      const timer = setTimeout(end, repliesWithinMs)
      scrapes.set(scrape, (reply) => {
        if (replies.push(reply) === reply.of) end()
      })
      send({ scrape })
    })
}

/**
 * The metrics of all workers in one text, each series with the worker that it is of. They are not summed here: a sum
 * would fall when a worker is replaced, and Prometheus would count all of it again.
 */
function metricsByWorker(workers: readonly { place: number; text: string }[]): string {
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
