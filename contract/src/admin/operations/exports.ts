import Type, { type Static } from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, orNull } from '../schemas.ts'

/** The operations whose whole list can be exported. */
const exportedLists = [
  ...(['listCalls', 'listKeys', 'listProjects', 'listBatches', 'listWatches', 'listWebhooks'] as const),
  ...(['listWebhookDeliveries', 'listParkedEvents', 'searchRecords', 'listSuppressions', 'creditHistory'] as const),
  ...(['readUsage', 'listAudit', 'listSessions', 'listTokens'] as const),
] as const
export type ExportedListName = (typeof exportedLists)[number]

const exportStates = ['preparing', 'ready', 'cancelled', 'failed', 'removed'] as const

const Export = Type.Object({
  id: Type.String(),
  list: Type.Enum([...exportedLists], { description: 'The operation whose rows are exported.' }),
  state: Type.Enum([...exportStates], {
    description:
      '`failed`: see `detail`. `removed`: an erasure removed the file, because it could name the erased person or company.',
  }),
  rows: Type.Integer({ minimum: 0, description: 'The number of rows that the file has so far.' }),
  bytes: Type.Integer({ minimum: 0, description: 'The compressed size of the file so far.' }),
  detail: orNull(Type.String({ description: 'Why it ended without a file, and what to do.' })),
  created_at: Time,
  expires_at: { ...Time, description: 'When the file and this entry are removed.' },
})
export type Export = Static<typeof Export>

const Id = Type.Object({ id: Type.String() })

/** Whole lists as CSV files, prepared in the background. */
export const exportListOperations = {
  beginExport: {
    route: 'POST /exports',
    summary: 'Prepare all rows of a list as a CSV file',
    description:
      'The role must be allowed to use the list, and a token of one project gets the rows of its project. The rows are read once, in the background, and never slow down callers. Ask for the state until it is `ready`. After a restart or on another node the preparation begins again by itself. The file is removed a day after the request.',
    role: 'viewer',
    scope: 'own part',
    status: 202,
    body: Type.Object({
      list: Type.Enum([...exportedLists]),
      ask: Type.Optional(
        Type.Record(Type.String(), Type.String({ maxLength: 500 }), {
          description: 'The parameters of the list, as in its path and query. `limit` and `cursor` are ignored.',
        }),
      ),
    }),
    response: Export,
  },
  listExports: {
    route: 'GET /exports',
    summary: 'List your own exports, newest first',
    role: 'viewer',
    scope: 'own part',
    response: Type.Object({ exports: Type.Array(Export) }),
  },
  showExport: {
    route: 'GET /exports/:id',
    summary: 'Show the progress of an export',
    description: 'An export is visible only to the one who began it.',
    role: 'viewer',
    scope: 'own part',
    params: Id,
    response: Export,
  },
  cancelExport: {
    route: 'DELETE /exports/:id',
    summary: 'Stop the preparation of an export, or remove its file',
    role: 'viewer',
    scope: 'own part',
    params: Id,
    response: Export,
  },
  downloadExport: {
    route: 'GET /exports/:id/file',
    summary: 'Download the file of an export',
    description: 'Text that a spreadsheet would run as a formula begins with an apostrophe. Times are in UTC.',
    role: 'viewer',
    scope: 'own part',
    params: Id,
    produces: { 'text/csv': Type.String() },
  },
} satisfies AdminOperationRows
