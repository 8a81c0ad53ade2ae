import { endOf } from '../../../src/accounts/caller.ts'
import { batchResults } from '../../../src/batches/batch-results.ts'
import { submitBatch } from '../../../src/batches/submit-batch.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import { plainFailure } from '../../../src/foundation/failure.ts'
import type { BatchLaws, SimulatedBatch } from '../laws/batch-laws.ts'
import type { Oracle } from '../laws/oracle.ts'
import type { Random } from '../world/random.ts'
import type { Life } from '../world/simulated-service.ts'
import { slugs } from '../world/people.ts'

interface Deps {
  clock: Clock
  oracle: Oracle
  batches: BatchLaws
  life(): Life
}

/** Callers of background lookups: batches and watches. */
export class BackgroundCallers {
  readonly #deps: Deps
  #submitted = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async submit(random: Random): Promise<void> {
    const { oracle, batches } = this.#deps
    const { service } = this.#deps.life()
    const key = random.pick(oracle.keys)
    const inputs = Array.from({ length: 1 + random.below(5) }, () => random.pick(slugs))
    const maxCredits = random.chance(0.4) ? 1 + random.below(3) : null
    const tag = `batch ${++this.#submitted}`
    // Recorded before the result arrives: the batch may be created and run even if the caller never gets the answer.
    batches.submits({ tag, inputs })
    const caller = await service.keyCache.find(key.text)
    const ended = endOf(caller, this.#deps.clock.now())
    if (ended) throw plainFailure(ended)
    const limit: [string, string][] = maxCredits === null ? [] : [['max_credits', String(maxCredits)]]
    const lines = inputs.map((id) => `${JSON.stringify({ id })}\n`).join('')
    const { public_id: id } = await submitBatch(service.batches, caller, {
      type: 'application/x-ndjson',
      bytes: (async function* () {
        yield Buffer.from(lines)
      })(),
      query: new Map([['kind', 'people'], ...limit]),
      isLost: () => false,
      idempotencyKey: null,
      spendTag: tag,
    })
    service.batches.wake()
    batches.submitted({ id, tag, inputs, environment: key.environment, environmentId: caller.environmentId })
  }

  async watch(random: Random): Promise<void> {
    const { clock, oracle } = this.#deps
    const { service } = this.#deps.life()
    const key = random.pick(oracle.keys)
    const identifier = { kind: 'people' as const, type: 'slug' as const, value: random.pick(slugs) }
    const maxCreditsPerMonth = random.chance(0.3) ? 1 + random.below(4) : undefined
    const { environmentId, keyId } = await service.keyCache.find(key.text)
    const watches = [{ identifier, everyDays: 1 }]
    const args = { environmentId, keyId, watches, atMost: 100, actor: null, at: clock.now() }
    await service.store.watches.addWatches({ ...args, maxCreditsPerMonth })
  }

  /** The results of a batch, as a caller downloads them. */
  async results({ id: publicId, environmentId }: SimulatedBatch): Promise<string[]> {
    const { service } = this.#deps.life()
    const batch = await service.batches.store.batches.showBatch({ environmentId, publicId })
    if (!batch) return []
    let text = ''
    for await (const piece of batchResults(service.batches, batch, { format: 'ndjson', after: 0 }))
      text += piece.toString()
    return text.split('\n').filter((line) => line !== '')
  }
}
