import { type FaultKind, ProviderFault } from '../provider-fault.ts'
import type { Provider, ProviderAsk, RawAnswer, WireRequest } from '../provider.ts'
import type { ProviderModule } from '../provider-module.ts'

const url = 'https://conformance.example/base'
const key = 'conformance-key'

/** Answers that mean the same at every provider, and the kinds of fault that they may become. */
const outages: [what: string, status: number, body: string, kinds: FaultKind[]][] = [
  ['a 401', 401, '{"error":"no"}', ['rejected']],
  ['a 402', 402, '{"error":"no"}', ['rejected']],
  ['a 403', 403, '{"error":"no"}', ['rejected']],
  ['a 429', 429, '{"error":"no"}', ['limited']],
  ['a 500', 500, '{"error":"no"}', ['unavailable']],
  ['a 503', 503, '<html>', ['unavailable']],
  ['a 404 that is a web page', 404, '<!doctype html><html></html>', ['invalid']],
  ['a 200 that is a web page', 200, '<!doctype html><html></html>', ['invalid']],
  ['a 200 that is half a record', 200, '{"name": "Wr', ['invalid']],
]

/** How a provider asks, and what it makes of answers that are no records. */
export async function answerFaults(module: ProviderModule): Promise<string[]> {
  const faults: string[] = []
  for (const [what, status, body, kinds] of outages) {
    const { outcome, requests } = await ask(module, answerOf(status, body))
    if (!kinds.some((kind) => kind === outcome))
      faults.push(`${what} is ${outcome}, not a fault of kind ${kinds.join(' or ')}`)
    faults.push(...requests.flatMap(requestFaults))
  }
  return [...new Set(faults)]
}

/** What a payload is as the body of a 200: it must be found, or refused by a fault. */
export async function outcomeOfPayload(
  module: ProviderModule,
  kind: 'people' | 'companies',
  body: Uint8Array,
): Promise<string> {
  return (await ask(module, { ...answerOf(200, ''), body }, kind)).outcome
}

function requestFaults({ url: asked, headers }: WireRequest): string[] {
  return [
    ...(asked.origin === new URL(url).origin ? [] : ['a request goes to another host than the configured address']),
    ...(asked.href.includes(key) ? ['the key is in the address of a request, which ends up in logs'] : []),
    ...(Object.values(headers).every((value) => typeof value === 'string') ? [] : ['a header is not a text']),
  ]
}

function answerOf(status: number, body: string): RawAnswer {
  return { status, headers: {}, body: new TextEncoder().encode(body), receivedAt: Date.UTC(2026, 0, 1) }
}

/** One ask with one answer for every request. A provider that polls is ended after ten. */
async function ask(module: ProviderModule, answer: RawAnswer, kind: 'people' | 'companies' = 'people') {
  const requests: WireRequest[] = []
  const enough = new ProviderFault('timeout', 'asked more than ten times')
  const provider: Provider = module.create({ url, key })
  const asked: ProviderAsk = {
    identifier: { kind, type: 'slug', value: 'vitae-conformance' },
    ...{ fresh: false, maxAgeDays: 7, idempotencyKey: 'conformance', signal: AbortSignal.timeout(10_000) },
  }
  try {
    const verdict = await provider.ask(asked, (request) => {
      requests.push(request)
      return requests.length > 10 ? Promise.reject(enough) : Promise.resolve(answer)
    })
    const outcome = verdict.outcome === 'found' && answer.status !== 200 ? 'found' : verdict.outcome
    return { outcome: outcome === 'found' ? projected(provider, kind, verdict.answer) : outcome, requests }
  } catch (error) {
    return { outcome: error instanceof ProviderFault ? error.kind : 'an exception of its own', requests }
  }
}

/** An answer that is taken for a record must also be one: a mapping that refuses it is a fault of the kind `invalid`. */
function projected(provider: Provider, kind: 'people' | 'companies', { body }: RawAnswer): string {
  try {
    provider.project(kind, body)
    return 'found'
  } catch (error) {
    return error instanceof ProviderFault ? error.kind : 'an exception of its own'
  }
}
