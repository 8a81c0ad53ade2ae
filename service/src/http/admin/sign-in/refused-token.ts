import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../../foundation/failure.ts'
import type { Rate } from '../../../foundation/rate.ts'
import type { AppDeps } from '../../exchange/deps.ts'

/** Wrong tokens per client address before responses slow down. */
const wrongTokens: Rate = { limit: 10, windowMs: 300_000 }
/** Lines in the log and the audit log, over all addresses, so that guesses cannot fill the store. */
const notes: Rate = { limit: 100, windowMs: 60_000 }
const pauseMs = 500
/** Maximum number of delayed responses. Beyond it, guesses are refused without a delay, so they hold no memory. */
const pausesAtOnce = 100
let pauses = 0

/**
 * Answers a wrong admin token. Wrong tokens are counted per address, delayed, logged and audited, without the token
 * itself. A valid token is never counted or refused, so a user who shares an address with an attacker still gets in.
 */
export async function refuseToken(deps: AppDeps, request: FastifyRequest, way: 'sign_in' | 'bearer'): Promise<Failure> {
  const verdict = await deps.limiter.take(`login/${request.ip}`, wrongTokens)
  await note(deps, request.ip, { way, slowed_down: !verdict.allowed })
  if (verdict.allowed) {
    const detail = way === 'sign_in' ? 'This admin token is not valid.' : 'The admin token is not valid.'
    return new Failure('admin_token_required', { detail })
  }
  if (pauses < pausesAtOnce) {
    pauses++
    await wait(pauseMs)
    pauses--
  }
  return new Failure('too_many_logins', {
    retryAfterSeconds: verdict.resetSeconds,
    detail: `Too many wrong admin tokens from this address. A right one still works; wait ${verdict.resetSeconds} seconds for more.`,
  })
}

async function note(deps: AppDeps, address: string, after: { way: string; slowed_down: boolean }): Promise<void> {
  // Of delayed guesses, one per minute and address is enough to show that they continue.
  if (after.slowed_down && !(await deps.limiter.take(`login-slow/${address}`, { limit: 1, windowMs: 60_000 })).allowed)
    return
  if (!(await deps.limiter.take('login-notes', notes)).allowed) return
  deps.log.warn({ address, ...after }, 'wrong admin token')
  const entry = { at: deps.clock.now(), actor: `address:${address}`, action: 'session.refuse', after }
  await deps.store.audit.recordAudit(entry)
}
