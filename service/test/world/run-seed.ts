import { drawFrom, Random } from '../simulation/world/random.ts'
import type { SeedStore } from '../simulation/world/sqlite-engine.ts'
import type { VirtualTime } from '../simulation/world/virtual-time.ts'
import { Callers } from './callers.ts'
import { ChangeLaws, type Change, type ChangeEvent, type Span } from './laws/change-laws.ts'
import { GuardLaws } from './laws/guard-laws.ts'
import { IdentityLaws } from './laws/identity-laws.ts'
import { isPerson, Journal } from './laws/journal.ts'
import { Tally } from './laws/tally.ts'
import { Vendors } from './lenses/vendors.ts'
import type { PersonView, ShownJob } from './lenses/view.ts'
import { WorldService } from './service/world-service.ts'
import { makeWorld } from './truth/make-world.ts'
import { at, lastDay, type Day, type Truth } from './truth/person.ts'

const dayMs = 86_400_000
/** The seeds of one process are years apart, because request ids only increase. */
export const seedsPerProcess = 16
const stepDays = 12
const everyDays = 36

/** The number of watched people, and of calls per step. */
const sizes = { full: { watched: 14, calls: 4 }, quick: { watched: 6, calls: 2 } } as const

interface Options {
  seed: number
  /** The person whose answers and events are printed. */
  person?: number | undefined
  /** Fewer watches and calls, at about half the cost. */
  isQuick: boolean
}

/** Plays one seed. */
export async function runSeed(
  time: VirtualTime,
  seedStore: SeedStore,
  { seed, person, isQuick }: Options,
): Promise<Tally> {
  drawFrom(seed)
  const startMs = Date.UTC(2026 + 3 * (seed % seedsPerProcess), 0, 1)
  time.beginAt(startMs)
  const random = new Random(seed)
  const truth = makeWorld(random)
  const vendors = new Vendors({ truth, seed, startMs }, random, () => Math.floor((time.clock.now() - startMs) / dayMs))
  const service = await WorldService.open({ time, seedStore, vendors })
  const run = new Run({ time, truth, vendors, service, startMs, random, size: sizes[isQuick ? 'quick' : 'full'] })
  try {
    const tally = await run.play()
    if (person !== undefined) for (const line of run.about(person)) console.error(line)
    return tally
  } finally {
    await service.close()
  }
}

interface Deps {
  time: VirtualTime
  truth: Truth
  vendors: Vendors
  service: WorldService
  startMs: number
  random: Random
  size: (typeof sizes)[keyof typeof sizes]
}

interface FeedEvent {
  type: string
  at: string
  data: { changes?: Change[]; to?: { version: number } }
}

class Run {
  readonly #deps: Deps
  readonly #tally = new Tally()
  readonly #journal: Journal
  readonly #identity: IdentityLaws
  readonly #callers: Callers
  readonly #events: ChangeEvent[] = []
  /** The periods in which each entity was watched. */
  readonly #spans = new Map<number, Span[]>()
  #watched = new Set<number>()
  #after = '0'

  constructor(deps: Deps) {
    this.#deps = deps
    const { truth, vendors, service } = deps
    this.#journal = new Journal(service.database, vendors)
    this.#identity = new IdentityLaws(truth.people, this.#journal, this.#tally)
    const guard = new GuardLaws(truth, this.#tally, (company) => this.#journal.hasCompany(company))
    this.#callers = new Callers({ truth, vendors, service, guard, tally: this.#tally, today: () => this.#today })
  }

  get #today(): Day {
    return Math.floor((this.#deps.time.clock.now() - this.#deps.startMs) / dayMs)
  }

  async play(): Promise<Tally> {
    for (const [what, count] of Object.entries(this.#deps.truth.happened)) this.#tally.facts[`life: ${what}`] = count
    try {
      await this.#watch()
      for (let day = 0; day < lastDay; day += stepDays) await this.#step(day)
      this.#judgeChanges()
    } catch (error) {
      this.#tally.check('no call fails', error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
    return this.#tally
  }

  /** Watches the people with the most events, by their initial pages. */
  async #watch(): Promise<void> {
    const { truth, service, size } = this.#deps
    const busy = truth.people
      .toSorted((a, b) => b.stints.length + b.slugs.length - a.stints.length - a.slugs.length || a.id - b.id)
      .slice(0, size.watched)
    for (const person of busy)
      await service.post('/v1/watches', { kind: 'people', id: at(person.slugs, 0), every_days: everyDays })
  }

  async #step(day: Day): Promise<void> {
    const { time, startMs, service, random, size } = this.#deps
    await time.advance(startMs + day * dayMs + 1_000 - time.clock.now())
    await service.runJob('refresh due watches')
    await this.#read()
    await this.#readWatches()
    for (let count = 0; count < size.calls; count++) {
      await this.#callers.ask(random)
      await this.#read()
    }
    if (day % 240 === 60) await this.#callers.submit(random)
    await this.#read()
    await this.#identity.checkKeys()
    await this.#readEvents()
  }

  async #read(): Promise<void> {
    this.#identity.judge(await this.#journal.read())
  }

  /** A watch follows its page, so it may watch another person now. */
  async #readWatches(): Promise<void> {
    const now = this.#deps.time.clock.now()
    const entities = [...(await this.#journal.watched()).values()].map((entity) => this.#journal.root(entity))
    for (const entity of entities) {
      const spans = this.#spans.get(entity) ?? []
      const last = spans.at(-1)
      if (last && this.#watched.has(entity)) last.to = now
      else this.#spans.set(entity, [...spans, { from: now, to: now }])
    }
    this.#watched = new Set(entities)
  }

  async #readEvents(): Promise<void> {
    for (;;) {
      const { json } = await this.#deps.service.get(`/v1/events?limit=100&after=${this.#after}`)
      const { events, next } = json as { events: FeedEvent[]; next: string }
      for (const { type, at: when, data } of events) {
        this.#tally.count(`event ${type}`)
        if (!type.startsWith('person.') || !data.to) continue
        const fetchId = await this.#journal.fetchOfVersion(data.to.version)
        this.#events.push({ type, at: Date.parse(when), changes: data.changes ?? [], fetchId })
      }
      this.#after = next
      if (events.length < 100) return
    }
  }

  /** The stored answers and reported events of a person, in order. */
  about(person: number): string[] {
    const kept = this.#journal.kept.filter(isPerson).filter(({ view }) => view.person === person)
    const ids = new Set(kept.map(({ fetchId }) => fetchId))
    return kept.flatMap(({ fetchId, entity, lens, view }) => [
      `fetch ${fetchId} entity ${entity} ${lens} day ${view.day}: ${view.slug}, ${view.first} ${view.last}, ${view.member}, ${jobsIn(view)}`,
      ...this.#events
        .filter((event) => event.fetchId === fetchId && ids.has(fetchId))
        .map(({ type, changes }) => `    ${type} ${JSON.stringify(changes)}`),
    ])
  }

  #judgeChanges(): void {
    const { truth } = this.#deps
    const laws = new ChangeLaws(truth, this.#tally)
    const people = this.#journal.kept.filter(isPerson)
    const byEntity = Map.groupBy(people, ({ entity }) => this.#journal.root(entity))
    const judged = new Set<number>()
    for (const [entity, spans] of this.#spans) {
      const root = this.#journal.root(entity)
      const person = this.#identity.onlyPerson(root)
      if (judged.has(root) || person === null) continue
      judged.add(root)
      const kept = byEntity.get(root) ?? []
      const ids = new Set(kept.map(({ fetchId }) => fetchId))
      const events = this.#events.filter(({ fetchId }) => fetchId !== null && ids.has(fetchId))
      const joining = ({ entity: id }: { entity: number }) => kept.find(({ absorbed }) => absorbed.includes(id))
      const isWatched = (id: number) => this.#spans.has(id)
      const knownAt = (one: (typeof kept)[number]) => (isWatched(one.entity) ? one.at : (joining(one)?.at ?? one.at))
      laws.judge({ person, spans, kept, events, knownAt })
      this.#tally.count('watched people judged')
    }
  }
}

function jobsIn({ jobs, current }: PersonView): string {
  const text = ({ company, stint }: ShownJob) => `${company.name} ${stint.from}..${stint.to ?? ''}`
  return jobs ? jobs.map(text).join(', ') : `not said, now ${current ? text(current) : 'not said'}`
}
