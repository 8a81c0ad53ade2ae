import type { Store } from '../database/store.ts'
import type { StoredEvent } from './event.ts'
import type { EventOperations } from './operations.ts'
import type { ReadEvents } from './read-events.ts'

/** The next events after a position, as `readEvents` gives them. Only giving them their places is done where charges are. */
export async function readFeed(
  store: Pick<Store<EventOperations>, 'publishEvents' | 'readEvents'>,
  args: ReadEvents,
): Promise<StoredEvent[]> {
  await store.publishEvents(args)
  return store.readEvents(args)
}
