import type { EventFeed } from '@vitae/contract'
import type { Connection } from '../database/dialect.ts'
import { selectEvents, type ReadEvents } from './read-events.ts'

/**
 * A page of the feed as JSON: the events after a position that have a place, and where to go on. As text, because to make it of 500 events
 * takes milliseconds, in which whoever serves callers would do nothing else.
 */
export async function feedPage(connection: Connection, args: ReadEvents): Promise<string> {
  const rows = await selectEvents(connection, args)
  const next = String(rows.at(-1)?.position ?? args.after)
  return JSON.stringify({ events: rows.map(({ event }) => event), next } satisfies EventFeed)
}

/** The next page of the feed after a position. Only giving events their places is done where charges are. */
export async function readFeed(
  store: { publishEvents(args: ReadEvents): Promise<unknown>; feedPage(args: ReadEvents): Promise<string> },
  args: ReadEvents,
): Promise<string> {
  await store.publishEvents(args)
  return store.feedPage(args)
}
