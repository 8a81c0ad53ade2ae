import { EventFeed, EventFeedQuery, RecordChanges, RecordChangesQuery } from '../events.ts'
import type { PublicRows } from './row.ts'

const example: EventFeed = {
  events: [
    {
      id: 'evt_019a8b1c5f0c7d9be1a74c3388f1a2b4',
      type: 'ceiling.near',
      at: '2026-11-14T09:30:00.000Z',
      project: 'acme',
      environment: 'production',
      data: { key: 'key_1', period: '2026-11', spent: 800, ceiling: 1000, percent: 80 },
    },
  ],
  next: '1794648600000000',
}

/** The events of an environment, in order. */
export const eventOperations = {
  listEvents: {
    route: 'GET /v1/events',
    tag: 'Events',
    summary: 'What happened, in order',
    description:
      'The events of the environment and those of the whole service. Free. What is about an endpoint that the key may not use is left out. Whoever goes on with `next` meets each event once. With a test key: a fictional feed with every type.',
    query: EventFeedQuery,
    response: EventFeed,
    example,
    failures: [],
  },
  listRecordChanges: {
    route: 'GET /v1/records/changes',
    tag: 'Events',
    summary: 'What happened to the keys that you hold?',
    description:
      'Keys that your environment was given and that were merged, split, purged or erased since, in one order: whoever keeps copies applies them and goes on with `next`. It says nothing about newer versions. Free. With a test key: a fictional list.',
    query: RecordChangesQuery,
    response: RecordChanges,
    example: {
      changes: [
        { kind: 'people', id: 'urn:li:member:100000001', change: 'erased', to: null, at: '2026-11-14T09:30:00.000Z' },
      ],
      next: '1794648600000000',
    } satisfies RecordChanges,
    failures: [],
  },
} as const satisfies PublicRows
