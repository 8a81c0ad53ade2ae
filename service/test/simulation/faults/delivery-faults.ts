import type { Fault } from './fault.ts'

const note = 'events/webhooks/store/note-delivery.ts'
const sender = 'events/webhooks/sender.ts'

/** Mistakes about events and receivers that fail. */
export const deliveryFaults: readonly Fault[] = [
  {
    name: 'an event that a receiver refused is skipped',
    file: note,
    in: 'moveOn',
    find: "if (result.outcome !== 'delivered' && kept) await setAside(tx, args)",
    replace: 'void [setAside, kept]',
  },
  {
    name: 'a failed retry is forgotten',
    file: note,
    in: 'moveOn',
    find: "retry && result.outcome === 'delivered'",
    replace: 'retry && event.position === null',
  },
  {
    name: 'events are parked after an hour',
    file: 'events/webhooks/delivery/retry-time.ts',
    in: 'retryTime',
    find: 'if (at < end) return Math.min(next, end)\n  return attempts < pauses.length ? next : null',
    replace: 'return at < end - givenUpAfter + hour ? next : null',
  },
  {
    name: 'the deliveries to one endpoint run in parallel',
    file: 'work/runner.ts',
    in: 'begin',
    find: 'running.runAgain = true\n      return',
    replace: 'running.runAgain = false',
  },
  {
    name: 'an event whose delivery could not be recorded is not sent again',
    file: sender,
    in: 'deliverNext',
    find: 'const { webhook, next } = found',
    replace: 'const { webhook, next } = found\n    this.#nothingUpTo.set(id, next.position ?? after)',
  },
  {
    name: 'an endpoint gets events of all environments of its project',
    file: 'events/webhooks/store/delivery-operations.ts',
    in: 'nextOf',
    find: '...(environmentId === null ? { project } : { environmentId })',
    replace: '...(environmentId === null ? { environmentId } : { project })',
  },
]
