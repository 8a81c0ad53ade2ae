import type { EventData, RecordChanges } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import type { StoredEvent } from './event.ts'
import { selectEvents, type FeedStore, type ReadEvents } from './read-events.ts'

/** Events about keys, with which holders correct their copies. They contain nothing else. Erasures are kept longer than others. */
export const keyEvents = ['record.merged', 'record.split', 'record.purged', 'record.erased'] as const

type Change = RecordChanges['changes'][number]

/** A page of changes to keys that an environment holds, as JSON. */
export async function changesPage(connection: Connection, args: ReadEvents): Promise<string> {
  const changes: Change[] = []
  let { after } = args
  // Leaves out merges of a key that the environment does not hold.
  for (let isDone = false; !isDone && changes.length === 0;) {
    const events = await selectEvents(connection, { ...args, after, types: keyEvents })
    const all = events.map(changeOf)
    const held = await heldKeys(connection, args.environmentId ?? 0, all)
    changes.push(...all.filter(({ change, id }) => change !== 'merged' || held.has(id)))
    after = events.at(-1)?.position ?? after
    isDone = events.length < args.limit
  }
  return JSON.stringify({ changes, next: String(after) } satisfies RecordChanges)
}

function changeOf({ event }: StoredEvent): Change {
  // Written by `writeEvents` with the data of its type.
  const data = event.data as EventData<'record.merged'> & EventData<'record.split'>
  const { kind, id } = data
  const { at } = event
  if (event.type === 'record.merged') return { kind, id: data.merged_id, change: 'merged', to: id, at }
  if (event.type === 'record.split') return { kind, id, change: 'split', to: data.split_id, at }
  return { kind, id, change: event.type === 'record.erased' ? 'erased' : 'purged', to: null, at }
}

async function heldKeys({ db }: Connection, environmentId: number, changes: readonly Change[]): Promise<Set<string>> {
  const keys = changes.flatMap(({ change, id }) => (change === 'merged' ? id : []))
  if (keys.length === 0) return new Set()
  const rows = await db
    .selectFrom('recipients')
    .select('key')
    .where('account_id', '=', environmentId)
    .where('key', 'in', keys)
    .execute()
  return new Set(rows.map(({ key }) => key))
}

/** The next page of changes after a position. */
export async function readChanges(store: FeedStore, args: ReadEvents): Promise<string> {
  await store.publishEvents(args)
  return store.changesPage(args)
}
