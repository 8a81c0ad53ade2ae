import type { Kind } from '@vitae/contract'
import { BrokenAgreement } from '../gate/broken-agreement.ts'
import { gated } from '../gate/gated.ts'
import { asProvider } from '../gate/provider-in-charge.ts'
import { watchStrays } from '../gate/watch-strays.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { ProviderModule } from '../provider-module.ts'
import type { Projection, Provider } from '../provider.ts'
import { answerFaults, outcomeOfPayload } from './answer-faults.ts'
import { mutatePayload, seededRandom } from './mutate-payload.ts'
import { projectionFaults, unknownPaths } from './projection-faults.ts'

/** An unmodified response body of the provider. */
export interface Payload {
  /** The name that findings show. */
  name: string
  kind: Kind
  body: Uint8Array
}

export interface Finding {
  /** The name of a payload, or `supplies`, `answers` or `code`. */
  where: string
  what: string
}

export interface Conformance {
  findings: Finding[]
  mapped: number
  refused: number
  /** The number of mutated payloads that were tried. */
  mutations: number
}

const usualMutations = 400

/**
 * Tests a provider against the agreement of the interface. Every payload maps or is refused, the contract's rules hold,
 * `supplies` is true, and faults have the right kinds. Mutated payloads break nothing, and no promise rejects
 * unhandled. `more` runs under the same watch for unhandled failures.
 */
export async function testProvider(
  module: ProviderModule,
  payloads: readonly Payload[],
  more: () => Promise<Finding[]> = async () => [],
  mutationsPerPayload = usualMutations,
): Promise<Conformance> {
  const strays = new Set<string>()
  const stop = watchStrays({
    onStray: (_provider, what) => strays.add(`causes an unhandled failure: ${what}`),
    onOther: (error) => {
      throw error
    },
  })
  try {
    const tested = await testWatched(module, payloads, mutationsPerPayload)
    const others = await more()
    // Node reports an unhandled rejection only after the pending microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    return { ...tested, findings: [...tested.findings, ...others, ...[...strays].map((what) => found('code', what))] }
  } finally {
    stop()
  }
}

async function testWatched(
  module: ProviderModule,
  payloads: readonly Payload[],
  perPayload: number,
): Promise<Conformance> {
  const provider = gated(asProvider(module.name, () => module.create({ url: module.defaultUrl, key: '' })))
  const projections = payloads.map(({ kind, body }) => project(provider, kind, body))
  const mapped = projections.filter((projection) => 'record' in projection).length
  const findings: Finding[] = [
    ...(['people', 'companies'] as const).flatMap((kind) =>
      unknownPaths(kind, provider.supplies).map((path) => found('supplies', `${kind} has no field ${path}`)),
    ),
    ...(await answerFaults(module)).map((what) => found('answers', what)),
  ]
  for (const [index, payload] of payloads.entries()) {
    const projection = projections[index] ?? { crash: 'it was not mapped' }
    findings.push(...faultsOf(provider, payload.kind, projection).map((what) => found(payload.name, what)))
    findings.push(
      ...(await verdictFault(module, payload, projection)),
      ...mutationFaults(provider, payload, perPayload),
    )
  }
  return { findings, mapped, refused: payloads.length - mapped, mutations: payloads.length * perPayload }
}

type Tried = Projection | { refused: true } | { crash: string }

function project(provider: Provider, kind: Kind, body: Uint8Array): Tried {
  try {
    return provider.project(kind, body)
  } catch (error) {
    if (error instanceof BrokenAgreement) return { crash: error.reason }
    return error instanceof ProviderFault && error.kind === 'invalid'
      ? { refused: true }
      : { crash: `project threw a fault that is not of the kind 'invalid'` }
  }
}

function faultsOf(provider: Provider, kind: Kind, tried: Tried): string[] {
  if ('crash' in tried) return [tried.crash]
  return 'record' in tried ? projectionFaults(kind, tried, provider.supplies) : []
}

/** The provider's `ask` must report a payload that maps to a record as found. */
async function verdictFault(module: ProviderModule, { name, kind, body }: Payload, tried: Tried): Promise<Finding[]> {
  if (!('record' in tried)) return []
  const outcome = await outcomeOfPayload(module, kind, body)
  return outcome === 'found'
    ? []
    : [found(name, `maps to a record, but ask says ${outcome} where it is the body of a 200`)]
}

/** The first mutated payload that breaks a rule. One is enough to find the cause. */
function mutationFaults(provider: Provider, { name, kind, body }: Payload, mutations: number): Finding[] {
  const original = parse(body)
  if (original === undefined) return []
  const random = seededRandom(body.length)
  for (let turn = 1; turn <= mutations; turn++) {
    const changed = new TextEncoder().encode(JSON.stringify(mutatePayload(original, random)))
    const [fault] = faultsOf(provider, kind, project(provider, kind, changed))
    if (fault) return [found(name, `changed payload ${turn}: ${fault}`)]
  }
  return []
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown
  } catch {
    return undefined
  }
}

function found(where: string, what: string): Finding {
  return { where, what }
}
