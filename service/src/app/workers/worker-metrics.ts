import type { Worker } from 'node:cluster'

/** A scraped worker asks all workers, including itself, through the process that started them. */
interface Ask {
  scrape: number
}
interface Question extends Ask {
  to: number
  /** The number of asked workers. */
  of: number
}
interface Reply extends Question {
  text: string
}
interface PlacedReply extends Reply {
  /** The place of the replying worker, which its replacement inherits. */
  place: number
}
/** The messages of workers to the process that started them. */
export type MetricsMessage = Ask | Reply

const repliesWithinMs = 2_000

/** A worker that is ending accepts no messages. */
const ignored = () => undefined

/** Passes a question to all workers, and a reply to the asking one. */
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

/** Reads the metrics of all workers that reply in time: a stuck worker must not hide the others. */
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
 * The metrics of all workers in one text, each series labelled with its worker. They are not summed: a sum would fall
 * when a worker is replaced, and Prometheus would count everything again.
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
