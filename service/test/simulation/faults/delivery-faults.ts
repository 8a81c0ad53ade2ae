import type { Fault } from './fault.ts'

const note = 'events/webhooks/store/note-delivery.ts'
const sender = 'events/webhooks/sender.ts'

/** Mistakes about events and receivers that fail. */
export const deliveryFaults: readonly Fault[] = [
  {
    name: 'an event that a receiver refused is skipped',
    file: note,
    find: 'if (setsAside && kept) await setAside(tx, args)',
    replace: 'void [setAside, kept]',
  },
  {
    name: 'an ordered endpoint continues after a refused event',
    file: note,
    find: 'const setsAside = isFailure && row.ordered === 0',
    replace: 'const setsAside = isFailure',
  },
  {
    name: 'the position of an ordered endpoint advances after a failure',
    file: note,
    find: 'setsAside || !isFailure ? event.position : row.position',
    replace: 'event.position',
  },
  {
    name: 'a failed retry is forgotten',
    file: note,
    find: "if (retry && result.outcome === 'delivered')\n    await tx",
    replace: 'if (retry && event.position === null)\n    await tx',
  },
  {
    name: 'events are parked after an hour',
    file: 'events/webhooks/retry-time.ts',
    find: 'if (at < end) return Math.min(next, end)\n  return attempts < pauses.length ? next : null',
    replace: 'return at < end - givenUpAfter + hour ? next : null',
  },
  {
    name: 'the deliveries to one endpoint run in parallel',
    file: sender,
    find: 'if (this.#running.has(id)) this.#again.add(id)\n        else this',
    replace: 'this',
  },
  {
    name: 'an event whose delivery could not be recorded is not sent again',
    file: sender,
    find: 'const { webhook, next } = found',
    replace: 'const { webhook, next } = found\n    this.#nothingUpTo.set(id, next.position ?? after)',
  },
  {
    name: 'an endpoint gets events of all environments of its project',
    file: 'events/webhooks/store/delivery-operations.ts',
    find: '...(environmentId === null ? { project } : { environmentId })',
    replace: '...(environmentId === null ? { environmentId } : { project })',
  },
]
