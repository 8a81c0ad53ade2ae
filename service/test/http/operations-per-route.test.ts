import { publicOperations } from '@vitae/contract'
import { adminOperations } from '@vitae/contract/admin'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examplePerson } from '../../../contract/src/operations/example-records.ts'
import { BatchCaller } from '../batches/batch-caller.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'

const ada = 'ada-example'
const place = { project: 'acme', environment: 'production' }
const environment = 'project=acme&environment=production'
const identifier = `profile_id=${ada}`

/** The queries of routes that need one. Others are asked without. */
const queries: Record<string, string> = {
  creditBalance: environment,
  creditHistory: environment,
  showAlerts: environment,
  readStatement: environment,
  readUsage: 'group=project',
  planPurge: 'provider=coresignal',
  lookUp: `id=${ada}&dry_run=true`,
  searchRecords: 'q=example',
  diffPersonVersions: 'from=2000-01-01',
  diffCompanyVersions: 'from=2000-01-01',
  getPersonProfile: identifier,
  preflightPersonProfile: identifier,
  getPersonHistory: identifier,
  getPersonProvenance: identifier,
  getCompanyDetails: 'company_id=example',
  preflightCompanyDetails: 'company_id=example',
  getCompanyHistory: 'company_id=example',
  getCompanyProvenance: 'company_id=example',
  resolveCompany: 'domain=example.com',
}

/** Timers ask these, or write them for many calls at once. */
const background =
  /^(batches\.claimBatches|exports\.claimExport|credits\.logCalls|records\.(saveCallDetails|markUsed)|keys\.touchKeys|callCounts\.countCalls)$/

/** Operations that a route may ask several times, each time for another part of its answer. */
const inParts: Record<string, Record<string, string>> = {
  readOverview: {
    'usage.countUsage': 'several periods',
    'keys.listKeys': 'spent keys, and those that soon are',
    'batches.listOwnedBatches': 'paused and failed ones',
  },
  downloadExport: { 'exports.readExportPart': 'a file of parts' },
  diffPersonVersions: { 'records.versionBody': 'two versions' },
  getPersonHistory: { 'records.versionBody': 'one version after another' },
  planPurge: { 'upkeep.purgeProviderChunk': 'chunks' },
  planRetention: { 'upkeep.retentionChunk': 'chunks' },
  scoreProviders: { 'scorecard.fillCounts': 'both kinds' },
  runDoctor: { 'settings.readSetting': 'several settings' },
}

let service: TestService
let asked: { name: string; args: string }[] = []
/** The values of the parameters of paths: of a parameter, or of one after a part of the path. */
const values: Record<string, string> = { project: 'acme', ref: ada, kind: 'people' }

beforeAll(async () => {
  const person = { ...examplePerson, public_identifier: ada }
  service = await startTestService({ people: { [ada]: person }, env: { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  await fill()
  for (const [subject, operations] of Object.entries(service.service.store))
    for (const [name, operation] of Object.entries<(args: never) => unknown>(operations))
      Object.assign(operations, {
        [name]: (args: never) => {
          asked.push({ name: `${subject}.${name}`, args: JSON.stringify(args) })
          return operation(args)
        },
      })
})
afterAll(() => service.close())

async function fill(): Promise<void> {
  const first = await service.person(ada)
  await service.person(ada, '&max_age_days=0')
  await service.person('nobody-at-all')
  await service.company('example')
  const requestId = first.headers.get('x-request-id') ?? ''
  const { keys } = await service.admin<{ keys: { id: string }[] }>('GET', '/keys')
  const batches = new BatchCaller(service.url, service.liveKey)
  const batch = await batches.submit({ kind: 'people', ids: [ada, 'nobody-at-all'] })
  await batches.until(batch)
  const hook = { project: 'acme', url: 'http://127.0.0.1:9/hook', events: ['credits.low'] }
  const { id: webhook } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
  const { id: made } = await service.admin<{ id: string }>('POST', '/exports', { list: 'listKeys' })
  await service.admin('POST', '/watches', { ...place, watches: [{ kind: 'people', id: ada }] })
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['someone-else'], reason: 'objection' })
  await service.admin('POST', '/prices', { lines: [{ kind: 'people', credits: 2 }, { credits: 1 }] })
  const { versions } = await service.admin<{ versions: { id: number }[] }>('GET', `/records/people/${ada}/history`)
  Object.assign(values, {
    ...{ request_id: requestId, keys: keys[0]?.id, batches: batch, webhooks: webhook, exports: made },
    ...{ versions: String(versions[0]?.id), fetches: '1', companies: 'example' },
  })
}

/** The GET routes of both APIs, without those that need a backup or a delivered event. */
const routes = [
  ...Object.entries(adminOperations).map(([id, { route }]) => ({ id, route, prefix: '/admin/v1', isAdmin: true })),
  ...Object.entries(publicOperations).map(([id, { route }]) => ({ id, route, prefix: '', isAdmin: false })),
].filter(({ id, route }) => route.startsWith('GET') && id !== 'downloadBackup' && id !== 'showWebhookPayload')

test.each(routes)('$route asks the store for each thing once', async ({ id, route, prefix, isAdmin }) => {
  const path = route.slice('GET '.length).replaceAll(/([a-z_]+)\/:(\w+)/g, (_all, part: string, name: string) => {
    return `${part}/${encodeURIComponent(values[part] ?? values[name] ?? '')}`
  })
  const headers = isAdmin
    ? { authorization: `Bearer ${service.service.admin.ownerToken}` }
    : { ApiKey: service.liveKey }
  asked = []

  const { status } = await service.get(`${prefix}${path}?${queries[id] ?? ''}`, headers)

  // No company has the site.
  expect(status).toBe(id === 'resolveCompany' ? 404 : 200)
  const own = asked.filter(({ name }) => !background.test(name))
  const names = own.map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  const same = own.filter(
    (one, index) => own.findIndex((other) => other.name === one.name && other.args === one.args) !== index,
  )
  expect(same).toEqual([])
  expect(twice.filter((name) => !inParts[id]?.[name])).toEqual([])
})
