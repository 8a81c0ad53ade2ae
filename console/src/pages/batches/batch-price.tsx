import type { BatchPreview } from '@vitae/contract/admin'
import { Notice } from '../../elements/notice.tsx'
import { Tile } from '../../elements/tile.tsx'
import { formatCredits, formatNumber } from '../../format.ts'

/** The estimated cost of a batch and the number of its records already in the store. */
export function BatchPrice({ price, most }: { price: BatchPreview; most: number | null }) {
  const { rows, distinct, invalid, in_store: stored, fresh, not_found: missing } = price
  const count = formatNumber
  return (
    <div role="status" aria-label="What it costs">
      <div class="tiles">
        <Tile label="Rows" value={count(rows)}>
          {count(distinct)} different ids, {count(invalid)} without an id
        </Tile>
        <Tile label="Already in the store" value={count(stored)} tone="good">
          {count(fresh)} of them fresh enough
        </Tile>
        <Tile label="To fetch from a provider" value={count(distinct - fresh - missing)}>
          {missing > 0 ? `${count(missing)} more are known to be missing` : null}
        </Tile>
        <Tile label="Credits at most" value={count(creditsAtMost(price, most))}>
          {price.mode === 'test' ? 'a test key is free' : 'only what is found is paid for'}
        </Tile>
      </div>
      <Shortage price={price} most={most} />
    </div>
  )
}

/** The cost if every row is found, capped by the user's limit. */
export function creditsAtMost({ credits_at_most: all }: BatchPreview, most: number | null): number {
  return most === null ? all : Math.min(all, most)
}

function Shortage({ price, most }: { price: BatchPreview; most: number | null }) {
  const needed = creditsAtMost(price, most)
  const { credits_available: available, ceiling_remaining: ceiling } = price
  const isShort = available !== null && available < needed
  if (!isShort && (ceiling === null || ceiling >= needed)) return null
  const what = isShort
    ? `${price.project}/${price.environment} has ${formatCredits(available)}.`
    : `The ceilings of the key leave ${formatCredits(ceiling)}.`
  return (
    <Notice tone="warning">
      {what} The batch pauses when they are spent, and resumes by itself when credits are available again.
    </Notice>
  )
}
