import { eventTypes } from '@vitae/contract'
import { createApiKey, displayApiKey, hashApiKey } from '../../../src/accounts/api-key.ts'
import { newWebhookSecret, sealSecret } from '../../../src/events/webhooks/secrets.ts'
import { eraseRecord } from '../../../src/lifecycle/erasure/erase-record.ts'
import { Failure } from '../../../src/foundation/failure.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import type { SimulatedKey } from '../laws/call.ts'
import type { Oracle } from '../laws/oracle.ts'
import { contactPrice } from '../world/terms.ts'
import type { Random } from '../world/random.ts'
import type { Life } from '../world/simulated-service.ts'

interface Deps {
  clock: Clock
  oracle: Oracle
  life(): Life
  /** The time between setting a price book and its start, so that every node has read it. */
  bookLeadMs: number
}

const actor = 'simulation'
/** The settings of a key without limits. */
const settings = {
  label: null,
  rate_limit: null,
  rate_window_ms: null,
  endpoints: null,
  parts: null,
  networks: null,
  expires_at: null,
  ceiling: null,
  daily_ceiling: null,
}

/**
 * Operators' changes go through the same store beside the calls. Their guarantees hold from the moment they are
 * reported as done.
 */
export class Operator {
  readonly #deps: Deps
  #suspensions = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A negative amount is a correction that removes credits. */
  async grant(environment: string, amount: number): Promise<void> {
    const told = this.#deps.oracle.grants(environment, amount)
    const args = { ...nameOf(environment), amount, ...this.#by }
    try {
      await (amount > 0 ? this.#store.grants.grantCredits(args) : this.#store.grants.adjustCredits(args))
    } catch (error) {
      if (error instanceof Failure && error.code === 'invalid_request') told.refused()
      throw error
    }
    told.done()
  }

  async setBudget(environment: string, monthly: number | null): Promise<void> {
    await this.#store.grants.setBudget({ ...nameOf(environment), monthly, ...this.#by })
  }

  /** Returns the id of the environment. */
  async setRoute(environment: string, route: string[]): Promise<number> {
    await this.#store.projects.setRoute({ ...nameOf(environment), route, reason: null, ...this.#by })
    await this.#deps.life().service.keysChanged()
    const key = this.#deps.oracle.keys.find((one) => one.environment === environment)
    return (await this.#store.keys.payerOfKey({ id: key?.id ?? '' })).environmentId
  }

  /** Each price book has a different price than the previous one, so held and paid amounts show which book was used. */
  async setPrices(inMs: number): Promise<void> {
    const { clock, oracle } = this.#deps
    const credits = oracle.nextPrice()
    const at = clock.now()
    const book = {
      lines: [{ credits }],
      parts: [{ part: 'contact' as const, credits: contactPrice }],
      validFrom: at + Math.max(inMs, this.#deps.bookLeadMs),
      earliest: at,
    }
    await this.#store.prices.addPriceBook({ ...book, ...this.#by })
    await this.#deps.life().service.pricesChanged()
  }

  async setRecurring(environment: string, monthly: number | null, carryOver: boolean): Promise<void> {
    await this.#store.grants.setRecurring({ ...nameOf(environment), monthly, carryOver, ...this.#by })
  }

  /** Every environment keeps one valid key. */
  async revoke(key: SimulatedKey): Promise<void> {
    const alive = this.#deps.oracle.keys.filter((one) => one.revokedAt === null && one.environment === key.environment)
    if (alive.length < 2) return
    await this.#change(this.#store.keys.revokeKey({ id: key.id, reason: null, ...this.#by }), () => this.#ended(key))
  }

  /** With an overlap, the old key ends that much later, at the same moment on every node. */
  async rotate(old: SimulatedKey, overlapMs = 0): Promise<void> {
    const endsAt = this.#deps.clock.now() + overlapMs
    const { text, made } = newKey(this.#deps.oracle.testKeys.includes(old) ? 'test' : 'live')
    const rotated = this.#store.keys.rotateKey({ id: old.id, ...made, overlapMs, ...this.#by })
    const { keys, testKeys } = this.#deps.oracle
    const list = testKeys.includes(old) ? testKeys : keys
    const added = rotated.then(({ id }) => list.push({ ...old, id, text, revokedAt: null }))
    await this.#change(added, () => (overlapMs === 0 ? this.#ended(old) : (old.revokedAt ??= endsAt)))
  }

  async suspend(environment: string, random: Random): Promise<void> {
    const { oracle } = this.#deps
    const suspended = random.chance(0.4)
    const { project: name } = nameOf(environment)
    // The last change of a project wins.
    const number = ++this.#suspensions
    oracle.mayBeResumed(name)
    const change = this.#store.projects.setProjectState({ name, suspended, reason: null, ...this.#by })
    const isLast = () => number === this.#suspensions
    await this.#change(change, () => suspended && isLast() && oracle.suspended(name, this.#deps.clock.now()))
  }

  async erase(slug: string): Promise<void> {
    const { clock, oracle } = this.#deps
    const began = clock.now()
    const { service } = this.#deps.life()
    const { store, suppressions, recordsChanged } = service
    const deps = { clock, secret: service.lookup.secret, store, suppressions, recordsChanged, rewriteAtMs: 0 }
    const ref = { identifier: { kind: 'people' as const, type: 'slug' as const, value: slug } }
    await eraseRecord(deps, { kind: 'people', ref, reason: actor, actor })
    oracle.erasures.erased(slug, began)
  }

  /** Grants every environment enough credits, and removes suspensions and budgets. */
  async resumeAll(environments: readonly string[]): Promise<void> {
    for (const environment of environments) {
      const { project } = nameOf(environment)
      this.#deps.oracle.mayBeResumed(project)
      await this.#store.projects.setProjectState({ name: project, suspended: false, reason: null, ...this.#by })
      await this.setBudget(environment, null)
      await this.grant(environment, 100)
    }
    await this.#deps.life().service.keysChanged()
  }

  async makeKey(environment: string, ceiling: number | null, dailyCeiling: number | null): Promise<void> {
    const { text, made } = newKey()
    const own = { ...settings, ceiling, daily_ceiling: dailyCeiling }
    const named = { ...nameOf(environment), mode: 'live' as const, ...made }
    const { id } = await this.#store.keys.createKey({ ...named, settings: own, ...this.#by })
    this.#deps.oracle.keys.push({ id, text, environment, chain: id, ceiling, dailyCeiling, revokedAt: null })
  }

  async makeTestKey(environment: string): Promise<void> {
    const { text, made } = newKey('test')
    const { id } = await this.#store.keys.createKey({
      ...nameOf(environment),
      mode: 'test',
      ...made,
      settings,
      ...this.#by,
    })
    const none = { ceiling: null, dailyCeiling: null, revokedAt: null }
    this.#deps.oracle.testKeys.push({ id, text, environment, chain: id, ...none })
  }

  async makeWebhook(environment: string, name: string): Promise<void> {
    const { service } = this.#deps.life()
    const secret = sealSecret(service.lookup.secret, name, newWebhookSecret())
    const where = { ...nameOf(environment), url: `http://203.0.113.1/${name}` }
    const what = { events: eventTypes, format: 'json' as const, secret, atMost: 10 }
    await this.#store.webhooks.createWebhook({ id: name, ...where, ...what, ...this.#by })
  }

  /** Reactivates a paused endpoint. */
  async resumeWebhook(id: string): Promise<void> {
    await this.#store.webhooks.updateWebhook({ id, change: { state: 'active' }, ...this.#by })
  }

  #ended(key: SimulatedKey): void {
    key.revokedAt ??= this.#deps.clock.now()
  }

  /** A change takes effect before it is reported as done. A change without a reported result may have been made. */
  async #change(change: Promise<unknown>, done: () => unknown): Promise<void> {
    const { service } = this.#deps.life()
    await change
    await service.keysChanged()
    done()
  }

  get #store() {
    return this.#deps.life().service.store
  }

  get #by() {
    return { actor, at: this.#deps.clock.now() }
  }
}

function nameOf(path: string): { project: string; environment: string } {
  const [project = '', environment = ''] = path.split('/')
  return { project, environment }
}

function newKey(mode: 'live' | 'test' = 'live') {
  const text = createApiKey(mode)
  return { text, made: { hash: hashApiKey(text), display: displayApiKey(text) } }
}
