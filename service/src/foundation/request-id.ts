import { randomFillSync } from 'node:crypto'
import { systemClock } from './clock.ts'

const idsPerPool = 512
const randomBytes = 8
const pool = Buffer.allocUnsafeSlow(idsPerPool * randomBytes)

let poolText = ''
let poolAt = 0
let lastMs = 0
let count = 0
let timeText = ''

/**
 * A new call id: a UUID of version 7. It begins with its time, so that receipts can be found by month without an index
 * over all of them. Within a millisecond it counts up (RFC 9562, 6.2), because growing ids are written at the end of an
 * index.
 */
export function newRequestId(): string {
  const now = systemClock.now()
  // If the counter is full or the clock was set back, it continues in the next millisecond.
  if (now > lastMs || count === 0xfff) beginMs(Math.max(now, lastMs + 1))
  else count += 1
  if (poolAt === poolText.length) fillPool()
  const start = poolAt
  poolAt += randomBytes * 2
  return `${timeText}${countTexts[count]}-${poolText.slice(start, start + 4)}-${poolText.slice(start + 4, poolAt)}`
}

const countTexts = Array.from({ length: 0x1000 }, (_, each) => each.toString(16).padStart(3, '0'))

function beginMs(ms: number): void {
  lastMs = ms
  count = 0
  const hex = ms.toString(16).padStart(12, '0')
  timeText = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
}

function fillPool(): void {
  randomFillSync(pool)
  // The two variant bits.
  for (let at = 0; at < pool.length; at += randomBytes) pool[at] = ((pool[at] ?? 0) & 0x3f) | 0x80
  poolText = pool.toString('hex')
  poolAt = 0
}
