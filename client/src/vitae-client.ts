import type { Answer } from './answer.ts'
import type { Company, Person } from './contract.generated.ts'
import { type EventOptions, EventStream } from './event-stream.ts'
import { companyRequest, profileRequest } from './lookup-request.ts'
import type { ClientOptions, CompanyOptions, ProfileOptions } from './options.ts'
import { refuseBrowser } from './refuse-browser.ts'
import { sendLookup } from './send-lookup.ts'
import { readSettings } from './settings.ts'

/** Lookups of people. */
export type People = {
  /** Looks up one person by slug, member id or profile URL. */
  profile<const Field extends keyof Person>(
    id: string,
    options: ProfileOptions & { fields: readonly Field[] },
  ): Promise<Answer<Pick<Person, 'member_urn' | Field>>>
  profile(id: string, options?: ProfileOptions & { fields?: undefined }): Promise<Answer<Person>>
}

/** Lookups of companies. */
export type Companies = {
  /** Looks up one company by slug, company id or company, school or showcase URL. */
  details<const Field extends keyof Company>(
    id: string,
    options: CompanyOptions & { fields: readonly Field[] },
  ): Promise<Answer<Pick<Company, 'company_id' | Field>>>
  details(id: string, options?: CompanyOptions & { fields?: undefined }): Promise<Answer<Company>>
}

/** A caller of one Vitae service with one key. Share one for all calls; it holds no connection of its own. */
export class VitaeClient {
  readonly people: People
  readonly companies: Companies
  /** The events of the environment, in order: `for await (const event of client.events())`. */
  readonly events: (options?: EventOptions) => EventStream

  constructor(options: ClientOptions) {
    refuseBrowser()
    // Kept in this closure only, so that a client that is logged or serialised shows no key.
    const settings = readSettings(options)
    const profile = async (id: string, call: ProfileOptions = {}) =>
      sendLookup<Person>(settings, profileRequest(id, call), call)
    const details = async (id: string, call: CompanyOptions = {}) =>
      sendLookup<Company>(settings, companyRequest(id, call), call)
    this.people = { profile }
    this.companies = { details }
    this.events = (call = {}) => new EventStream(settings, call)
  }
}
