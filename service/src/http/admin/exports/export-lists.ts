import {
  type AdminAnswer,
  type AdminOperation,
  type AdminOperationId,
  adminOperations,
  type ExportedListName,
} from '@vitae/contract/admin'
import type { TSchema } from 'typebox'
import { keyHandlers } from '../accounts/key-routes.ts'
import { projectHandlers } from '../accounts/project-routes.ts'
import { tokenHandlers } from '../accounts/token-routes.ts'
import { batchHandlers } from '../batches/batch-routes.ts'
import { callHandlers } from '../credits/call-routes.ts'
import { creditHandlers } from '../credits/credit-routes.ts'
import { usageHandlers } from '../credits/usage-routes.ts'
import { auditHandlers } from '../operations/audit-routes.ts'
import { suppressionHandlers } from '../privacy/suppression-routes.ts'
import { recordHandlers } from '../records/record-routes.ts'
import { watchHandlers } from '../records/watch-routes.ts'
import type { AdminHandlers } from '../route/admin-route.ts'
import { webhookDeliveryHandlers } from '../webhooks/webhook-delivery-routes.ts'
import { webhookHandlers } from '../webhooks/webhook-routes.ts'

/** A list that can be exported: who answers it, and the columns of its file. */
export interface ExportedList {
  operation: AdminOperation
  handler: unknown
  /** The field of the answer that has the rows, and their schema. */
  field: string
  row: TSchema
  columns: readonly (readonly [label: string, cell: (row: never) => unknown])[]
  /** Whether its rows name records, so that an erasure removes the file. */
  namesRecords: boolean
  /** Parameters that the export adds. */
  ask: Record<string, unknown>
  /** The rows of one query. Reports may have many, other reads share the thread of payments. */
  atOnce: number
}

type RowOf<
  Id extends AdminOperationId,
  Field extends keyof AdminAnswer<Id>,
> = AdminAnswer<Id>[Field] extends (infer Row)[] ? Row : never

interface More {
  namesRecords?: boolean
  ask?: Record<string, unknown>
  atOnce?: number
}

const reportRows = 5_000

function list<Id extends AdminOperationId, Field extends keyof AdminAnswer<Id> & string>(
  id: Id,
  field: Field,
  handler: AdminHandlers[Id],
  columns: Record<string, (row: RowOf<Id, Field>) => unknown>,
  { namesRecords = false, ask = {}, atOnce = reportRows }: More = {},
): ExportedList {
  const operation: AdminOperation = adminOperations[id]
  const { properties } = operation.response as unknown as { properties: Record<string, { items: TSchema }> }
  const row = properties[field]?.items
  if (!row) throw new Error(`${id} has no list ${field}`)
  return { operation, handler, field, row, columns: Object.entries(columns), namesRecords, ask, atOnce }
}

/** The rights or limits in a cell: null allows all. */
const orAll = (items: readonly string[] | null) => (items === null ? 'all' : items.join(' ') || 'none')

/** Every list that can be exported, with the labels of the console and names instead of ids. */
export const exportLists: Record<ExportedListName, ExportedList> = {
  listCalls: list(
    'listCalls',
    'calls',
    callHandlers.listCalls,
    {
      When: ({ at }) => at,
      Request: (row) => row.request_id,
      Status: ({ status }) => status,
      Code: ({ code }) => code,
      Source: ({ source }) => source,
      Kind: ({ kind }) => kind,
      Record: (row) => row.entity_name,
      'Record key': (row) => row.entity_key,
      Key: (row) => row.key_name,
      'Spend tag': ({ tag }) => tag,
      Project: ({ project }) => project,
      Environment: ({ environment }) => environment,
      Mode: ({ mode }) => mode,
      Credits: ({ credits }) => credits,
      'Took (ms)': (row) => row.duration_ms,
      'Repeat of': (row) => row.replay_of,
    },
    { namesRecords: true, ask: { names: true } },
  ),
  listKeys: list('listKeys', 'keys', keyHandlers.listKeys, {
    Key: ({ label, display }) => label || display,
    'Shown part': ({ display }) => display,
    Project: ({ project }) => project,
    Environment: ({ environment }) => environment,
    Mode: ({ mode }) => mode,
    'Spent this month': (row) => row.spent_this_month,
    'Monthly ceiling': ({ ceiling }) => ceiling,
    'Spent today': (row) => row.spent_today,
    'Daily ceiling': (row) => row.daily_ceiling,
    Rate: ({ rate }) => rate,
    Endpoints: ({ endpoints }) => orAll(endpoints),
    Parts: ({ parts }) => orAll(parts),
    Networks: ({ networks }) => orAll(networks),
    Made: (row) => row.created_at,
    'Last used': (row) => row.last_used_at,
    Expires: (row) => row.expires_at,
    Revoked: (row) => row.revoked_at,
  }),
  listProjects: list(
    'listProjects',
    'projects',
    projectHandlers.listProjects,
    {
      Project: ({ name }) => name,
      Suspended: ({ suspended }) => (suspended ? 'yes' : 'no'),
      'Billing blocked': (row) => (row.billing_blocked ? 'yes' : 'no'),
      Made: (row) => row.created_at,
      Environments: ({ environments }) => environments.map(({ name }) => name).join(' '),
      'Available credits': ({ environments }) => environments.reduce((sum, { available }) => sum + available, 0),
      'Held credits': ({ environments }) => environments.reduce((sum, { held }) => sum + held, 0),
      'Active keys': ({ environments }) => environments.reduce((sum, { keys }) => sum + keys, 0),
    },
    { atOnce: 1_000 },
  ),
  listBatches: list('listBatches', 'batches', batchHandlers.listBatches, {
    Batch: ({ name, id }) => name ?? id,
    Project: ({ project }) => project,
    Environment: ({ environment }) => environment,
    Key: (row) => row.key_label ?? row.key_id,
    State: ({ status }) => status,
    Rows: ({ total }) => total,
    Found: ({ counts }) => counts.found,
    Credits: (row) => row.credits_spent,
    Submitted: (row) => row.created_at,
  }),
  listWatches: list(
    'listWatches',
    'watches',
    watchHandlers.listWatches,
    {
      Watched: ({ identifier }) => identifier,
      Kind: ({ kind }) => kind,
      Project: ({ project }) => project,
      Environment: ({ environment }) => environment,
      'Every (days)': (row) => row.every_days,
      'Last seen': (row) => row.last_seen_at,
      'Last result': (row) => row.last_result,
      'Next due': (row) => row.next_due_at,
      Paused: ({ paused }) => paused,
      Changed: (row) => row.last_change?.type,
      'Credits in 30 days': (row) => row.credits_per_month,
    },
    { namesRecords: true },
  ),
  listWebhooks: list(
    'listWebhooks',
    'webhooks',
    webhookHandlers.listWebhooks,
    {
      URL: ({ url }) => url,
      Project: ({ project }) => project,
      Environment: ({ environment }) => environment ?? 'all',
      Events: ({ events }) => events.join(' '),
      Format: ({ format }) => format,
      State: ({ state }) => state,
    },
    { atOnce: 1_000 },
  ),
  listWebhookDeliveries: list(
    'listWebhookDeliveries',
    'deliveries',
    webhookDeliveryHandlers.listWebhookDeliveries,
    {
      When: ({ at }) => at,
      Event: ({ event }) => event,
      Type: ({ type }) => type,
      Kind: ({ kind }) => kind,
      Attempt: ({ attempt }) => attempt,
      Outcome: ({ outcome }) => outcome,
      Status: ({ status }) => status,
      Answer: ({ answer }) => answer,
      'Took (ms)': (row) => row.duration_ms,
    },
    // The stored answer of a receiver may quote the event, and so a record.
    { namesRecords: true },
  ),
  listParkedEvents: list('listParkedEvents', 'parked', webhookDeliveryHandlers.listParkedEvents, {
    Event: ({ event }) => event,
    Type: ({ type }) => type,
    Attempts: ({ attempts }) => attempts,
    'Failing since': (row) => row.failing_since,
    Parked: (row) => row.parked_at,
    Problem: ({ problem }) => problem,
  }),
  searchRecords: list(
    'searchRecords',
    'records',
    recordHandlers.searchRecords,
    {
      Name: ({ name }) => name,
      Kind: ({ kind }) => kind,
      Slug: ({ slug }) => slug,
      Key: ({ key }) => key,
      Provider: ({ provider }) => provider,
      Fetched: (row) => row.fetched_at,
      Thin: ({ thin }) => (thin ? 'yes' : 'no'),
    },
    { namesRecords: true },
  ),
  listSuppressions: list(
    'listSuppressions',
    'suppressions',
    suppressionHandlers.listSuppressions,
    {
      Hash: ({ hash }) => hash,
      Kind: ({ kind }) => kind,
      Origin: ({ origin }) => origin,
      Reason: ({ reason }) => reason,
      Since: (row) => row.created_at,
    },
    { atOnce: 1_000 },
  ),
  creditHistory: list('creditHistory', 'entries', creditHandlers.creditHistory, {
    When: ({ at }) => at,
    Entry: ({ kind }) => kind,
    Change: ({ change }) => change,
    Amount: ({ amount }) => amount,
    Balance: ({ balance }) => balance,
    By: ({ actor }) => actor ?? 'a call',
    Reason: ({ reason }) => reason,
    Request: (row) => row.request_id,
  }),
  readUsage: list(
    'readUsage',
    'rows',
    usageHandlers.readUsage,
    {
      Period: ({ period }) => period,
      Project: ({ project }) => project,
      Environment: ({ environment }) => environment,
      Key: (row) => row.key_label ?? row.key_display ?? row.key_id,
      'Spend tag': ({ tag }) => tag,
      Endpoint: ({ kind }) => kind,
      Source: ({ source }) => source,
      Status: ({ status }) => status,
      Calls: ({ calls }) => calls,
      Credits: ({ credits }) => credits,
    },
    // The maximum of `top`.
    { atOnce: 900 },
  ),
  listAudit: list(
    'listAudit',
    'entries',
    auditHandlers.listAudit,
    {
      When: ({ at }) => at,
      Who: ({ actor, actor_name: name }) => name ?? actor.replace(/^person:/, ''),
      Action: ({ action }) => action,
      Subject: ({ subject, record }) => record?.name ?? record?.key ?? subject,
      Reason: ({ reason }) => reason,
      Before: ({ before }) => before,
      After: ({ after }) => after,
    },
    { namesRecords: true },
  ),
  listSessions: list(
    'listSessions',
    'sessions',
    tokenHandlers.listSessions,
    {
      Who: ({ actor, actor_name: name }) => name ?? actor.replace(/^person:/, ''),
      Role: ({ role }) => role,
      Project: ({ project }) => project,
      'Signed in by': ({ method }) => (method === 'token' ? 'admin token' : 'single sign-on'),
      From: ({ address }) => address,
      Browser: (row) => row.user_agent,
      Since: (row) => row.created_at,
      'Last used': (row) => row.last_used_at,
    },
    { atOnce: 1_000 },
  ),
  listTokens: list(
    'listTokens',
    'tokens',
    tokenHandlers.listTokens,
    {
      Token: ({ label, id }) => label ?? id,
      Role: ({ role }) => role,
      Project: ({ project }) => project,
      Made: (row) => row.created_at,
      'Last used': (row) => row.last_used_at,
      Revoked: (row) => row.revoked_at,
    },
    { atOnce: 1_000 },
  ),
}
