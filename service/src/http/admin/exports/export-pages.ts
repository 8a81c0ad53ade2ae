import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExportedListName } from '@vitae/contract/admin'
import { csvLine, safeCell } from '../../../foundation/csv/csv-cells.ts'
import { encode } from '../../../foundation/schema/encode.ts'
import type { Admin } from '../../../operators/deps.ts'
import type { StoredExport } from '../../../lifecycle/exports/export-operations.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { validate } from '../../exchange/validate.ts'
import { checkAccess, checkProject } from '../route/access.ts'
import { type ExportedList, exportLists } from './export-lists.ts'

interface Ask {
  params: Record<string, unknown>
  query: Record<string, unknown>
}

/** The answer of a list before it is encoded. */
interface Answer {
  next_cursor: string | null
  [field: string]: unknown
}

interface ListCall extends Ask {
  admin: Admin
  body: undefined
  request: { headers: object }
}
type Handle = (call: ListCall, deps: AppDeps) => Promise<Answer>
interface FullHandler {
  find: (call: ListCall, deps: AppDeps) => Promise<{ project: string | null }>
  handle: Handle
}

/** Checks the parameters of a list and the rights of an admin, as a request for the list does. */
export async function readAsk(deps: AppDeps, admin: Admin, name: ExportedListName, given: object): Promise<Ask> {
  const list = exportLists[name]
  checkAccess(list.operation, admin)
  const ask = asked(list, given)
  if (list.operation.scope === 'own project') {
    const { handler } = list as { handler: Handle | FullHandler }
    const named = { project: String(ask.query['project']) }
    const { project } = typeof handler === 'function' ? named : await handler.find(callOf(admin, ask), deps)
    checkProject(admin, project)
  }
  return ask
}

function asked({ operation: { params, query } }: ExportedList, given: object): Ask {
  const { properties = {} } = (params ?? {}) as { properties?: object }
  const inPath = Object.keys(properties)
  const own = Object.entries(given).filter(([name]) => !['limit', 'cursor', 'format', 'top'].includes(name))
  const part = (schema: object | undefined, isOf: (name: string) => boolean) => {
    const values = Object.fromEntries(own.filter(([name]) => isOf(name)))
    if (!schema) return values
    const result = validate({ schema, method: 'GET', url: '', httpPart: 'querystring' })(values)
    if (result && typeof result === 'object' && 'error' in result && result.error) throw result.error as Error
    return (result as { value: Record<string, unknown> }).value
  }
  return {
    params: part(params, (name) => inPath.includes(name)),
    query: part(query, (name) => !inPath.includes(name)),
  }
}

function callOf(admin: Admin, ask: Ask): ListCall {
  return { admin, ...ask, body: undefined, request: { headers: {} } }
}

/** The number of rows that are encoded before other calls run. */
const rowsOfTurn = 100

/** The file of an export, page by page. Each row is read once. The first page begins with the labels. */
export async function* exportPages(deps: AppDeps, job: StoredExport): AsyncGenerator<{ rows: number; text: string }> {
  const list = exportLists[job.list as ExportedListName]
  const { handler, field, row: schema, columns, atOnce } = list as ExportedList & { handler: Handle | FullHandler }
  const handle = typeof handler === 'function' ? handler : handler.handle
  const admin: Admin = { actor: job.actor, role: job.role, project: job.project }
  const { params, query } = asked(list, JSON.parse(job.ask) as object)
  // Over the whole time, "top" ranks the groups and adds the labels of keys.
  const size = query['per'] === 'all' ? { top: atOnce } : { limit: atOnce }
  let head = `\uFEFF${csvLine(columns.map(([label]) => label))}`
  for (let cursor: string | null = null; ;) {
    const more: Record<string, unknown> = cursor === null ? {} : { cursor }
    const call = callOf(admin, { params, query: { ...query, ...list.ask, ...size, ...more } })
    const answer: Answer = await handle(call, deps)
    const lines: string[] = [head]
    // A page of ranked groups ends with one row for all others, which have rows of their own here.
    const rows = (answer[field] as readonly object[]).filter((row) => !('rest' in row))
    for (const [index, row] of rows.entries()) {
      if (index % rowsOfTurn === rowsOfTurn - 1) await nextTurn()
      const encoded = encode(schema, row) as never
      lines.push(csvLine(columns.map(([, cell]) => safeCell(cell(encoded)))))
    }
    yield { rows: rows.length, text: lines.join('') }
    head = ''
    cursor = answer.next_cursor
    if (cursor === null) return
  }
}
