import { randomUUID } from 'node:crypto'
import {
  BrokenAgreement,
  type FaultKind,
  gated,
  probeIdentifier,
  type Provider,
  ProviderFault,
  type Send,
} from '@vitae/provider'

export interface ProviderCheck {
  ok: boolean
  verdict: 'answers' | FaultKind
  detail: string
  durationMs: number
}

const details: Record<FaultKind, string> = {
  rejected: 'It refuses our key or account: check the contract and the key.',
  limited: 'It asks for fewer calls: the key is accepted, but its rate or quota is used up.',
  timeout: 'It did not answer in time: check the network, or allow it more time.',
  unavailable: 'It cannot be reached or fails: check its address and its status page.',
  invalid: 'Something answers, but not in this provider’s form: check the address.',
}

/** Makes one cheap call, past breaker and retries: checks that the provider answers and accepts our key. */
export async function checkProvider(provider: Provider, send: Send, timeoutMs: number): Promise<ProviderCheck> {
  const startedAt = performance.now()
  const ended = (check: Omit<ProviderCheck, 'durationMs'>) => ({
    ...check,
    durationMs: Math.round(performance.now() - startedAt),
  })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const checked = gated(provider, { totalMs: timeoutMs })
    // An identifier that nobody has: a provider that accepts our key returns "not found", which most do not bill.
    const identifier = probeIdentifier(checked, 'vitae-connection-check')
    await checked.ask({ identifier, fresh: false, maxAgeDays: 7, idempotencyKey: randomUUID(), signal }, send)
    const detail = provider.name === 'directory' ? 'Its files are readable.' : 'It answers, and accepts the key.'
    return ended({ ok: true, verdict: 'answers', detail })
  } catch (error) {
    const kind = error instanceof ProviderFault ? error.kind : 'timeout'
    if (error instanceof BrokenAgreement)
      return ended({ ok: false, verdict: kind, detail: `Its code is faulty: ${error.reason}.` })
    // A provider that limits our rate is up and knows our key.
    return ended({ ok: kind === 'limited', verdict: kind, detail: details[kind] })
  }
}
