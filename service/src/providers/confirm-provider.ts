import { gated, type Identifier, type Provider, ProviderFault, type Send, type WireRequest } from '@vitae/provider'

/** The result of one real call to a provider defined by a file. */
export interface Confirmation {
  /** It found and mapped a record: from now on its "not found" counts. */
  ok: boolean
  verdict: string
  detail: string
  request: { method: string; url: string; body: string | null } | null
  status: number | null
  /** In the provider's own credits. */
  cost: number | null
  record: object | null
  /** Parts of the record that the payload does not say. */
  unsaid: readonly string[]
}

/** Asks for one record, past breaker and retries, and shows the whole exchange. The key is removed from it. */
export async function confirmProvider(
  provider: Provider,
  send: Send,
  { identifier, timeoutMs, key }: { identifier: Identifier; timeoutMs: number; key: string },
): Promise<Confirmation> {
  const seen: { request: WireRequest | null; status: number | null } = { request: null, status: null }
  const noted: Send = async (request, signal) => {
    seen.request = request
    const answer = await send(request, signal)
    seen.status = answer.status
    return answer
  }
  const shown = (part: Pick<Confirmation, 'ok' | 'verdict' | 'detail'> & Partial<Confirmation>): Confirmation => {
    const { request, status } = seen
    const hidden = (text: string) =>
      key === '' ? text : text.replaceAll(key, '(key)').replaceAll(encodeURIComponent(key), '(key)')
    const asked = request && { method: request.method, url: hidden(request.url.href), body: request.body ?? null }
    return { request: asked, status, cost: null, record: null, unsaid: [], ...part }
  }
  try {
    const checked = gated(provider, { totalMs: timeoutMs })
    const ask = { identifier, fresh: false, maxAgeDays: 7, idempotencyKey: crypto.randomUUID() }
    const { outcome, answer, cost } = await checked.ask({ ...ask, signal: AbortSignal.timeout(timeoutMs) }, noted)
    if (outcome === 'not_found')
      return shown({
        ok: false,
        verdict: outcome,
        cost,
        detail: 'It has no such record. Try an identifier that it has.',
      })
    const { record, unsaid = [] } = checked.project(identifier.kind, answer.body)
    return shown({
      ok: true,
      verdict: outcome,
      cost,
      record,
      unsaid,
      detail: 'Confirmed: its "not found" answers count from now on.',
    })
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    return shown({ ok: false, verdict: error.kind, detail: `${error.reason}.` })
  }
}
