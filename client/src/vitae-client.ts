import type { Answer, Credits, MatchedAnswer, ResolvedCompanies } from './answers/answer.ts'
import { type HeaderReader, readCredits } from './answers/answer-headers.ts'
import { type Batches, openBatches } from './batches.ts'
import type {
  Account,
  Company,
  CompanyMatches,
  Person,
  Preflight,
  Receipt,
  RecordHistory,
  RecordProvenance,
  RecordChanges,
  Statement,
  Usage,
} from './contract.generated.ts'
import { CreditLimit } from './credit-limit.ts'
import { type EventOptions, EventStream } from './event-stream.ts'
import {
  accountRequest,
  companyRequest,
  matchCompanyRequest,
  matchPersonRequest,
  type ApiRequest,
  historyRequest,
  preflightOf,
  profileRequest,
  provenanceRequest,
  receiptRequest,
  resolveRequest,
  usageRequest,
  statementRequest,
  recordChangesRequest,
} from './calls/lookup-request.ts'
import type {
  CallOptions,
  ClientOptions,
  CompanyMatch,
  CompanyOptions,
  HistoryOptions,
  MatchCompanyOptions,
  MatchPersonOptions,
  PersonMatch,
  ProfileOptions,
  ResolveOptions,
  RecordChangesOptions,
  StatementOptions,
  UsageOptions,
} from './calls/options.ts'
import { parseObject } from './answers/parse-object.ts'
import { readMatched } from './answers/read-answer.ts'
import { refuseBrowser } from './calls/refuse-browser.ts'
import { sendLookup, sendRequest } from './calls/send-lookup.ts'
import { readSettings } from './calls/settings.ts'
import { openWatches, type Watches } from './watches.ts'

/** Lookups of people. */
export type People = {
  /** Looks up one person by slug, member id or profile URL. */
  profile<const Field extends keyof Person>(
    id: string,
    options: ProfileOptions & { fields: readonly Field[] },
  ): Promise<Answer<Pick<Person, 'member_urn' | Field>>>
  profile(id: string, options?: ProfileOptions & { fields?: undefined }): Promise<Answer<Person>>
  /** The expected source and price of that lookup now. Free. */
  preflight(id: string, options?: ProfileOptions): Promise<Preflight>
  /** The versions of a person that the environment paid for, newest first, with the changes. Free. */
  history(id: string, options?: HistoryOptions): Promise<RecordHistory>
  /** The provider and fetch time of each unit of the record. Free. */
  provenance(id: string, options?: CallOptions): Promise<RecordProvenance>
  /** Finds a person by e-mail address, phone number, or a name with a company. */
  match<Field extends keyof Person>(
    held: PersonMatch,
    options: MatchPersonOptions & { fields: readonly Field[] },
  ): Promise<MatchedAnswer<Pick<Person, Field | 'member_urn'>>>
  match(held: PersonMatch, options?: MatchPersonOptions & { fields?: undefined }): Promise<MatchedAnswer<Person>>
}

/** Lookups of companies. */
export type Companies = {
  /** Looks up one company by slug, company id or company, school or showcase URL. */
  details<const Field extends keyof Company>(
    id: string,
    options: CompanyOptions & { fields: readonly Field[] },
  ): Promise<Answer<Pick<Company, 'company_id' | Field>>>
  details(id: string, options?: CompanyOptions & { fields?: undefined }): Promise<Answer<Company>>
  /** The expected source and price of that lookup now. Free. */
  preflight(id: string, options?: CompanyOptions): Promise<Preflight>
  /** The versions of a company that the environment paid for, newest first, with the changes. Free. */
  history(id: string, options?: HistoryOptions): Promise<RecordHistory>
  /** The provider and fetch time of each unit of the record. Free. */
  provenance(id: string, options?: CallOptions): Promise<RecordProvenance>
  /** Finds a company by name or domain. */
  match<Field extends keyof Company>(
    held: CompanyMatch,
    options: MatchCompanyOptions & { fields: readonly Field[] },
  ): Promise<MatchedAnswer<Pick<Company, Field | 'company_id'>>>
  match(held: CompanyMatch, options?: MatchCompanyOptions & { fields?: undefined }): Promise<MatchedAnswer<Company>>
}

/** A client of one Vitae service with one key. Share one instance for all calls; it keeps no connection of its own. */
export class VitaeClient {
  readonly people: People
  readonly companies: Companies
  /** Lists of lookups in the background. Each batch has its own `maxCredits`. */
  readonly batches: Batches
  /** Records that the service refreshes regularly. */
  readonly watches: Watches
  /** The events of the environment, in order: `for await (const event of client.events())`. */
  readonly events: (options?: EventOptions) => EventStream
  /** The permissions of the key, the remaining credits, and the prices. Free. */
  readonly account: (options?: CallOptions) => Promise<Account>
  /** The rest of `maxCredits`, without the reservations of calls in progress; null without a limit. */
  readonly creditsLeft: () => number | null
  /** Calls and credits of all keys of the environment, by day, tag or endpoint. Free. */
  readonly usage: (options?: UsageOptions) => Promise<Usage>
  /** Balances, grants and charges of a month such as `2026-10`. Default: the current month. Free. */
  readonly statement: (options?: StatementOptions) => Promise<Statement>
  /**
   * A page of changes to record keys that you hold: merged, split, purged, erased. Continue with its `next` as `after`.
   * Free.
   */
  readonly recordChanges: (options?: RecordChangesOptions) => Promise<RecordChanges>
  /** The cost of one call and the reason, by the `requestId` of its answer. Free. */
  readonly receipt: (requestId: string, options?: CallOptions) => Promise<Receipt>
  /** The companies with a site at a domain, which may be given as a URL. */
  readonly resolveCompany: (domain: string, options?: ResolveOptions) => Promise<ResolvedCompanies>

  constructor(options: ClientOptions = {}) {
    refuseBrowser()
    // Only this closure holds the settings, so that a logged or serialised client shows no key.
    const settings = readSettings(options)
    const account = (call: CallOptions = {}) => sendRequest(settings, accountRequest(), call, readObject<Account>)
    const { maxCredits } = options
    const limit = maxCredits === undefined ? null : new CreditLimit(maxCredits, account)
    this.creditsLeft = () => limit && limit.left
    const paid: Paid = (endpoint, request, call) =>
      limit ? limit.spend(endpoint, request.idempotencyKey, call) : call()
    const profile = async (id: string, call: ProfileOptions = {}) => {
      const request = profileRequest(id, call)
      return paid('people', request, () => sendLookup<Person>(settings, request, call))
    }
    const details = async (id: string, call: CompanyOptions = {}) => {
      const request = companyRequest(id, call)
      return paid('companies', request, () => sendLookup<Company>(settings, request, call))
    }
    const matchPerson = async (held: PersonMatch, call: MatchPersonOptions = {}) => {
      const request = matchPersonRequest(held, call)
      return paid('match', request, () => sendRequest(settings, request, call, readMatched<Person>))
    }
    const matchCompany = async (held: CompanyMatch, call: MatchCompanyOptions = {}) => {
      const request = matchCompanyRequest(held, call)
      return paid('match', request, () => sendRequest(settings, request, call, readMatched<Company>))
    }
    const preflight = (request: ApiRequest, call: CallOptions) =>
      sendRequest(settings, preflightOf(request), call, readObject<Preflight>)
    this.account = async (call) => account(call)
    this.resolveCompany = async (domain, call = {}) => {
      const request = resolveRequest(domain, call)
      return paid('resolve', request, () => sendRequest(settings, request, call, readResolved))
    }
    const read = <Result extends object>(request: ApiRequest, call: CallOptions) =>
      sendRequest(settings, request, call, readObject<Result>)
    this.usage = async (call = {}) => read(usageRequest(call), call)
    this.statement = async (call = {}) => read(statementRequest(call), call)
    this.recordChanges = async (call = {}) => read(recordChangesRequest(call), call)
    this.receipt = async (requestId, call = {}) => read(receiptRequest(requestId), call)
    this.people = {
      profile,
      preflight: async (id, call = {}) => preflight(profileRequest(id, call), call),
      history: async (id, call = {}) => read(historyRequest('people', id, call), call),
      provenance: async (id, call = {}) => read(provenanceRequest('people', id), call),
      match: matchPerson,
    }
    this.companies = {
      details,
      preflight: async (id, call = {}) => preflight(companyRequest(id, call), call),
      history: async (id, call = {}) => read(historyRequest('companies', id, call), call),
      provenance: async (id, call = {}) => read(provenanceRequest('companies', id), call),
      match: matchCompany,
    }
    this.batches = openBatches(settings)
    this.watches = openWatches(settings, (request, call) => paid('match', request, call))
    this.events = (call = {}) => new EventStream(settings, call)
  }
}

/** Makes a call that may cost credits, within the client's limit. */
type Paid = <Result extends { credits: Credits }>(
  endpoint: keyof Account['prices']['highest'],
  request: ApiRequest,
  call: () => Promise<Result>,
) => Promise<Result>

/** A response without provenance. A proxy's page has no request id, so it is rejected. */
function readObject<Result extends object>(headers: HeaderReader, body: string): Result | null {
  return headers.get('x-request-id') === null ? null : (parseObject(body) as Result | null)
}

function readResolved(headers: HeaderReader, body: string): ResolvedCompanies | null {
  const matches = readObject<CompanyMatches>(headers, body)
  if (!matches || !Array.isArray(matches.candidates)) return null
  const replayed = headers.get('idempotent-replayed') === 'true'
  return { ...matches, credits: readCredits(headers), requestId: headers.get('x-request-id'), replayed }
}
