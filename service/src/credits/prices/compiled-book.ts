import { dataSources, type Kind, type PersonPart } from '@vitae/contract'
import {
  partNames,
  pricedBy,
  pricedKinds,
  type LineMatch,
  type PartPrice,
  type PriceAsk,
  type PriceEnd,
  type PriceLine,
  type PriceLists,
} from './price-book.ts'
import { noteOf } from './price-note.ts'

/** The price of an answer. */
export interface Price {
  credits: number
  /** The share for optional parts, which is charged even if the record itself is a free repeat. */
  extras: number
  /** The book and the lines that applied, as shown on the receipt. */
  note: string
}

/** The highest price of one call of each kind. The first entry that matches an environment applies to it. */
export interface HighestEntry {
  project: string | null
  environment: string | null
  highest: Record<Kind, number>
}

/** The facts of a call that a preview knows. */
type KnownAsk = Pick<PriceAsk, 'kind' | 'project' | 'environment' | 'include'> & Partial<PriceAsk>
type KnownEnd = Partial<Omit<PriceEnd, 'has'>>

const endsPerAsk = dataSources.length * 4
const asks = pricedKinds.length * pricedBy.length * 2

/** Prices for one environment: per question and outcome, and the maximum per question. */
interface PriceTable {
  /** Indexed by `askIndex * endsPerAsk + endIndex`. */
  prices: readonly Price[]
  /** Indexed by `askIndex`. */
  highest: readonly number[]
}

/**
 * A price book with precomputed prices: a call costs two table reads, however many lines the book has. Tables are built
 * on first use, one for each project and environment that the lines name and one for all others.
 */
export class CompiledBook {
  readonly version: number
  readonly validFrom: number
  readonly lists: PriceLists
  readonly #parts: readonly PartPrice[]
  readonly #projects: ReadonlySet<string>
  readonly #environments: ReadonlySet<string>
  readonly #tables = new Map<string | null, Map<string | null, PriceTable>>()
  #ofWatches: HighestEntry[] | null = null

  constructor(version: number, validFrom: number, lists: PriceLists) {
    this.version = version
    this.validFrom = validFrom
    this.lists = lists
    this.#parts = lists.parts.filter(({ credits }) => credits > 0)
    this.#projects = new Set(lists.lines.flatMap(({ project }) => project ?? []))
    this.#environments = new Set(lists.lines.flatMap(({ environment }) => environment ?? []))
  }

  /** The price of a call with this outcome. */
  priceOf(ask: PriceAsk, end: PriceEnd): Price {
    const { prices } = this.#tableOf(ask.project, ask.environment)
    const price = prices[askIndex(ask) * endsPerAsk + endIndex(end)]
    if (!price) throw new Error('a price book has no line for a call')
    return this.#parts.length === 0 || ask.kind !== 'people' ? price : this.#withParts(price, ask, end)
  }

  /** The highest price of a call, whatever its outcome. */
  highest(ask: PriceAsk): number {
    const { highest } = this.#tableOf(ask.project, ask.environment)
    return (highest[askIndex(ask)] ?? 0) + this.#partsAtMost(ask)
  }

  /** The highest price of all calls that fit the known facts. A price rule that a preview does not know counts as its dearest case. */
  atMost(ask: KnownAsk, end: KnownEnd = {}): number {
    const { prices } = this.#tableOf(ask.project, ask.environment)
    const fitting = prices.filter((_price, index) => {
      const [asked, ended] = [askAt(Math.floor(index / endsPerAsk)), endAt(index % endsPerAsk)]
      return isPossible(asked, ended) && fitsAsk(ask, asked) && fitsEnd(end, ended)
    })
    return Math.max(...fitting.map(({ credits }) => credits)) + this.#partsAtMost(ask)
  }

  /** The price of an outcome in an environment, without optional parts. */
  priceAt({ project, environment }: Pick<PriceAsk, 'project' | 'environment'>, { index }: Outcome): Price {
    const price = this.#tableOf(project, environment).prices[index]
    if (!price) throw new Error('a price book has no line for a call')
    return price
  }

  #partsAtMost({ kind, include }: KnownAsk): number {
    const asked = kind === 'people' ? this.#parts.filter(({ part }) => include[part]) : []
    return asked.reduce((sum, { credits }) => sum + credits, 0)
  }

  /** The highest price of a watch refresh per environment, for the store, which does not know price books. */
  highestOfWatches(): HighestEntry[] {
    this.#ofWatches ??= [...this.#projects, null].flatMap((project) =>
      [...this.#environments, null].map((environment) => {
        const where = { project: project ?? '', environment: environment ?? '' }
        const most = (kind: Kind) => this.highest({ ...usualAsk, ...where, kind, by: 'watch' })
        return { project, environment, highest: { people: most('people'), companies: most('companies') } }
      }),
    )
    return this.#ofWatches
  }

  #withParts(price: Price, { include }: PriceAsk, { has }: PriceEnd): Price {
    let extras = 0
    const asked: { part: PersonPart; credits: number }[] = []
    for (const { part, credits } of this.#parts) {
      if (!include[part]) continue
      const own = has(part) ? credits : 0
      extras += own
      asked.push({ part, credits: own })
    }
    return asked.length === 0 ? price : { credits: price.credits + extras, extras, note: noteOf(price.note, asked) }
  }

  #tableOf(project: string, environment: string): PriceTable {
    const named = this.#projects.has(project) ? project : null
    const place = this.#environments.has(environment) ? environment : null
    const known = this.#tables.get(named)
    const table = known?.get(place)
    if (table) return table
    const made = tableOf(this.version, this.lists.lines, named, place)
    this.#tables.set(named, (known ?? new Map<string | null, PriceTable>()).set(place, made))
    return made
  }
}

function askIndex({ kind, by, bypass }: Pick<PriceAsk, 'kind' | 'by' | 'bypass'>): number {
  return (pricedKinds.indexOf(kind) * pricedBy.length + pricedBy.indexOf(by)) * 2 + (bypass ? 1 : 0)
}

function endIndex({ source, thin, changed }: Pick<PriceEnd, 'source' | 'thin' | 'changed'>): number {
  return dataSources.indexOf(source) * 4 + (thin ? 2 : 0) + (changed ? 1 : 0)
}

function tableOf(
  version: number,
  lines: readonly PriceLine[],
  project: string | null,
  environment: string | null,
): PriceTable {
  const own = lines.map((line, index) => ({
    line,
    price: {
      credits: line.credits,
      extras: 0,
      note: noteOf(`${version}`, [{ line: index + 1, credits: line.credits }]),
    },
  }))
  const here = own.filter(({ line }) => fitsPlace(line, project, environment))
  const ofAsks = Array.from({ length: asks }, (_ask, ask) => {
    const asked = askAt(ask)
    const fitting = here.filter(({ line }) => fitsAsk(line, asked))
    const prices = Array.from({ length: endsPerAsk }, (_end, end) => priceAt(fitting, end))
    const possible = prices.filter((_price, end) => isPossible(asked, endAt(end)))
    return { prices, highest: Math.max(...possible.map(({ credits }) => credits)) }
  })
  return { prices: ofAsks.flatMap((each) => each.prices), highest: ofAsks.map((each) => each.highest) }
}

function priceAt(fitting: readonly { line: PriceLine; price: Price }[], end: number): Price {
  const ended = endAt(end)
  const found = fitting.find(({ line }) => fitsEnd(line, ended))
  if (!found) throw new Error('a price book has no line for a call')
  return found.price
}

function askAt(index: number): Required<Pick<LineMatch, 'kind' | 'by' | 'bypass'>> {
  const rest = index >> 1
  const by = pricedBy[rest % pricedBy.length] ?? 'lookup'
  const kind = pricedKinds[Math.floor(rest / pricedBy.length)] ?? 'people'
  return { kind, by, bypass: index % 2 === 1 }
}

function endAt(index: number): Required<Pick<LineMatch, 'source' | 'thin' | 'changed'>> {
  const source = dataSources[index >> 2] ?? 'live'
  return { source, thin: (index & 2) !== 0, changed: (index & 1) !== 0 }
}

/** A call that bypasses the cache is answered live or fails. */
function isPossible({ bypass }: ReturnType<typeof askAt>, { source }: ReturnType<typeof endAt>): boolean {
  return !bypass || source === 'live'
}

const fits = <Value>(wanted: Value | undefined, actual: Value) => wanted === undefined || wanted === actual

function fitsPlace(line: LineMatch, project: string | null, environment: string | null): boolean {
  return fits<string | null>(line.project, project) && fits<string | null>(line.environment, environment)
}

function fitsAsk(line: LineMatch, { kind, by, bypass }: ReturnType<typeof askAt>): boolean {
  return fits(line.kind, kind) && fits(line.by, by) && fits(line.bypass, bypass)
}

function fitsEnd(line: LineMatch, { source, thin, changed }: ReturnType<typeof endAt>): boolean {
  return fits(line.source, source) && fits(line.thin, thin) && fits(line.changed, changed)
}

/** An outcome of a call: the facts that decide its price, and their position in the tables of every book. */
export interface Outcome {
  index: number
  asked: ReturnType<typeof askAt>
  ended: ReturnType<typeof endAt>
}

/** Every outcome that a call can have. */
export const outcomes: readonly Outcome[] = Array.from({ length: asks * endsPerAsk }, (_outcome, index) => ({
  index,
  asked: askAt(Math.floor(index / endsPerAsk)),
  ended: endAt(index % endsPerAsk),
})).filter(({ asked, ended }) => isPossible(asked, ended))

/** No optional parts. */
export const noParts = Object.fromEntries(partNames.map((part) => [part, false])) as Record<PersonPart, boolean>

/** A plain lookup. Code that asks a book outside a call starts from it, so that a new rule needs no edit there. */
export const usualAsk: Omit<PriceAsk, 'kind' | 'project' | 'environment'> = {
  by: 'lookup',
  bypass: false,
  include: noParts,
}

/** A plain live answer. */
export const usualEnd: PriceEnd = { source: 'live', thin: false, changed: true, has: () => false }

/** All parts that a key may ask for. */
export function allParts(allowed: ReadonlySet<PersonPart> | null): Record<PersonPart, boolean> {
  return { ...noParts, ...Object.fromEntries(partNames.map((part) => [part, allowed?.has(part) ?? true])) }
}
