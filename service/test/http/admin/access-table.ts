const everyone = ['viewer', 'operator', 'billing', 'owner']
const nobody: string[] = []

/** Which roles a route lets in: without a limit, limited to the project it is about, and limited to another one. */
interface Access {
  all: readonly string[]
  own: readonly string[]
  foreign: readonly string[]
}

const rights = {
  /** Without any token. */
  open: { all: ['stranger', ...everyone], own: everyone, foreign: everyone },
  look: { all: everyone, own: everyone, foreign: nobody },
  /** A token of one project gets its own part of the answer, and never anything of another project. */
  lookAtPart: { all: everyone, own: everyone, foreign: everyone },
  lookAtService: { all: everyone, own: nobody, foreign: nobody },
  operate: { all: ['operator', 'owner'], own: ['operator', 'owner'], foreign: nobody },
  /** The same for a list: a token of one project gets its own part. */
  operateOwnPart: { all: ['operator', 'owner'], own: ['operator', 'owner'], foreign: ['operator', 'owner'] },
  operateService: { all: ['operator', 'owner'], own: nobody, foreign: nobody },
  /** Money: whoever runs one project does not decide what it may spend. */
  bill: { all: ['billing', 'owner'], own: ['billing'], foreign: nobody },
  /** Prices are those of all projects. */
  billService: { all: ['billing', 'owner'], own: nobody, foreign: nobody },
  own: { all: ['owner'], own: nobody, foreign: nobody },
} satisfies Record<string, Access>

interface Row {
  access: Access
  /** `{key}` stands for a key of acme. */
  query?: string
  /** A text is sent as CSV. */
  body?: object | string
}

const row = (right: keyof typeof rights, request: Omit<Row, 'access'> = {}): Row => {
  return { access: rights[right], ...request }
}
const place = { project: 'acme', environment: 'production' }
const environmentQuery = { query: 'project=acme&environment=production' }
const ids = { kind: 'people', ids: ['nobody'] }

/** Every admin operation, who may use it, and a request about project acme that is right in form. */
export const accessTable: Record<string, Row> = {
  signIn: row('open', { body: { token: 'nonsense' } }),
  showSession: row('lookAtPart'),
  signOut: row('lookAtPart'),
  searchAll: row('lookAtPart', { body: { text: 'acme' } }),
  listProjects: row('lookAtPart'),
  createProject: row('operate', { body: { name: 'acme', environments: ['staging'] } }),
  showProject: row('look'),
  updateProject: row('bill', { body: { suspended: false, billing_blocked: false } }),
  setRoute: row('operateService', { body: { environment: 'production', providers: null } }),
  deleteProject: row('operate'),
  listKeys: row('lookAtPart'),
  createKey: row('operate', { body: { ...place, mode: 'test' } }),
  showKey: row('look'),
  updateKey: row('operate', { body: { label: 'x' } }),
  rotateKey: row('operate', { body: { overlap: '1h' } }),
  revokeKey: row('operate', { body: {} }),
  showPrices: row('lookAtService'),
  priceHistory: row('lookAtService'),
  checkPrices: row('lookAtService', { body: { lines: [{ credits: 1 }] } }),
  setPrices: row('billService', { body: { lines: [{ credits: 1 }] } }),
  setRecurring: row('bill', { body: { ...place, monthly: 5 } }),
  listWatches: row('lookAtPart'),
  addWatches: row('operate', { body: { ...place, watches: [], dry_run: true } }),
  removeWatch: row('operateOwnPart'),
  submitBatch: row('operate', { query: 'key_id={key}&kind=people', body: 'id\nnobody\n' }),
  previewBatch: row('operate', { query: 'key_id={key}&kind=people', body: 'id\nnobody\n' }),
  listBatches: row('lookAtPart'),
  showBatch: row('look'),
  cancelBatch: row('operate'),
  resumeBatch: row('operate', { body: {} }),
  downloadBatch: row('operate'),
  listUnfoundRows: row('operate'),
  grantCredits: row('bill', { body: { ...place, amount: 1 } }),
  adjustCredits: row('bill', { body: { ...place, amount: 1 } }),
  setBudget: row('bill', { body: { ...place, monthly: 9 } }),
  creditBalance: row('look', environmentQuery),
  showAlerts: row('look', environmentQuery),
  setAlerts: row('operate', { body: { ...place, ceiling_percent: 80 } }),
  creditHistory: row('look', environmentQuery),
  readStatement: row('look', environmentQuery),
  verifyLedger: row('lookAtService'),
  showReceipt: row('lookAtPart'),
  showCall: row('lookAtPart'),
  listCalls: row('lookAtPart', { query: 'project=acme' }),
  readSavings: row('lookAtService'),
  readUsage: row('lookAtPart', { query: 'group=project&project=acme' }),
  readOverview: row('lookAtPart'),
  searchRecords: row('lookAtService'),
  listSuspects: row('lookAtService'),
  splitPerson: row('operateService', { body: { fetches: [1] } }),
  splitCompany: row('operateService', { body: { fetches: [1] } }),
  showPersonRecord: row('lookAtService'),
  showCompanyRecord: row('lookAtService'),
  listPersonVersions: row('lookAtService'),
  listCompanyVersions: row('lookAtService'),
  diffPersonVersions: row('lookAtService'),
  diffCompanyVersions: row('lookAtService'),
  showVersion: row('lookAtService'),
  readRawPayload: row('operateService'),
  refreshPersonRecord: row('operateService'),
  refreshCompanyRecord: row('operateService'),
  reprojectRecords: row('operateService', { body: {} }),
  importRecords: row('operateService', { body: { lines: [] } }),
  planPersonErasure: row('operateService'),
  planCompanyErasure: row('operateService'),
  erasePerson: row('own', { body: { reason: 'test' } }),
  eraseCompany: row('own', { body: { reason: 'test' } }),
  eraseRecords: row('own', { body: { ids: ['nobody'], kind: 'people', reason: 'test' } }),
  exportPerson: row('operateService'),
  exportCompany: row('operateService'),
  lookUp: row('operateService', { query: 'id=nobody&dry_run=true' }),
  listSuppressions: row('lookAtService'),
  exportSuppressions: row('operateService'),
  listErasures: row('lookAtService'),
  addSuppressions: row('operateService', { body: ids }),
  removeSuppressions: row('own', { body: ids }),
  importSuppressions: row('operateService', { body: { ...ids, origin: 'feed' } }),
  checkSuppressions: row('operateService', { body: ids }),
  planPurge: row('operateService', { query: 'provider=coresignal' }),
  purgeRecords: row('own', { body: { provider: 'coresignal' } }),
  planRetention: row('lookAtService'),
  runRetention: row('own'),
  makeBackup: row('own', { body: {} }),
  verifyBackup: row('own'),
  downloadBackup: row('own'),
  listBackups: row('lookAtService'),
  readWork: row('lookAtService'),
  resumeWork: row('own'),
  scoreProviders: row('lookAtService'),
  listProviders: row('lookAtService'),
  checkProvider: row('operateService'),
  pauseProvider: row('operateService', { body: {} }),
  resumeProvider: row('operateService', { body: {} }),
  listTokens: row('own'),
  createToken: row('own', { body: { role: 'viewer', label: null } }),
  revokeToken: row('own'),
  listSessions: row('own'),
  endSession: row('own', { body: {} }),
  endSessionsOf: row('own', { body: { person: 'nobody@team.example' } }),
  listWebhooks: row('operateOwnPart'),
  createWebhook: row('operate', { body: { ...place, url: 'https://hooks.example/', events: ['credits.low'] } }),
  showWebhook: row('operate'),
  updateWebhook: row('operate', { body: { format: 'slack' } }),
  deleteWebhook: row('operate'),
  rotateWebhook: row('operate', { body: { overlap: '1h' } }),
  testWebhook: row('operate'),
  listWebhookDeliveries: row('operate'),
  redeliverWebhook: row('operate', { body: {} }),
  listParkedEvents: row('operate'),
  retryParkedEvents: row('operate'),
  listWebhookQueue: row('operate'),
  skipWebhookEvent: row('operate', { body: { event: 'evt_nothing' } }),
  showWebhookPayload: row('operate'),
  listAudit: row('lookAtService'),
  verifyAudit: row('lookAtService'),
  readSettings: row('lookAtService'),
  runDoctor: row('operateService'),
}
