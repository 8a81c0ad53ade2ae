import type { operations } from '../../../src/app/store/operations.ts'
import { noon, secret, slugOf } from '../../records/store-fixture.ts'

type All = typeof operations
type Samples = { [Name in keyof All]?: Parameters<All[Name]>[1][] }

const page = { id: 1, after: 0, limit: 50 }
const ada = slugOf('ada')
const place = { project: 'acme', environment: 'production' }
const key = { environmentId: 1, keyId: 'k1', at: noon }
const names = { secret, after: '', limit: 50 }
const hash = 'f'.repeat(64)

/** Arguments of each plain-read operation for the test of query plans; several sets if filters change its statement. */
export const plainReads: Samples = {
  knownTime: [null],
  listRoutes: [null],
  findKey: [{ hash }, { id: 'k1' }, { batchId: 1 }],
  showKey: [{ id: 'k1', at: noon }],
  payerOfKey: [{ id: 'k1' }],
  payingKey: [
    { ...place, keyId: null, at: noon },
    { ...place, keyId: 'k1', at: noon },
  ],
  listTokens: [{ limit: 50, after: null }],
  findToken: [{ hash, at: noon }],
  listSessions: [{ at: noon, limit: 50 }],
  readAlerts: [place],
  creditBalance: [{ ...place, at: noon }],
  remainingCredits: [key],
  keySpending: [key],
  creditGauges: [{ limit: 50 }],
  receipt: [{ requestId: 'r1' }],
  paidAt: [{ environmentId: 1, entityId: 1 }],
  dayToSum: [
    { what: 'calls', before: noon },
    { what: 'fetches', before: noon },
  ],
  priceBooksFrom: [{ at: noon }],
  priceBookHistory: [{ limit: 50, before: 5 }],
  readRecord: [{ identifier: ada, suppressionHash: hash }],
  readFacts: [{ asked: [1, 2, 3].map(() => ({ identifier: ada, suppressionHash: hash })) }],
  companiesBySite: [{ domain: 'example.com', limit: 5 }],
  readVersion: [{ versionId: 1 }, { entityId: 1, providers: ['mirror'] }],
  history: [{ kind: 'people', ref: { identifier: ada } }],
  versionBody: [{ versionId: 1 }],
  paidVersions: [{ entityId: 1, environmentId: 1, before: null, limit: 50 }],
  findCompanyKeys: [{ slugs: ['example'] }],
  companyPage: [{ id: '1' }],
  findContacts: [{ kind: 'people', names: [{ type: 'email', value: hash }], secret, seesContact: true }],
  showEntity: [{ kind: 'people', ref: { identifier: ada } }, { ref: { key: 'urn:li:member:1' } }],
  auditSubjects: [{ kind: 'people', entityId: 1 }],
  rawPayload: [{ fetchId: 1 }],
  callDetails: [{ requestId: 'r1', entityId: 1 }],
  isSuppressed: [{ hashes: [hash] }],
  rewritesOf: [{ hashes: [hash] }],
  suppressionsOfSubjects: [{ hashes: [hash] }],
  listSuppressions: [{ limit: 50 }],
  findSuppressed: [{ secret, afterEntityId: 0, limit: 50 }],
  findSuppressedNames: (['aliases', 'fetches', 'calls', 'payloads', 'versions', 'watches', 'batches'] as const).map(
    (source) => ({ ...names, source }),
  ),
  planErasure: [{ kind: 'people', ref: { identifier: ada } }],
  workStopped: [null],
  countWatches: [1],
  watchBudget: [{ environmentId: 1, at: noon }],
  pausedKeys: [null],
  keyedBatchRows: [page],
  showBatch: [{ environmentId: 1, publicId: 'b1' }],
  ownedBatch: [{ publicId: 'b1' }],
  storedAmong: [{ kind: 'people', names: [{ type: 'slug', value: 'ada', hash }] }],
  claimBatches: [{ node: 'n', now: noon, leaseMs: 1, pauseAtMostMs: 1, limit: 1, ofEnvironment: 1, except: [] }],
  pendingBatchRows: [page],
  paidBatchRequests: [{ id: 1, environmentId: 1, hashes: [hash] }],
  erasedBatchRows: [page],
  readBatchRows: [{ ...page, kind: 'people', secret, hosts: [] }],
  peekBudget: [{ provider: 'mirror', month: '2027-01', limit: 5 }],
  budgetStates: [{ month: '2027-01' }],
  providerStates: [null],
  driftedProviders: [{ now: noon }],
  takeWebhookWork: [{ holder: 'h', held: null, leaseMs: 1, now: noon }],
  showDelivery: [{ id: 1 }],
  listWebhooks: [{ project: 'acme', limit: 50, after: null }],
  showWebhook: [{ id: 'wh1' }],
  showExport: [{ id: 'exp_1' }],
  readExportPart: [{ id: 'exp_1', number: 1 }],
  publishEvents: [{ now: noon }],
  webhookGauges: [{ now: noon }],
  inspectStore: [null],
  readSetting: [{ name: 'a' }],
}
