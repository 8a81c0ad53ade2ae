import { long, report, write } from '../database/operation.ts'
import type { Operations } from '../database/store.ts'
import { noteBackupOverdue, pruneEvents } from './event-upkeep.ts'
import { publishEvents } from './publish-events.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { changesPage } from './record-changes.ts'
import { feedPage } from './read-events.ts'

/** The operations on events. Events are written by the operations that cause them. */
export const eventOperations = {
  publishEvents: long(publishEvents),
  feedPage: report(feedPage, 'short'),
  changesPage: report(changesPage, 'short'),
  pruneEvents: write(pruneEvents),
  noteBackupOverdue: write(noteBackupOverdue),
  ...webhookOperations,
} satisfies Operations
export type EventOperations = typeof eventOperations
