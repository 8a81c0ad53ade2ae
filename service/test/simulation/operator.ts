import { createApiKey, displayApiKey, hashApiKey } from '../../src/accounts/api-key.ts'
import { eraseRecord } from '../../src/lifecycle/records/erase-record.ts'
import type { Clock } from '../../src/foundation/clock.ts'
import type { Oracle, SimulatedKey } from './oracle.ts'
import type { Random } from './random.ts'
import type { Life } from './simulated-service.ts'

interface Deps {
  clock: Clock
  random: Random
  oracle: Oracle
  keys: SimulatedKey[]
  life(): Life
}

const actor = 'simulation'

/** What operators do goes through the same store, beside the calls. What it promises holds from the moment it is reported as done. */
export class Operator {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async grant(account: string, amount: number): Promise<void> {
    await this.#store.grantCredits({ ...nameOf(account), amount, ...this.#by })
    this.#deps.oracle.granted(account, amount)
  }

  async setBudget(account: string): Promise<void> {
    await this.#store.setBudget({ ...nameOf(account), monthly: this.#deps.random.chance(0.5) ? null : 60, ...this.#by })
  }

  /** Every environment keeps a key that works. */
  async revoke(key: SimulatedKey): Promise<void> {
    const alive = this.#deps.keys.filter(({ revoked, account }) => !revoked && account === key.account)
    if (alive.length < 2) return
    await this.#change(this.#store.revokeKey({ id: key.id, reason: null, ...this.#by }), () => (key.revoked = true))
  }

  async rotate(old: SimulatedKey): Promise<void> {
    const { text, made } = newKey()
    const rotated = this.#store.rotateKey({ id: old.id, ...made, overlapMs: 0, ...this.#by })
    const added = rotated.then(({ id }) => this.#deps.keys.push({ ...old, id, text, revoked: false }))
    await this.#change(added, () => (old.revoked = true))
  }

  async suspend(account: string): Promise<void> {
    const { random, oracle } = this.#deps
    const suspended = random.chance(0.4)
    const { project: name } = nameOf(account)
    if (!suspended) oracle.suspended(account, false)
    const change = this.#store.setProjectState({ name, suspended, reason: null, ...this.#by })
    await this.#change(change, () => suspended && oracle.suspended(account, true))
  }

  async erase(slug: string): Promise<void> {
    const { clock, oracle } = this.#deps
    const { service, store } = this.#deps.life()
    const deps = { clock, secret: service.lookup.secret, store: service.store, recordsChanged: service.recordsChanged }
    const ref = { identifier: { kind: 'people' as const, type: 'slug' as const, value: slug } }
    await store.atOnce(() => eraseRecord(deps, { kind: 'people', ref, reason: actor, actor }))
    oracle.erased(slug)
  }

  async makeKey(account: string, ceiling: number | null, dailyCeiling: number | null): Promise<void> {
    const { text, made } = newKey()
    const unset = { label: null, rate_limit: null, rate_window_ms: null, endpoints: null, parts: null, networks: null }
    const settings = { ...unset, expires_at: null, ceiling, daily_ceiling: dailyCeiling }
    const { id } = await this.#store.createKey({ ...nameOf(account), mode: 'live', ...made, settings, ...this.#by })
    this.#deps.keys.push({ id, text, account, ceiling, dailyCeiling, revoked: false })
  }

  /** A change that the store refuses has not been made; one that it makes is in force before it is reported as done. */
  async #change(change: Promise<unknown>, done: () => unknown): Promise<void> {
    const { service } = this.#deps.life()
    try {
      await change
    } catch {
      return
    }
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

function nameOf(account: string): { project: string; environment: string } {
  const [project = '', environment = ''] = account.split('/')
  return { project, environment }
}

function newKey() {
  const text = createApiKey('live')
  return { text, made: { hash: hashApiKey(text), display: displayApiKey(text) } }
}
