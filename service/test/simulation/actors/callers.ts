import type { Clock } from '../../../src/foundation/clock.ts'
import type { Reply } from '../../../src/http/exchange/lookup-request.ts'
import { serveLookup } from '../../../src/http/lookup/serve-lookup.ts'
import { serveMatch } from './serve-match.ts'
import type { Answer, Call, SimulatedKey } from '../laws/call.ts'
import { exercise } from '../laws/exercises.ts'
import type { Oracle } from '../laws/oracle.ts'
import type { Random } from '../world/random.ts'
import type { Life } from '../world/simulated-service.ts'
import { addressOf, slugs } from '../world/people.ts'
import type { SimulatedProvider } from '../world/simulated-provider.ts'
import type { VirtualTime } from '../world/virtual-time.ts'

interface Deps {
  time: VirtualTime
  oracle: Oracle
  provider: SimulatedProvider
  /** A node that receives a call. */
  pickNode(): Life
  isAlive(life: Life): boolean
  /** Runs work that no one awaits, and reports its exceptions. */
  watch(work: Promise<unknown>): void
  say(line: string): void
}

type Asked = Pick<Call, 'key' | 'environment' | 'slug' | 'bypass' | 'idempotencyKey' | 'by' | 'contact'>

/** The callers, and the answers they get. */
export class Callers {
  readonly #deps: Deps
  readonly #running = new Set<Call>()
  #idempotencyKeys = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The calls without an answer so far. */
  get waiting(): readonly Call[] {
    return [...this.#running]
  }

  call(random: Random): void {
    this.#send({ ...this.#draw(random), slug: this.#name(random) })
  }

  /** A match by an address, or a lookup with an expectation that nobody meets. */
  match(random: Random): void {
    const by = random.chance(0.75) ? 'address' : 'stranger'
    const erased = slugs.filter((slug) => this.#deps.oracle.erasures.has(slug))
    const again = erased.length > 0 && random.chance(0.4)
    this.#send({ ...this.#draw(random), slug: random.pick(again ? erased : slugs), by })
  }

  /** A call with a test key. */
  sample(random: Random): void {
    const key = random.pick(this.#deps.oracle.testKeys)
    this.#send({ ...this.#draw(random), key, environment: key.environment, slug: random.pick(slugs), by: 'sample' })
  }

  /** Several concurrent calls of one environment, some for the same person. */
  burst(random: Random): void {
    const asked = this.#draw(random)
    const keys = this.#deps.oracle.keys.filter(({ environment }) => environment === asked.environment)
    for (let count = 2 + random.below(3); count > 0; count--) {
      const idempotencyKey = random.chance(0.3) ? asked.idempotencyKey : null
      this.#send({ ...asked, key: random.pick(keys), slug: this.#name(random), idempotencyKey })
    }
  }

  /** The same call several times at once, by an impatient caller. */
  twice(random: Random): void {
    const asked = this.#draw(random)
    const idempotencyKey = asked.idempotencyKey ?? `key-${++this.#idempotencyKeys}`
    const same = { ...asked, idempotencyKey, slug: this.#name(random), bypass: random.chance(0.3) }
    for (let count = 2 + random.below(2); count > 0; count--) this.#send(same)
  }

  /** Repeats a call that was cut off or answered, as callers do. Some repetitions change the request. */
  retry(random: Random): void {
    const marked = this.#deps.oracle.calls.filter(({ idempotencyKey }) => idempotencyKey !== null).slice(-6)
    if (marked.length === 0) return
    const asked = askedIn(random.pick(marked))
    this.#send(random.chance(0.15) ? { ...asked, slug: random.pick(slugs) } : asked)
  }

  /** Calls with an idempotency key that got a record, by valid keys. */
  get answered(): readonly Call[] {
    return this.#deps.oracle.calls.filter(
      ({ idempotencyKey, answer, key }) => idempotencyKey !== null && answer?.status === 200 && key.revokedAt === null,
    )
  }

  /** Repeats an answered call unchanged. */
  repeat(random: Random): void {
    if (this.answered.length > 0) this.#send(askedIn(random.pick(this.answered)))
  }

  /** Requests another person with a used idempotency key, mostly by an address. */
  reuse(random: Random): void {
    const byAddress = this.answered.filter(({ by }) => by === 'address')
    const used = byAddress.length > 0 && random.chance(0.7) ? byAddress : this.answered
    if (used.length > 0) this.#send({ ...askedIn(random.pick(used)), slug: random.pick(slugs) })
  }

  /** A call to a given node. */
  callTo(random: Random, node: Life, asked: Pick<Asked, 'slug'> & Partial<Pick<Asked, 'by' | 'bypass'>>): void {
    this.#send({ ...this.#draw(random), bypass: false, ...asked }, node)
  }

  /** A call to a given node with a test key. */
  sampleTo(random: Random, node: Life, key: SimulatedKey): void {
    const { environment } = key
    this.#send({ ...this.#draw(random), key, environment, slug: random.pick(slugs), bypass: false, by: 'sample' }, node)
  }

  /** A call that bypasses the cache, to get the current facts of a person. */
  fetchFresh(random: Random, slug: string, by: 'slug' | 'address' = 'slug'): void {
    this.#send({ ...this.#draw(random), slug, by, bypass: true })
  }

  /** A node died: the outcome of its running calls is unknown. */
  cutOff(node: number): void {
    for (const call of this.#running) {
      if (call.node !== node) continue
      call.cutOff = true
      this.#running.delete(call)
    }
  }

  /** A name to request. For a person whose name has moved, in half of the cases a related name. */
  #name(random: Random): string {
    const { names } = this.#deps.provider
    const isMoved = names.moved.length > 0 && random.chance(0.5)
    return random.pick(names.around(random.pick(isMoved ? names.moved : slugs)))
  }

  #draw(random: Random): Omit<Asked, 'slug'> {
    const { keys, working } = this.#deps.oracle
    const key = random.pick(random.chance(0.85) ? working : keys)
    const idempotencyKey = random.chance(0.5) ? `key-${++this.#idempotencyKeys}` : null
    const bypass = random.chance(0.1)
    return { key, environment: key.environment, bypass, idempotencyKey, by: 'slug', contact: random.chance(0.25) }
  }

  #send(asked: Asked, alive = this.#deps.pickNode()): void {
    const { time, oracle, provider, isAlive, watch, say } = this.#deps
    // A strike may have killed the node since the step chose it.
    if (!isAlive(alive)) return
    const { clock } = time
    const { node, isUpToDate, skewMs, machineAheadMs } = alive
    const began = { number: oracle.calls.length, node, isUpToDate, skewMs, machineAheadMs, startedAt: clock.now() }
    const call: Call = { ...asked, ...began, answer: null, cutOff: false }
    this.#running.add(call)
    const check = oracle.began(call)
    const answered = (answer: Answer): void => {
      if (!isAlive(alive)) return
      this.#running.delete(call)
      const { status } = answer
      say(`    call ${call.number} is answered: ${status} ${status === 200 ? '' : answer.body.slice(0, 80)}`)
      check(answer)
    }
    if (call.by === 'slug') exercise('concurrent misses cost one fetch', provider.isAsked(alive, call.slug))
    if (call.by === 'stranger') provider.guarded.add(call.slug)
    const served = alive.ask(() =>
      call.by === 'address'
        ? serveMatch(alive, requestOf(call), addressOf(call.slug), { bypassCache: call.bypass, clock })
        : serve(alive, call, clock),
    )
    const marked = call.idempotencyKey === null ? '' : `, ${call.idempotencyKey}`
    say(`    call ${call.number} to node ${node}: ${call.slug} by ${call.by} with key ${call.key.id}${marked}`)
    time.within(alive, () => watch(served.then(answered)))
  }
}

function askedIn({ key, environment, slug, bypass, idempotencyKey, by, contact }: Call): Asked {
  return { key, environment, slug, bypass, idempotencyKey, by, contact }
}

/** A lookup by name, served as both HTTP paths serve it. */
async function serve({ service }: Life, call: Call, clock: Clock): Promise<Answer> {
  let answer: Answer | null = null
  const reply: Reply = (status, head, body) => {
    answer = { status, headers: headersIn(head), body: body.toBuffer().toString(), at: clock.now() }
  }
  await serveLookup(service, requestOf(call), reply, () => false)
  if (!answer) throw new Error(`call ${call.number} ended without an answer`)
  return answer
}

function requestOf({ slug, bypass, key, idempotencyKey, by, contact }: Call) {
  const query = [
    `profile_id=${slug}`,
    ...(bypass ? ['bypass_cache=true'] : []),
    ...(contact ? ['include_contact_info=true'] : []),
    ...(by === 'stranger' ? ['expect.last_name=Nobodyson'] : []),
  ]
  return {
    kind: 'people' as const,
    search: query.join('&'),
    headers: {
      apiKey: key.text,
      idempotencyKey: idempotencyKey ?? undefined,
      spendTag: undefined,
      cacheControl: undefined,
      forwardedFor: undefined,
      accept: undefined,
      coding: null,
    },
    peer: '127.0.0.1',
  }
}

function headersIn(head: string): Map<string, string> {
  const lines = head.split('\r\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
}
