import { Errors } from 'typebox/schema'
import { expect, test } from 'vitest'
import { examplePerson } from '../../../../contract/src/openapi-examples.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'

type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- a document is walked, not typed

/** Who may use a route: the least role, and whether a token of another project is refused or sees its own part only. */
interface Rule {
  role: 'stranger' | 'viewer' | 'operator' | 'owner'
  foreign: 'refused' | 'own part'
  query?: string
  body?: object
}

const viewer = (more: Partial<Rule> = {}): Rule => ({ role: 'viewer', foreign: 'refused', ...more })
const operator = (more: Partial<Rule> = {}): Rule => ({ role: 'operator', foreign: 'refused', ...more })
const owner = (more: Partial<Rule> = {}): Rule => ({ role: 'owner', foreign: 'refused', ...more })
const account = { project: 'acme', environment: 'production' }
const ids = { kind: 'people', ids: ['nobody'] }

/** Every operation of the document. One that is missing here fails the test, so that no route goes without a rule. */
const rules: Record<string, Rule> = {
  signIn: { role: 'stranger', foreign: 'own part', body: { token: 'nonsense' } },
  showSession: viewer({ foreign: 'own part' }),
  signOut: viewer({ foreign: 'own part' }),
  listProjects: viewer({ foreign: 'own part' }),
  createProject: operator({ body: { name: 'acme', environments: ['staging'] } }),
  showProject: viewer(),
  updateProject: operator({ body: { suspended: false } }),
  listKeys: viewer({ foreign: 'own part' }),
  createKey: operator({ body: { ...account, mode: 'test' } }),
  showKey: viewer(),
  updateKey: operator({ body: { label: 'x' } }),
  rotateKey: operator({ body: { overlap: '1h' } }),
  revokeKey: operator({ body: {} }),
  grantCredits: operator({ body: { ...account, amount: 1 } }),
  adjustCredits: operator({ body: { ...account, amount: 1 } }),
  creditBalance: viewer({ query: 'project=acme&environment=production' }),
  creditHistory: viewer({ query: 'project=acme&environment=production' }),
  verifyLedger: viewer(),
  showReceipt: viewer({ foreign: 'own part' }),
  listCalls: viewer({ foreign: 'own part', query: 'project=acme' }),
  readUsage: viewer({ foreign: 'own part', query: 'group=project&project=acme' }),
  readOverview: viewer({ foreign: 'own part' }),
  searchRecords: viewer(),
  showPersonRecord: viewer(),
  showCompanyRecord: viewer(),
  listPersonVersions: viewer(),
  listCompanyVersions: viewer(),
  diffPersonVersions: viewer(),
  diffCompanyVersions: viewer(),
  showVersion: viewer(),
  readRawPayload: operator(),
  refreshPersonRecord: operator(),
  refreshCompanyRecord: operator(),
  reprojectRecords: operator({ body: {} }),
  importRecords: operator({ body: { lines: [] } }),
  planPersonErasure: operator(),
  planCompanyErasure: operator(),
  erasePerson: owner({ body: { reason: 'test' } }),
  eraseCompany: owner({ body: { reason: 'test' } }),
  exportPerson: operator(),
  exportCompany: operator(),
  lookUp: operator({ query: 'id=nobody&dry_run=true' }),
  listSuppressions: viewer(),
  exportSuppressions: operator(),
  listErasures: viewer(),
  addSuppressions: operator({ body: ids }),
  removeSuppressions: owner({ body: ids }),
  importSuppressions: operator({ body: { ...ids, origin: 'feed' } }),
  checkSuppressions: operator({ body: ids }),
  planPurge: operator({ query: 'provider=coresignal' }),
  purgeRecords: owner({ body: { provider: 'coresignal' } }),
  planRetention: viewer(),
  runRetention: owner(),
  makeBackup: owner({ body: {} }),
  listBackups: viewer(),
  listProviders: viewer(),
  checkProvider: operator(),
  pauseProvider: operator({ body: {} }),
  resumeProvider: operator({ body: {} }),
  listTokens: owner(),
  createToken: owner({ body: { role: 'viewer', label: null } }),
  revokeToken: owner(),
  listAudit: viewer(),
  verifyAudit: viewer(),
  readSettings: viewer(),
  runDoctor: operator(),
}

const roles = ['stranger', 'viewer', 'operator', 'owner'] as const

test('every route lets in exactly those whom its rule names, and answers in its own shape', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const { operations, send } = await prepare(service)
  const wrong: string[] = []

  expect(operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(rules).toSorted())
  for (const operation of operations) {
    const rule = rules[operation.id]!
    for (const role of roles) {
      const { status, json } = await send(operation, rule, role)
      const allowed = roles.indexOf(role) >= roles.indexOf(rule.role)
      const refused = status === 401 || status === 403
      if (refused === allowed && operation.id !== 'signIn') wrong.push(`${operation.id} as ${role}: ${status}`)
      const misfit = status < 300 && json !== null && misfits(operation, status, json)
      if (misfit) wrong.push(`${operation.id} as ${role} does not answer in its shape: ${misfit}`)
    }
    const foreign = await send(operation, rule, 'foreign')
    const leaks = foreign.text.includes('acme')
    if (rule.foreign === 'refused' && foreign.status < 300) wrong.push(`${operation.id} for a foreign project`)
    if (foreign.status < 300 && leaks) wrong.push(`${operation.id} shows acme to a foreign project`)
  }

  expect(wrong).toEqual([])
}, 120_000)

interface Operation {
  id: string
  method: string
  path: string
  responses: Json
}

async function prepare(service: TestService) {
  const document = await service.get('/admin/openapi.json', bearer(service.service.admin.ownerToken))
  const operations = Object.entries<Json>(document.json['paths'] as Json).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId, responses }]): Operation => {
      return { id: operationId, method: method.toUpperCase(), path, responses }
    }),
  )
  await service.makeKey({ project: 'other' })
  await service.admin('POST', '/records/import', { fetched_at: '0s', lines: [JSON.stringify(examplePerson)] })
  const answered = await service.person('amara-okafor')
  const params = {
    project: 'acme',
    kind: 'people',
    name: 'directory',
    ref: 'amara-okafor',
    request_id: answered.headers.get('x-request-id') ?? '',
  }
  const tokens = new Map<string, string>()
  for (const role of ['viewer', 'operator', 'owner']) tokens.set(role, await makeToken(service, { role }))
  tokens.set('foreign', await makeToken(service, { role: 'owner', project: 'other' }))

  const send = async (operation: Operation, rule: Rule, as: string) => {
    const id = operation.path.includes('/keys/') ? (await service.makeKey()).id : '1'
    const filled = Object.entries({ ...params, id }).reduce(
      (path, [name, value]) => path.replace(`{${name}}`, encodeURIComponent(value)),
      operation.path,
    )
    const token = tokens.get(as)
    const response = await fetch(`${service.url}${filled}${rule.query ? `?${rule.query}` : ''}`, {
      method: operation.method,
      headers: { ...(token ? bearer(token) : {}), ...(rule.body ? { 'content-type': 'application/json' } : {}) },
      ...(rule.body ? { body: JSON.stringify(rule.body) } : {}),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return { status: response.status, text, json: isJson ? JSON.parse(text) : null }
  }
  return { operations, send }
}

async function makeToken(service: TestService, wish: object): Promise<string> {
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { label: 'test', ...wish })
  return token
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

function misfits({ responses }: Operation, status: number, json: unknown): string | null {
  const schema = responses[status]?.content?.['application/json']?.schema
  if (!schema) return `no schema for ${status}`
  const [valid, errors] = Errors(schema, json)
  return valid ? null : JSON.stringify(errors.slice(0, 2))
}
