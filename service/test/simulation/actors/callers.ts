import type { Reply } from '../../../src/http/lookup/lookup-request.ts'
import { serveLookup } from '../../../src/http/lookup/serve-lookup.ts'
import type { Answer, Call, Oracle } from '../laws/oracle.ts'
import type { Random } from '../world/random.ts'
import type { Life } from '../world/simulated-service.ts'
import type { VirtualTime } from '../world/virtual-time.ts'

interface Deps {
  time: VirtualTime
  oracle: Oracle
  life(): Life
  /** Waits for something nobody waits for, and is told what it throws. */
  watch(work: Promise<unknown>): void
  say(line: string): void
}

type Asked = Pick<Call, 'key' | 'account' | 'slug' | 'bypass' | 'idempotencyKey'>

export const slugs = ['ada', 'grace', 'linus', 'margaret', 'edsger'] as const

/** Those who call, and what they are told. */
export class Callers {
  readonly #deps: Deps
  readonly #running = new Set<Call>()
  #idempotencyKeys = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get waiting(): number {
    return this.#running.size
  }

  call(random: Random): void {
    this.#send({ ...this.#draw(random), slug: random.pick(slugs) })
  }

  /** Several at once for one account, of which some want the same. */
  burst(random: Random): void {
    const asked = this.#draw(random)
    const keys = this.#deps.oracle.keys.filter(({ account }) => account === asked.account)
    for (let count = 2 + random.below(3); count > 0; count--) {
      const idempotencyKey = random.chance(0.3) ? asked.idempotencyKey : null
      this.#send({ ...asked, key: random.pick(keys), slug: random.pick(slugs), idempotencyKey })
    }
  }

  /** The same call several times at once, by a caller who does not wait. */
  twice(random: Random): void {
    const asked = this.#draw(random)
    const idempotencyKey = asked.idempotencyKey ?? `key-${++this.#idempotencyKeys}`
    const same = { ...asked, idempotencyKey, slug: random.pick(slugs), bypass: random.chance(0.3) }
    for (let count = 2 + random.below(2); count > 0; count--) this.#send(same)
  }

  /** A caller that was cut off or answered sends the same again, as callers do; some change what they ask for. */
  retry(random: Random): void {
    const marked = this.#deps.oracle.calls.filter(({ idempotencyKey }) => idempotencyKey !== null).slice(-6)
    if (marked.length === 0) return
    const { key, account, slug, bypass, idempotencyKey } = random.pick(marked)
    this.#send({ key, account, slug: random.chance(0.15) ? random.pick(slugs) : slug, bypass, idempotencyKey })
  }

  /** The process is dead: nobody knows how what was on its way ended. */
  cutOff(): void {
    for (const call of this.#running) call.cutOff = true
    this.#running.clear()
  }

  #draw(random: Random): Omit<Asked, 'slug'> {
    const key = random.pick(this.#deps.oracle.keys)
    const idempotencyKey = random.chance(0.5) ? `key-${++this.#idempotencyKeys}` : null
    return { key, account: key.account, bypass: random.chance(0.1), idempotencyKey }
  }

  #send(asked: Asked): void {
    const { time, oracle, life, watch, say } = this.#deps
    const { clock } = time
    const call: Call = { ...asked, number: oracle.calls.length, startedAt: clock.now(), answer: null, cutOff: false }
    this.#running.add(call)
    const check = oracle.began(call)
    const alive = life()
    let checked = Promise.resolve()
    const reply: Reply = (status, head, body) => {
      if (alive !== life()) return
      this.#running.delete(call)
      const answer: Answer = { status, headers: headersIn(head), body: body.toBuffer().toString(), at: clock.now() }
      say(`    call ${call.number} is answered: ${status} ${status === 200 ? '' : answer.body.slice(0, 80)}`)
      // Thrown here it would look like a failure of the call.
      checked = (async () => check(answer))()
      checked.catch(() => undefined)
    }
    const served = serveLookup(alive.service, requestOf(call), reply, () => false)
    say(
      `    call ${call.number}: ${call.slug} with key ${call.key.id}${call.idempotencyKey === null ? '' : `, ${call.idempotencyKey}`}`,
    )
    watch(served.then(() => checked))
  }
}

function requestOf({ slug, bypass, key, idempotencyKey }: Call) {
  return {
    kind: 'people' as const,
    search: `profile_id=${slug}${bypass ? '&bypass_cache=true' : ''}`,
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
