import { long, report, write, type Operations, type Subject } from '../database/engine/operation.ts'
import { noteBackupOverdue, pruneEvents } from './outbox/event-upkeep.ts'
import { publishEvents } from './outbox/publish-events.ts'
import { changesPage } from './outbox/record-changes.ts'
import { feedPage } from './outbox/read-events.ts'

/** The operations on events. Events are written by the operations that cause them. */
export const eventOperations = {
  publishEvents: long(publishEvents),
  feedPage: report(feedPage, 'short'),
  changesPage: report(changesPage, 'short'),
  pruneEvents: write(pruneEvents),
  noteBackupOverdue: write(noteBackupOverdue),
} satisfies Operations
export type EventStore = Subject<typeof eventOperations>
