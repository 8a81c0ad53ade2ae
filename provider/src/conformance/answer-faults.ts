import { BrokenAgreement } from '../gate/broken-agreement.ts'
import { gated } from '../gate/gated.ts'
import { asProvider } from '../gate/provider-in-charge.ts'
import { type FaultKind, ProviderFault } from '../provider-fault.ts'
import type { ProviderAsk, RawAnswer, WireRequest } from '../provider.ts'
import type { ProviderModule } from '../provider-module.ts'
import { probeIdentifier } from '../shared/probe-identifier.ts'

const url = 'https://conformance.example/base'
const key = 'conformance-key'
const askMs = 10_000

/** Responses that mean the same for every provider, with the fault kinds that a provider may report for each. */
const outages: [what: string, status: number, body: string, kinds: FaultKind[]][] = [
  ['a 401', 401, '{"error":"no"}', ['rejected']],
  ['a 402', 402, '{"error":"no"}', ['rejected']],
  // One vendor answers 403 to too many calls, and 429 when the quota is used up.
  ['a 403', 403, '{"error":"no"}', ['rejected', 'limited']],
  ['a 429', 429, '{"error":"no"}', ['limited', 'rejected']],
  ['a 500', 500, '{"error":"no"}', ['unavailable']],
  ['a 503', 503, '<html>', ['unavailable']],
  ['a 404 that is a web page', 404, '<!doctype html><html></html>', ['invalid']],
  ['a 200 that is a web page', 200, '<!doctype html><html></html>', ['invalid']],
  ['a 200 that is half a record', 200, '{"name": "Wr', ['invalid']],
]

/** Checks the requests of a provider, and how it handles responses that contain no record. */
export async function answerFaults(module: ProviderModule): Promise<string[]> {
  const faults: string[] = []
  for (const [what, status, body, kinds] of outages) {
    const { outcome, requests } = await ask(module, answerOf(status, body))
    if (!kinds.some((kind) => kind === outcome))
      faults.push(`${what} is ${outcome}, not a fault of kind ${kinds.join(' or ')}`)
    faults.push(...requests.flatMap((request) => requestFaults(request, module.facts?.isKeyInQuery ?? false)))
  }
  return [...new Set(faults)]
}

/** The outcome when the payload is the body of a 200. It must be `found` or a fault. */
export async function outcomeOfPayload(
  module: ProviderModule,
  kind: 'people' | 'companies',
  body: Uint8Array,
): Promise<string> {
  return (await ask(module, { ...answerOf(200, ''), body }, kind)).outcome
}

/** The key may appear in the URL only if the provider file declares `isKeyInQuery`. */
function requestFaults({ url: asked, headers }: WireRequest, isKeyInQuery: boolean): string[] {
  if (!(asked instanceof URL) || typeof headers !== 'object') return ['a request has no URL or no headers']
  return [
    ...(asked.origin === new URL(url).origin ? [] : ['a request goes to another host than the configured address']),
    ...(asked.href.includes(key) && !isKeyInQuery
      ? ['the key is in the address of a request, which ends up in logs']
      : []),
    ...(Object.values(headers).every((value) => typeof value === 'string') ? [] : ['a header is not a text']),
  ]
}

function answerOf(status: number, body: string): RawAnswer {
  return { status, headers: {}, body: new TextEncoder().encode(body), receivedAt: Date.UTC(2026, 0, 1) }
}

/** Asks once and answers every request with the same response. Stops a provider that polls after ten requests. */
async function ask(module: ProviderModule, answer: RawAnswer, kind?: 'people' | 'companies') {
  const requests: WireRequest[] = []
  const enough = new ProviderFault('timeout', 'asked more than ten times')
  try {
    const provider = gated(
      asProvider(module.name, () => module.create({ url, key })),
      { totalMs: askMs },
    )
    const asked: ProviderAsk = {
      identifier: probeIdentifier(provider, 'vitae-conformance', kind),
      ...{ fresh: false, maxAgeDays: 7, idempotencyKey: 'conformance', signal: new AbortController().signal },
    }
    const verdict = await provider.ask(asked, async (request) => {
      requests.push(request)
      if (requests.length > 10) throw enough
      return { ...answer }
    })
    // A response that counts as found must also map to a record.
    if (verdict.outcome === 'found') provider.project(asked.identifier.kind, verdict.answer.body)
    return { outcome: verdict.outcome, requests }
  } catch (error) {
    if (error instanceof BrokenAgreement) return { outcome: `a breach of the agreement (${error.reason})`, requests }
    return { outcome: error instanceof ProviderFault ? error.kind : 'an exception of its own', requests }
  }
}
