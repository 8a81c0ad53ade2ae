import {
  type Answer,
  type Company,
  type Person,
  type ProfileOptions,
  VitaeClient,
  VitaeError,
  VitaeMaxCreditsError,
} from '@vitae/client'
import type { Kind, ReadPath } from '@vitae/contract'
import { type FoundRecord, type ReadAnswer, type ToolApi, ToolFailure, type ToolQuery } from '@vitae/service/mcp-api'

export interface Session {
  apiKey: string
  baseUrl: string
  /** Null without a limit. */
  maxCredits: number | null
}

const resolvePath: ReadPath = '/v1/companies/resolve'

/** The API of tools over standard input and output. It calls the service over HTTP, within the session's credit limit. */
export function clientApi(session: Session): ToolApi {
  const { apiKey, baseUrl, maxCredits } = session
  const live = !apiKey.startsWith('vt_test_')
  const client = new VitaeClient({ apiKey, baseUrl, ...(live ? { maxCredits: maxCredits ?? 0 } : {}) })
  return {
    spendingRefusal: live && maxCredits === null ? noLimit : null,
    lookup: async (kind, query) => withToolFailures(session, () => lookUp(client, kind, query)),
    match: async (kind, held) => withToolFailures(session, () => match(client, kind, held)),
    read: async (path, query) =>
      path === resolvePath ? withToolFailures(session, () => resolve(client, query)) : read(session, path, query),
    left: async () => (maxCredits === null ? null : client.creditsLeft()),
  }
}

const noLimit =
  'This session has no limit, and with a live key tools that cost credits need one. Start it with "vitae mcp --max-credits 100".'

/** Turns the client's errors into tool failures. */
async function withToolFailures<Result>({ maxCredits }: Session, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof VitaeError)) throw error
    const { code, detail, retryAfterSeconds } = error
    if (!(error instanceof VitaeMaxCreditsError)) throw new ToolFailure(code, detail, retryAfterSeconds)
    throw new ToolFailure(
      'session_limit_reached',
      `This session may spend ${maxCredits} credits (--max-credits): ${detail}. Nothing was asked for. A new session with another --max-credits may spend again.`,
    )
  }
}

async function lookUp(client: VitaeClient, kind: Kind, query: ToolQuery): Promise<FoundRecord> {
  const options = optionsOf(query)
  // The service refuses unknown field names.
  const fields = query['fields']?.split(',')
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
}

/** Agents use the service's names; the client uses camel case. */
async function match(client: VitaeClient, kind: Kind, held: Record<string, unknown>): Promise<FoundRecord> {
  const { fields, require, ...others } = held
  const named = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
  const lists = {
    ...(typeof fields === 'string' ? { fields: fields.split(',').map((field) => field.trim()) } : {}),
    ...(typeof require === 'string' ? { require: require.split(',') } : {}),
  }
  // Both arguments get all names: each ignores the other's, and no name belongs to both. The service refuses unknown fields.
  const options = { ...named, ...lists } as object
  const answer =
    kind === 'people' ? await client.people.match(named, options) : await client.companies.match(named, options)
  const { likelihood, matchedOn } = answer
  return { ...foundIn(answer), match: { likelihood, matchedOn } }
}

async function resolve(client: VitaeClient, query: ToolQuery): Promise<ReadAnswer> {
  const { credits, requestId: _, replayed: __, ...body } = await client.resolveCompany(query['domain'] ?? '')
  return { body, charged: credits.charged ?? 0 }
}

function optionsOf(query: ToolQuery): Omit<ProfileOptions, 'fields'> {
  const days = query['max_age_days']
  return {
    ...(days === undefined ? {} : { maxAgeDays: Number(days) }),
    ...(query['require'] === undefined ? {} : { require: query['require'].split(',') }),
    expect: expectOf(query),
    bypassCache: query['bypass_cache'] === 'true',
    includeContactInfo: query['include_contact_info'] === 'true',
    includeNetworkInfo: query['include_network_info'] === 'true',
    getVerificationDetails: query['get_verification_details'] === 'true',
  }
}

/** The expectations by the client's names: `expect.last_name` becomes `lastName`. */
function expectOf(query: ToolQuery): NonNullable<ProfileOptions['expect']> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      name.startsWith('expect.')
        ? [[name.slice('expect.'.length).replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()), value]]
        : [],
    ),
  )
}

function foundIn({
  record,
  source,
  fetchedAt,
  ageSeconds,
  sourceUpdatedAt,
  thin,
  filledFrom,
  credits,
}: Answer<object>): FoundRecord {
  return {
    record: { ...record },
    source,
    fetchedAt: fetchedAt.toISOString(),
    ageSeconds,
    sourceUpdatedAt: sourceUpdatedAt?.toISOString() ?? null,
    thin,
    filledFrom,
    charged: credits.charged ?? 0,
  }
}

async function read({ apiKey, baseUrl }: Session, path: string, query: ToolQuery): Promise<ReadAnswer> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}?${new URLSearchParams(query).toString()}`
  const signal = AbortSignal.timeout(60_000)
  const response = await fetch(url, { headers: { ApiKey: apiKey }, redirect: 'manual', signal }).catch(() => null)
  if (!response) throw new ToolFailure('connection_failed', `No Vitae answers at ${baseUrl}.`)
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
