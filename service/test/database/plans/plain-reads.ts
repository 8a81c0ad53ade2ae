import type { operations } from '../../../src/app/store/operations.ts'
import { noon, secret, slugOf } from '../../records/store-fixture.ts'

type All = typeof operations
type Samples = {
  [
    Name in {
      [S in keyof All]: `${S}.${keyof All[S] & string}`
    }[keyof All]
  ]?: Name extends `${infer S extends keyof All}.${infer O}` ? ArgumentsOf<All[S], O>[] : never
}
type ArgumentsOf<Subject, Name> = Name extends keyof Subject
  ? Subject[Name] extends (database: never, args: infer Args) => unknown
    ? Args
    : never
  : never

const page = { id: 1, after: 0, limit: 50 }
const ada = slugOf('ada')
const place = { project: 'acme', environment: 'production' }
const key = { environmentId: 1, keyId: 'k1', at: noon }
const names = { secret, after: '', limit: 50 }
const hash = 'f'.repeat(64)

/** Arguments of each plain-read operation for the test of query plans; several sets if filters change its statement. */
export const plainReads: Samples = {
  'grants.knownTime': [null],
  'projects.listRoutes': [null],
  'keys.findKey': [{ hash }, { id: 'k1' }, { batchId: 1 }],
  'keys.showKey': [{ id: 'k1', at: noon }],
  'keys.payerOfKey': [{ id: 'k1' }],
  'keys.payingKey': [
    { ...place, keyId: null, at: noon },
    { ...place, keyId: 'k1', at: noon },
  ],
  'tokens.listTokens': [{ limit: 50, after: null }],
  'tokens.findToken': [{ hash, at: noon }],
  'sessions.listSessions': [{ at: noon, limit: 50 }],
  'grants.readAlerts': [place],
  'credits.creditBalance': [{ ...place, at: noon }],
  'credits.remainingCredits': [key],
  'credits.keySpending': [key],
  'credits.creditGauges': [{ limit: 50 }],
  'credits.receipt': [{ requestId: 'r1' }],
  'credits.paidAt': [{ environmentId: 1, entityId: 1 }],
  'usage.dayToSum': [
    { what: 'calls', before: noon },
    { what: 'fetches', before: noon },
  ],
  'prices.priceBooksFrom': [{ at: noon }],
  'prices.priceBookHistory': [{ limit: 50, before: 5 }],
  'records.readRecord': [{ identifier: ada, suppressionHash: hash }],
  'records.readFacts': [{ asked: [1, 2, 3].map(() => ({ identifier: ada, suppressionHash: hash })) }],
  'records.companiesBySite': [{ domain: 'example.com', limit: 5 }],
  'records.readVersion': [{ versionId: 1 }, { entityId: 1, providers: ['mirror'] }],
  'entities.history': [{ kind: 'people', ref: { identifier: ada } }],
  'records.versionBody': [{ versionId: 1 }],
  'records.paidVersions': [{ entityId: 1, environmentId: 1, before: null, limit: 50 }],
  'records.findCompanyKeys': [{ slugs: ['example'] }],
  'records.companyPage': [{ id: '1' }],
  'records.findContacts': [{ kind: 'people', names: [{ type: 'email', value: hash }], secret, seesContact: true }],
  'entities.showEntity': [{ kind: 'people', ref: { identifier: ada } }, { ref: { key: 'urn:li:member:1' } }],
  'entities.auditSubjects': [{ kind: 'people', entityId: 1 }],
  'entities.rawPayload': [{ fetchId: 1 }],
  'records.callDetails': [{ requestId: 'r1', entityId: 1 }],
  'suppressions.isSuppressed': [{ hashes: [hash] }],
  'residue.rewritesOf': [{ hashes: [hash] }],
  'suppressions.suppressionsOfSubjects': [{ hashes: [hash] }],
  'suppressions.listSuppressions': [{ limit: 50 }],
  'suppressions.findSuppressed': [{ secret, afterEntityId: 0, limit: 50 }],
  'suppressions.findSuppressedNames': (
    ['aliases', 'fetches', 'calls', 'payloads', 'versions', 'watches', 'batches'] as const
  ).map((source) => ({ ...names, source })),
  'erasure.planErasure': [{ kind: 'people', ref: { identifier: ada } }],
  'upkeep.workStopped': [null],
  'watches.countWatches': [1],
  'watches.watchBudget': [{ environmentId: 1, at: noon }],
  'watches.pausedKeys': [null],
  'batches.keyedBatchRows': [page],
  'batches.showBatch': [{ environmentId: 1, publicId: 'b1' }],
  'batches.ownedBatch': [{ publicId: 'b1' }],
  'batches.storedAmong': [{ kind: 'people', names: [{ type: 'slug', value: 'ada', hash }] }],
  'batches.claimBatches': [
    { node: 'n', now: noon, leaseMs: 1, pauseAtMostMs: 1, limit: 1, ofEnvironment: 1, except: [] },
  ],
  'batches.pendingBatchRows': [page],
  'batches.paidBatchRequests': [{ id: 1, environmentId: 1, hashes: [hash] }],
  'batches.erasedBatchRows': [page],
  'batches.readBatchRows': [{ ...page, kind: 'people', secret, hosts: [] }],
  'callCounts.peekBudget': [{ provider: 'mirror', month: '2027-01', limit: 5 }],
  'callCounts.budgetStates': [{ month: '2027-01' }],
  'providers.providerStates': [null],
  'providers.driftedProviders': [{ now: noon }],
  'webhooks.takeWebhookWork': [{ holder: 'h', held: null, leaseMs: 1, now: noon }],
  'webhooks.showDelivery': [{ id: 1 }],
  'webhooks.listWebhooks': [{ project: 'acme', limit: 50, after: null }],
  'webhooks.showWebhook': [{ id: 'wh1' }],
  'exports.showExport': [{ id: 'exp_1' }],
  'exports.readExportPart': [{ id: 'exp_1', number: 1 }],
  'events.publishEvents': [{ now: noon }],
  'webhooks.webhookGauges': [{ now: noon }],
  'database.inspectStore': [null],
  'settings.readSetting': [{ name: 'a' }],
}
