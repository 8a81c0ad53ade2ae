import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveLookup } from '../../src/http/lookup/serve-lookup.ts'
import { Operator } from './operator.ts'
import { Oracle, Violation, type Answer, type Call, type SimulatedKey } from './oracle.ts'
import { Random } from './random.ts'
import { readBooks } from './read-books.ts'
import { startLife, type Life } from './simulated-service.ts'
import { SimulatedProvider } from './simulated-provider.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What the scheduler may do next, and how often it does. */
const weights = {
  call: 26,
  burst: 4,
  retry: 10,
  take: 30,
  hear: 30,
  answer: 14,
  deny: 2,
  fail: 3,
  wait: 8,
  leap: 2,
  grant: 2,
  revoke: 1,
  rotate: 1,
  suspend: 1,
  budget: 1,
  erase: 0.4,
  refuse: 1,
  die: 1.5,
  dieInside: 1.5,
  rest: 3,
}
export type Step = keyof typeof weights
export const allSteps = Object.keys(weights) as Step[]

export interface SeedResult {
  seed: number
  steps: number
  calls: number
  deaths: number
  /** What went wrong, and at which step; null where every law held. */
  violation: { step: number; what: string } | null
}

export interface SeedOptions {
  seed: number
  steps: number
  /** Steps that are left out, to find the smallest run that fails. */
  without?: readonly Step[]
  onStep?(line: string): void
}

const accounts = ['north/production', 'south/production'] as const
const slugs = ['ada', 'grace', 'linus', 'margaret', 'edsger'] as const
const dayMs = 86_400_000

/** Plays one seed. The template is a store that is migrated already: most of a start is its schema. */
export async function runSeed(time: VirtualTime, template: string, options: SeedOptions): Promise<SeedResult> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-seed-'))
  mkdirSync(folder, { recursive: true })
  copyFileSync(template, join(folder, 'vitae.db'))
  const run = new Run(time, folder, options)
  try {
    return await run.play()
  } finally {
    await run.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

class Run {
  readonly #time: VirtualTime
  readonly #folder: string
  readonly #options: SeedOptions
  readonly #random: Random
  readonly #provider: SimulatedProvider
  readonly #oracle: Oracle
  readonly #operator: Operator
  readonly #keys: SimulatedKey[] = []
  readonly #calls: Call[] = []
  #running = new Set<Call>()
  /** Of operators' changes and calls: what was thrown where nobody waits. */
  #broken: Error | null = null
  #life!: Life
  #isStarted = false
  #marks = 0
  #deaths = 0

  constructor(time: VirtualTime, folder: string, options: SeedOptions) {
    this.#time = time
    this.#folder = folder
    this.#options = options
    this.#random = new Random(options.seed)
    this.#provider = new SimulatedProvider(time.clock)
    this.#oracle = new Oracle(() => this.#provider.told)
    const { clock } = time
    const life = () => this.#life
    this.#operator = new Operator({ clock, random: this.#random, oracle: this.#oracle, keys: this.#keys, life })
  }

  async play(): Promise<SeedResult> {
    const { seed, steps, without = [] } = this.#options
    const allowed = Object.fromEntries(Object.entries(weights).filter(([name]) => !without.includes(name as Step)))
    let step = 0
    let violation: SeedResult['violation'] = null
    try {
      await this.#start()
      await this.#setUp()
      for (; step < steps; step++) {
        const what = this.#random.weighted<Step>(allowed)
        this.#options.onStep?.(`${step} ${new Date(this.#time.clock.now()).toISOString()} ${what}`)
        await this.#steps[what]()
        await this.#time.rest()
        if (this.#broken) throw this.#broken
      }
      await this.#rest()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      violation = { step, what: error instanceof Violation ? error.message : (error.stack ?? error.message) }
    }
    return { seed, steps: step, calls: this.#calls.length, deaths: this.#deaths, violation }
  }

  async end(): Promise<void> {
    if (this.#isStarted) await this.#life.die(null)
  }

  async #start(): Promise<void> {
    this.#life = await startLife(this.#folder, this.#time, this.#provider)
    this.#isStarted = true
  }

  /** Two environments, each with a key that nothing limits but money, and one with ceilings. */
  async #setUp(): Promise<void> {
    await this.#life.store.atOnce(async () => {
      for (const account of accounts) {
        await this.#operator.makeKey(account, null, null)
        await this.#operator.makeKey(account, 2 + this.#random.below(5), 1 + this.#random.below(3))
        await this.#operator.grant(account, 1 + this.#random.below(9))
      }
    })
  }

  /** What each step does. */
  readonly #steps: Record<Step, () => unknown> = {
    call: () => this.#call(),
    burst: () => [1, 2, 3].forEach(() => this.#call()),
    retry: () => this.#retry(),
    take: () => this.#life.store.take(1 + this.#random.below(4)),
    hear: () => this.#life.store.hear(1 + this.#random.below(4)),
    refuse: () => this.#life.store.refuse(),
    answer: () => this.#providerAnswers('answer'),
    deny: () => this.#providerAnswers('deny'),
    fail: () => this.#providerAnswers('fail'),
    wait: () => this.#time.advance(this.#random.pick([5, 60, 400, 3_000, 20_000])),
    leap: () => this.#time.advance(this.#random.pick([dayMs / 3, dayMs, 8 * dayMs])),
    grant: () => this.#watch(this.#operator.grant(this.#random.pick(accounts), 1 + this.#random.below(4))),
    budget: () => this.#watch(this.#operator.setBudget(this.#random.pick(accounts))),
    revoke: () => this.#watch(this.#operator.revoke(this.#random.pick(this.#keys))),
    rotate: () => this.#watch(this.#operator.rotate(this.#random.pick(this.#keys))),
    suspend: () => this.#watch(this.#operator.suspend(this.#random.pick(accounts))),
    erase: () => this.#watch(this.#operator.erase(this.#random.pick(slugs))),
    die: () => this.#die(null),
    dieInside: () => this.#die(this.#random.below(25)),
    rest: () => this.#rest(),
  }

  #providerAnswers(step: 'answer' | 'deny' | 'fail'): void {
    const { waiting } = this.#provider
    if (waiting === 0) return
    const index = this.#random.below(waiting)
    if (step === 'answer') this.#provider.answer(index)
    else if (step === 'deny') this.#provider.deny(index)
    else this.#provider.fail(index, this.#random.pick(['unavailable', 'timeout', 'invalid']))
  }

  #call(): void {
    const mark = this.#random.chance(0.5) ? `mark-${++this.#marks}` : null
    const key = this.#random.pick(this.#keys)
    const bypass = this.#random.chance(0.1)
    this.#send({ key, account: key.account, slug: this.#random.pick(slugs), bypass, mark })
  }

  /** A caller that was cut off or answered sends the same again, as callers do; some change what they ask for. */
  #retry(): void {
    const marked = this.#calls.filter(({ mark }) => mark !== null)
    if (marked.length === 0) return
    const { key, account, slug, bypass, mark } = this.#random.pick(marked.slice(-6))
    this.#send({ key, account, slug: this.#random.chance(0.05) ? this.#random.pick(slugs) : slug, bypass, mark })
  }

  #send(asked: Pick<Call, 'key' | 'account' | 'slug' | 'bypass' | 'mark'>): void {
    const { clock } = this.#time
    const call: Call = { ...asked, number: this.#calls.length, startedAt: clock.now(), answer: null, cutOff: false }
    this.#calls.push(call)
    this.#running.add(call)
    const judge = this.#oracle.began(call)
    const request = {
      kind: 'people' as const,
      search: `profile_id=${call.slug}${call.bypass ? '&bypass_cache=true' : ''}`,
      headers: {
        apiKey: call.key.text,
        idempotencyKey: call.mark ?? undefined,
        spendTag: undefined,
        cacheControl: undefined,
        forwardedFor: undefined,
      },
      peer: '127.0.0.1',
    }
    const alive = this.#life
    this.#watch(
      serveLookup(alive.service, request, (status, head, body) => {
        if (alive !== this.#life) return
        this.#running.delete(call)
        const answer: Answer = { status, headers: headersIn(head), body: body.toBuffer().toString(), at: clock.now() }
        this.#options.onStep?.(`    call ${call.number}: ${status} ${status === 200 ? '' : answer.body.slice(0, 80)}`)
        // Thrown here it would look like a failure of the call.
        try {
          judge(answer)
        } catch (error) {
          this.#broken ??= asError(error)
        }
      }),
    )
  }

  /** The process dies and is started again on what it left. Nobody knows how what was on its way ended. */
  async #die(statements: number | null): Promise<void> {
    this.#deaths += 1
    await this.#life.die(statements)
    for (const call of this.#running) call.cutOff = true
    this.#running = new Set()
    await this.#start()
  }

  /** Lets everything end, and compares the books. */
  async #rest(): Promise<void> {
    const { store } = this.#life
    for (let round = 0; this.#running.size > 0 || store.waiting > 0 || store.unheard > 0; round++) {
      if (round > 3_000) throw new Violation(`${this.#running.size} calls never ended`)
      await store.take(store.waiting)
      store.hear(store.unheard)
      while (this.#provider.waiting > 0) this.#providerAnswers(this.#random.chance(0.8) ? 'answer' : 'fail')
      await this.#time.rest()
      if (round > 20) await this.#time.advance(50)
      if (this.#broken) throw this.#broken
    }
    await store.atOnce(() => this.#life.releaseExpired())
    this.#oracle.atRest(await readBooks(join(this.#folder, 'vitae.db'), this.#time.clock.now()))
  }

  #watch(work: Promise<unknown>): void {
    const alive = this.#life
    work.catch((error: unknown) => {
      if (alive === this.#life && (error instanceof Violation || !isRefusal(error))) this.#broken ??= asError(error)
    })
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** What the store refused is told to the operator, who tries again. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}

function headersIn(head: string): Map<string, string> {
  const lines = head.split('\r\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
}
