import { type AdminOperation, type AdminOperationId, type Role, roles, rolesThatMay } from '@vitae/contract/admin'

/**
 * The roles that an operation admits: unrestricted, restricted to the project in question, and restricted to another
 * one.
 */
export interface Access {
  all: readonly string[]
  own: readonly string[]
  foreign: readonly string[]
}

/** The access of an operation, from its row. */
export function accessOf({ role, scope }: AdminOperation): Access {
  if (role === null) return { all: ['stranger', ...roles], own: roles, foreign: roles }
  const all = rolesThatMay[role]
  // An operator of one project does not decide what it may spend.
  const limited: readonly Role[] = role === 'billing' ? ['billing'] : all
  const own = scope === 'whole service' ? [] : limited
  return { all, own, foreign: scope === 'own part' ? own : [] }
}

interface Request {
  /** `{key}` is replaced by a key of acme. */
  query?: string
  /** A string is sent as CSV. */
  body?: object | string
}

const place = { project: 'acme', environment: 'production' }
const environmentQuery = { query: 'project=acme&environment=production' }
const ids = { kind: 'people', ids: ['nobody'] }

/** A well-formed request about project acme, for each operation that needs a query or a body. */
export const requests: Partial<Record<AdminOperationId, Request>> = {
  signIn: { body: { token: 'nonsense' } },
  searchAll: { body: { text: 'acme' } },
  createProject: { body: { name: 'acme', environments: ['staging'] } },
  updateProject: { body: { suspended: false, billing_blocked: false } },
  setRoute: { body: { environment: 'production', providers: null } },
  createKey: { body: { ...place, mode: 'test' } },
  updateKey: { body: { label: 'x' } },
  rotateKey: { body: { overlap: '1h' } },
  revokeKey: { body: {} },
  checkPrices: { body: { lines: [{ credits: 1 }] } },
  previewPrices: { body: { lines: [{ credits: 1 }] } },
  setPrices: { body: { lines: [{ credits: 1 }] } },
  setRecurring: { body: { ...place, monthly: 5 } },
  addWatches: { body: { ...place, watches: [], dry_run: true } },
  submitBatch: { query: 'key_id={key}&kind=people', body: 'id\nnobody\n' },
  previewBatch: { query: 'key_id={key}&kind=people', body: 'id\nnobody\n' },
  resumeBatch: { body: {} },
  grantCredits: { body: { ...place, amount: 1 } },
  adjustCredits: { body: { ...place, amount: 1 } },
  setBudget: { body: { ...place, monthly: 9 } },
  creditBalance: environmentQuery,
  showAlerts: environmentQuery,
  setAlerts: { body: { ...place, ceiling_percent: 80 } },
  creditHistory: environmentQuery,
  readStatement: environmentQuery,
  listCalls: { query: 'project=acme' },
  beginExport: { body: { list: 'listKeys' } },
  readUsage: { query: 'group=project&project=acme' },
  splitPerson: { body: { fetches: [1] } },
  splitCompany: { body: { fetches: [1] } },
  reprojectRecords: { body: {} },
  importRecords: { body: { lines: [] } },
  erasePerson: { body: { reason: 'test' } },
  eraseCompany: { body: { reason: 'test' } },
  eraseRecords: { body: { ids: ['nobody'], kind: 'people', reason: 'test' } },
  lookUp: { query: 'id=nobody&dry_run=true' },
  addSuppressions: { body: ids },
  removeSuppressions: { body: ids },
  importSuppressions: { body: { ...ids, origin: 'feed' } },
  checkSuppressions: { body: ids },
  planPurge: { query: 'provider=coresignal' },
  purgeRecords: { body: { provider: 'coresignal' } },
  makeBackup: { body: {} },
  confirmProvider: { body: { id: 'nobody' } },
  pauseProvider: { body: {} },
  resumeProvider: { body: {} },
  createToken: { body: { role: 'viewer', label: null } },
  endSession: { body: {} },
  endSessionsOf: { body: { person: 'nobody@team.example' } },
  createWebhook: { body: { ...place, url: 'https://hooks.example/', events: ['credits.low'] } },
  updateWebhook: { body: { format: 'slack' } },
  rotateWebhook: { body: { overlap: '1h' } },
  redeliverWebhook: { body: {} },
  skipWebhookEvent: { body: { event: 'evt_nothing' } },
}
