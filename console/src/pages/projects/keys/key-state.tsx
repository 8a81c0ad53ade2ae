import type { Key } from '@vitae/contract/admin'
import { Badge } from '../../../elements/badge.tsx'
import { MeterBar } from '../../../elements/charts/meter-bar.tsx'
import { Time } from '../../../elements/time/time.tsx'

/** Returns true if a key is neither revoked nor expired. */
export function isAlive(key: Key, now = Date.now()): boolean {
  return !isRevoked(key, now) && !isPast(key.expires_at, now)
}

function isRevoked({ revoked, revoked_at: at }: Key, now: number): boolean {
  return revoked || isPast(at, now)
}

function isPast(at: string | null, now: number): boolean {
  return at !== null && Date.parse(at) <= now
}

/** The state of a key as a badge. */
export function KeyState({ of: key }: { of: Key }) {
  const now = Date.now()
  if (isRevoked(key, now)) return <Badge tone="danger">revoked</Badge>
  if (isPast(key.expires_at, now)) return <Badge tone="danger">expired</Badge>
  const isFull = (spent: number, ceiling: number | null) => ceiling !== null && spent >= ceiling
  if (isFull(key.spent_this_month, key.ceiling) || isFull(key.spent_today, key.daily_ceiling))
    return <Badge tone="danger">ceiling reached</Badge>
  if (key.revoked_at !== null)
    return (
      <Badge tone="warning">
        ends <Time at={key.revoked_at} ago />
      </Badge>
    )
  return <Badge tone="good">active</Badge>
}

/** The key's spending in this UTC month against its ceiling. Test keys spend nothing. */
export function KeySpend({ of: key }: { of: Key }) {
  if (key.mode === 'test') return <span class="faint">free</span>
  return <MeterBar used={key.spent_this_month} limit={key.ceiling} label={`Spent this month by ${key.display}`} />
}
