import type { WatchStore } from './store/operations.ts'
import type { SessionStore } from '../accounts/session-operations.ts'
import type { TokenStore } from '../accounts/token-operations.ts'
import type { KeyStore } from '../accounts/key-operations.ts'
import type { ProjectStore } from '../accounts/project-operations.ts'
import type { AdminAnswer, AdminBody } from '@vitae/contract/admin'
import type { WatchById, Kind } from '@vitae/contract'
import { usualAsk, usualEnd } from '../credits/prices/compiled-book.ts'
import type { PriceBooks } from '../credits/prices/price-books.ts'
import { type Clock, isoTime } from '../foundation/clock.ts'
import { Failure } from '../foundation/failure.ts'
import { parseIdentifier } from '../records/identifiers/parse-identifier.ts'
import type { NewWatch } from './store/add-watches.ts'
import type { ListedWatch } from './store/list-watches.ts'
import { watchView } from './store/watch-view.ts'

interface Prices {
  clock: Clock
  prices: Pick<PriceBooks, 'at'>
}

interface Deps {
  clock: Clock
  lookup: Prices
  platformHosts: readonly string[]
  store: {
    projects: ProjectStore
    keys: KeyStore
    tokens: TokenStore
    sessions: SessionStore
    watches: WatchStore
  }
  /** The maximum number of watches per environment. */
  watchesAtMost: number
}

/** Adds watches that a key of the environment pays for; a dry run only returns their price. */
export async function addWatches(
  deps: Deps,
  actor: string,
  body: AdminBody<'addWatches'>,
): Promise<AdminAnswer<'addWatches'>> {
  const { store, clock, platformHosts } = deps
  const { project, environment, key_id: wanted = null, max_credits_per_month: most } = body
  const at = clock.now()
  const { keyId, environmentId } = await store.keys.payingKey({ project, environment, keyId: wanted, at })
  const { watches, errors } = readWatches(body.watches, platformHosts)
  const limits = { atMost: deps.watchesAtMost, maxCreditsPerMonth: most }
  const added = body.dry_run
    ? []
    : await store.watches.addWatches({ environmentId, keyId, watches, ...limits, actor, at })
  const budget = await store.watches.watchBudget({ environmentId, at })
  const created = added.filter((one) => one.isNew)
  const first = body.dry_run ? watches : created.filter(({ watch }) => watch.looked_at === null)
  const price = priceReader(deps.lookup, body)
  const each = watches.map(({ identifier, everyDays }) => perMonth(price(identifier.kind), everyDays ?? 7))
  return {
    project,
    environment,
    key_id: keyId,
    created: created.length,
    existing: added.length - created.length,
    errors,
    credits_at_once: first.reduce((sum, one) => sum + price('watch' in one ? one.watch.kind : one.identifier.kind), 0),
    credits_per_month: rounded(each.reduce((sum, credits) => sum + credits, 0)),
    ...budget,
    watches: added.map(({ watch }) => watchView(watch)),
  }
}

/** The readable watches, and why the others cannot be read: one bad line of a file does not stop the rest. */
function readWatches(asked: readonly WatchById[], hosts: readonly string[]) {
  const watches: NewWatch[] = []
  const errors: { index: number; reason: string }[] = []
  for (const [index, { kind, id, every_days: everyDays, note }] of asked.entries()) {
    try {
      watches.push({ identifier: parseIdentifier(kind, id, hosts), everyDays, note })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      errors.push({ index, reason: error.message })
    }
  }
  return { watches, errors }
}

/** A watch as operators see it: its environment's view, its owner and its price. */
export function listedWatch(lookup: Prices, row: ListedWatch): AdminAnswer<'listWatches'>['watches'][number] {
  const { project, environment, key_id, changed_type: type } = row
  const at = isoTime(row.changed_at)
  const credits = rounded(perMonth(priceReader(lookup, row)(row.kind), row.every_days))
  const lastChange = type === null || at === null ? null : { type, at }
  return { ...watchView(row), project, environment, key_id, last_change: lastChange, credits_per_month: credits }
}

function perMonth(price: number, everyDays: number): number {
  return (price * 30) / everyDays
}

/** The current price of a refresh that finds a change in an environment. */
function priceReader(
  { prices, clock }: Prices,
  { project, environment }: { project: string; environment: string },
): (kind: Kind) => number {
  const book = prices.at(clock.now())
  return (kind) => book.priceOf({ ...usualAsk, kind, by: 'watch', project, environment }, usualEnd).credits
}

function rounded(credits: number): number {
  return Math.round(credits * 100) / 100
}
