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
    summary: 'List the events of the environment, oldest first',
    description:
      'Lists the events of the environment and of the whole service. Free. Events about endpoints that the key may not use are left out. Paging with `next` returns each event once. With a test key: a fictional feed with every type.',
    query: EventFeedQuery,
    response: EventFeed,
    example,
    failures: [],
  },
  listRecordChanges: {
    route: 'GET /v1/records/changes',
    tag: 'Events',
    summary: 'List the changes of record keys that you hold',
    description:
      'Lists the record keys your environment received that were merged, split, purged or erased since, in order. Apply the changes to your copies, then continue with `next`. New versions of records are not listed. Free. With a test key: a fictional list.',
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
