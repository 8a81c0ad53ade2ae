import type { ProviderStore } from '../../providers/operations.ts'
import type { ResidueStore, UpkeepStore } from '../store/operations.ts'
import type { Clock } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Providers } from '../../providers/describe-providers.ts'
import { filesAfter, rewriteNow, type BytesGone } from '../erasure/rewrites.ts'
import { noPurgeCounts, purgeSteps, type PurgeCounts, type PurgeStep } from '../store/retention/purge-provider.ts'
import { runSteps } from '../store/retention/run-steps.ts'

interface Deps {
  clock: Clock
  providers: Pick<Providers, 'facts'>
  store: {
    upkeep: Pick<UpkeepStore, 'purgeProviderChunk'>
    residue: Pick<ResidueStore, 'purgeResidue' | 'bytesLeft' | 'rewriteTables' | 'endRewrites'>
    providers: Pick<ProviderStore, 'providerStates'>
  }
  recordsChanged(): Promise<void>
  /** When PostgreSQL's tables with deleted rows are rewritten (`VITAE_REWRITE_AT`). */
  rewriteAtMs: number
}

interface Purge {
  provider: string
  reason: string | null
  actor: string
  /** Rewrites the tables of PostgreSQL immediately, not once a day. */
  now?: boolean | undefined
  onProgress?: (step: PurgeStep | 'files', sofar: PurgeCounts) => void
}

const rowsAtOnce = 500

/** Counts what `purgeProvider` would remove, without changing anything. */
export async function planPurge(deps: Deps, provider: string): Promise<PurgeCounts> {
  return overChunks(deps, { provider, reason: null, actor: 'system' }, true)
}

/**
 * Removes everything that one provider supplied, even from the unused parts of the store's files, for example after its
 * contract ended. Records that other providers also supply stay, without its data. Nobody is suppressed.
 */
export async function purgeProvider(deps: Deps, purge: Purge): Promise<PurgeCounts & { gone: BytesGone }> {
  await refuseInUse(deps, purge.provider)
  try {
    const counts = await overChunks(deps, purge, false)
    await deps.recordsChanged()
    purge.onProgress?.('files', counts)
    // Always, not only if residue is found: the deleted data may be too much to search for.
    if (Object.values(counts).some((count) => count > 0)) await deps.store.residue.purgeResidue({})
    if (purge.now) await rewriteNow(deps.store, deps.clock)
    const { gone } = await filesAfter(deps.store, { clock: deps.clock, timeOfDayMs: deps.rewriteAtMs })
    return { ...counts, gone }
  } finally {
    await deps.recordsChanged()
  }
}

/** Refuses a provider that is still asked: it would fill the store again while it is purged. */
export async function refuseInUse({ providers, store }: Deps, provider: string): Promise<void> {
  if (!providers.facts.some(({ name, inChain }) => name === provider && inChain)) return
  const states = await store.providers.providerStates(null)
  if (states.some((state) => state.provider === provider && state.paused)) return
  const detail = `${provider} is still in use: remove it from VITAE_UPSTREAM, or pause it first.`
  throw new Failure('conflict', { detail, hint: `"vitae providers pause ${provider}" pauses it.` })
}

function overChunks({ store, clock }: Deps, purge: Purge, dryRun: boolean): Promise<PurgeCounts> {
  const { provider, reason, actor, onProgress } = purge
  const args = { provider, limit: rowsAtOnce, dryRun, reason, actor, at: clock.now() }
  return runSteps<PurgeStep, PurgeCounts>({
    first: purgeSteps[0],
    none: noPurgeCounts(),
    runChunk: (cursor) => store.upkeep.purgeProviderChunk({ ...args, cursor }),
    onProgress,
  })
}
