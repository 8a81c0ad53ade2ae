/**
 * Writes the shapes of the admin API that the console reads, from the API's own OpenAPI document:
 * `npm run generate`. A test of the console fails when the file is out of date.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { adminDocument } from './generate-reference.ts'
import { typePrinter, type Schema } from './reference/print-types.ts'

/** The name of each shape, and where it is: an operation's answer, then properties of it; `[]` is an item of a list. */
const shapes: Record<string, string> = {
  Session: 'showSession',
  SessionRow: 'listSessions sessions []',
  Environment: 'showProject environments []',
  Project: 'showProject',
  Key: 'showKey',
  NewKey: 'createKey',
  LedgerPage: 'creditHistory',
  Balance: 'creditBalance',
  Alerts: 'showAlerts',
  PriceBook: 'showPrices current',
  Prices: 'showPrices',
  PriceCheck: 'checkPrices',
  Call: 'listCalls calls []',
  Receipt: 'showReceipt',
  ExplainedCall: 'showCall',
  SearchResult: 'searchAll results []',
  Savings: 'readSavings',
  Usage: 'readUsage',
  UsageRow: 'readUsage rows []',
  Provider: 'listProviders providers []',
  ProviderCheck: 'checkProvider',
  Scorecard: 'scoreProviders',
  Score: 'scoreProviders providers []',
  Disagreement: 'scoreProviders disagreements []',
  Bucket: 'readOverview series []',
  Overview: 'readOverview',
  RecordRow: 'searchRecords records []',
  Fetch: 'showPersonRecord fetches []',
  StoredRecord: 'showPersonRecord',
  Version: 'listPersonVersions versions []',
  Diff: 'diffPersonVersions',
  ErasurePlan: 'planPersonErasure',
  Erased: 'erasePerson',
  ReprojectStep: 'reprojectRecords',
  Settings: 'readSettings',
  Finding: 'runDoctor checks []',
  Backup: 'listBackups backups []',
  BackupCheck: 'verifyBackup',
  RetentionPlan: 'planRetention',
  Token: 'listTokens tokens []',
  NewToken: 'createToken',
  AuditEntry: 'listAudit entries []',
  AuditVerdict: 'verifyAudit',
  OperatorWatch: 'listWatches watches []',
  AddedWatches: 'addWatches',
  OperatorBatch: 'showBatch',
  BatchPreview: 'previewBatch',
  SubmittedBatch: 'submitBatch',
  Suppression: 'listSuppressions suppressions []',
  Webhook: 'showWebhook',
  NewWebhook: 'createWebhook',
  WebhookDelivery: 'listWebhookDeliveries deliveries []',
  ParkedEvent: 'listParkedEvents parked []',
  QueuedEvent: 'listWebhookQueue events []',
  WebhookPayload: 'showWebhookPayload',
  UnfoundRow: 'listUnfoundRows rows []',
}

/** The text of console/src/api-types.generated.ts. */
export async function generateConsoleTypes(): Promise<string> {
  const document = await adminDocument()
  const answers = answersOf(document)
  const found = Object.entries(shapes).map(([name, path]) => [name, find(answers, path)] as const)
  const names = new Map(found.map(([name, schema]) => [JSON.stringify(schema), name]))
  const { printInterface } = typePrinter((schema) => names.get(JSON.stringify(schema)))
  const notice = '// Generated from the admin API by scripts/generate-console-types.ts. Do not edit.\n'
  const operations = operationsOf(document).map(({ operationId }) => `\n  | '${operationId}'`)
  const union = `/** Every operation of the admin API. */\nexport type Operation =${operations.join('')}\n`
  return [notice, union, ...found.map(([name, schema]) => printInterface(name, schema))].join('\n')
}

type Document = Awaited<ReturnType<typeof adminDocument>>

function operationsOf(document: Document) {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods))
}

function answersOf(document: Document): Map<string, Schema> {
  const answers = new Map<string, Schema>()
  for (const operation of operationsOf(document)) {
    const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
    const schema = success?.content?.['application/json']?.schema
    if (schema && operation.operationId) answers.set(operation.operationId, withoutWords(schema))
  }
  return answers
}

/** Descriptions are for the reference; the types change only with the shapes. */
function withoutWords(schema: unknown): Schema {
  const isText = (key: string, value: unknown) => key === 'description' && typeof value === 'string'
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (isText(key, value) ? undefined : value))) as Schema
}

function find(answers: Map<string, Schema>, path: string): Schema {
  const [operation = '', ...steps] = path.split(' ')
  const step = (schema: Schema | undefined, name: string) =>
    name === '[]' ? schema?.items : schema?.properties?.[name]
  const schema = steps.reduce(step, answers.get(operation))
  if (!schema) throw new Error(`the admin API has no ${path}`)
  return schema
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../console/src/api-types.generated.ts')
  writeFileSync(file, await generateConsoleTypes())
}
