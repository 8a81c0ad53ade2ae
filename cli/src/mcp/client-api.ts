import { type Answer, type Company, type Person, type ProfileOptions, VitaeClient, VitaeError } from '@vitae/client'
import type { Account, Kind } from '@vitae/contract'
import { type FoundRecord, type ReadAnswer, type ToolApi, ToolFailure, type ToolQuery } from '@vitae/service/mcp-api'
import { SessionBudget } from './session-budget.ts'

export interface Session {
  apiKey: string
  baseUrl: string
  /** Null where none was given. */
  maxCredits: number | null
}

type Route = keyof Account['prices']['highest']

/** Prices are configuration of the service, which may be started again while a session lasts. */
const pricesGoodForMs = 60_000
const resolvePath = '/v1/companies/resolve'

/** What tools do on standard input and output: calls over HTTP, within what the session may spend. */
export function clientApi(session: Session): ToolApi {
  const { apiKey, baseUrl, maxCredits } = session
  const live = !apiKey.startsWith('vt_test_')
  const client = new VitaeClient({ apiKey, baseUrl })
  const budget = new SessionBudget(maxCredits ?? 0)
  const highestPrice = priceReader(session)
  const within = async <Result extends { charged: number }>(route: Route, call: () => Promise<Result>) =>
    live ? budget.spend(await highestPrice(route), call) : call()
  return {
    spendingRefusal: live && maxCredits === null ? noLimit : null,
    lookup: async (kind, query) => within(kind, () => lookUp(client, kind, query)),
    read: async (path, query) => {
      const call = () => read(session, path, query)
      return path === resolvePath ? within('resolve', call) : call()
    },
    left: async () => (live && maxCredits !== null ? budget.left : null),
  }
}

const noLimit =
  'This session has no limit, and with a live key tools that cost credits need one. Start it with "vitae mcp --max-credits 100".'

/** The most that one call can cost, by the service's own prices. */
function priceReader(session: Session): (route: Route) => Promise<number> {
  let known: { prices: Promise<ReadAnswer>; at: number } | null = null
  return async (route) => {
    const now = performance.now()
    if (!known || now - known.at > pricesGoodForMs) known = { prices: read(session, '/v1/account', {}), at: now }
    try {
      const { prices } = (await known.prices).body as unknown as Account
      return prices.highest[route]
    } catch (error) {
      known = null
      throw error
    }
  }
}

async function lookUp(client: VitaeClient, kind: Kind, query: ToolQuery): Promise<FoundRecord> {
  const options = optionsOf(query)
  // The service refuses names that a record does not have.
  const fields = query['fields']?.split(',')
  try {
    if (kind === 'people') {
      const id = query['profile_id'] ?? ''
      const found = fields
        ? client.people.profile(id, { ...options, fields: fields as (keyof Person)[] })
        : client.people.profile(id, options)
      return foundIn(await found)
    }
    const id = query['company_id'] ?? ''
    const found = fields
      ? client.companies.details(id, { ...options, fields: fields as (keyof Company)[] })
      : client.companies.details(id, options)
    return foundIn(await found)
  } catch (error) {
    if (!(error instanceof VitaeError)) throw error
    const { code, detail, retryAfterSeconds, status } = error
    throw new ToolFailure(code, detail, retryAfterSeconds, status !== null)
  }
}

function optionsOf(query: ToolQuery): Omit<ProfileOptions, 'fields'> {
  const days = query['max_age_days']
  return {
    ...(days === undefined ? {} : { maxAgeDays: Number(days) }),
    ...(query['require'] === undefined ? {} : { require: query['require'].split(',') }),
    bypassCache: query['bypass_cache'] === 'true',
    includeContactInfo: query['include_contact_info'] === 'true',
    includeNetworkInfo: query['include_network_info'] === 'true',
    getVerificationDetails: query['get_verification_details'] === 'true',
  }
}

function foundIn({
  record,
  source,
  fetchedAt,
  ageSeconds,
  sourceUpdatedAt,
  thin,
  credits,
}: Answer<object>): FoundRecord {
  return {
    record: { ...record },
    source,
    fetchedAt: fetchedAt.toISOString(),
    ageSeconds,
    sourceUpdatedAt: sourceUpdatedAt?.toISOString() ?? null,
    thin,
    charged: credits.charged ?? 0,
  }
}

async function read({ apiKey, baseUrl }: Session, path: string, query: ToolQuery): Promise<ReadAnswer> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}?${new URLSearchParams(query).toString()}`
  const signal = AbortSignal.timeout(60_000)
  const response = await fetch(url, { headers: { ApiKey: apiKey }, redirect: 'manual', signal }).catch(() => null)
  if (!response) throw new ToolFailure('connection_failed', `No Vitae answers at ${baseUrl}.`, null, false)
  const text = await response.text()
  if (response.status === 200) {
    const charged = Number(response.headers.get('x-credits-charged') ?? 0)
    return { body: JSON.parse(text) as Record<string, unknown>, charged }
  }
  throw failureIn(text, response)
}

function failureIn(text: string, { headers }: Response): ToolFailure {
  const wait = headers.get('retry-after')
  const { code, detail } = headers.get('content-type')?.includes('problem')
    ? (JSON.parse(text) as { code: string; detail: string })
    : { code: text.slice(0, 100), detail: text.slice(0, 100) }
  return new ToolFailure(code, detail, wait === null ? null : Number(wait))
}
