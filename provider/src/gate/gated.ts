import type { Provider, ProviderAsk, RawAnswer, Send, Verdict } from '../provider.ts'
import { faultFrom } from './broken-agreement.ts'
import { checkProjection } from './check-projection.ts'
import { checkVerdict } from './check-verdict.ts'
import { asNobody, asProvider } from './provider-in-charge.ts'
import { AskSignal, type Limits } from './time-limits.ts'

/** The declared facts of a provider, each read once. Add a line here for a new fact. */
const declared: Record<Exclude<keyof Provider, 'ask' | 'project'>, true> = {
  name: true,
  supplies: true,
  projectionVersion: true,
  asks: true,
  neverStore: true,
  asksByKey: true,
  asksByDomain: true,
  matchesBy: true,
  refusesOpaqueIds: true,
  isToldRequired: true,
}

/**
 * Wraps a provider and checks everything it returns. The wrapper throws only `ProviderFault` or the abort reason of the
 * caller's signal, even if the provider misbehaves.
 */
export function gated(provider: Provider, limits: Limits = {}): Provider {
  const facts = Object.keys(declared).map((fact) => [fact, provider[fact as keyof typeof declared]] as const)
  const { name } = provider
  return {
    ...(Object.fromEntries(facts.filter(([, value]) => value !== undefined)) as Pick<Provider, keyof typeof declared>),
    ask: (ask, send) => askWithin(provider, ask, send, limits),
    project(kind, payload) {
      try {
        return checkProjection(
          name,
          kind,
          asProvider(name, () => provider.project(kind, payload)),
        )
      } catch (thrown) {
        throw faultFrom(name, 'project', thrown)
      }
    },
  }
}

async function askWithin(provider: Provider, ask: ProviderAsk, send: Send, limits: Limits): Promise<Verdict> {
  const { name } = provider
  const limited = new AskSignal(name, ask.signal, limits)
  const { signal } = limited
  const heard = new Set<RawAnswer>()
  // Async, so that an ignored rejection belongs to a promise of the provider.
  const sendFor: Send = async (request, inner) => {
    const answer = await limited.whileWaiting(() => asNobody(() => send(request, inner)))
    heard.add(Object.freeze(answer))
    return answer
  }
  try {
    const asked = asProvider(name, async () => provider.ask({ ...ask, signal }, sendFor))
    return checkVerdict(name, ask, await Promise.race([asked, limited.aborted]), {
      answers: heard,
      now: limits.now?.() ?? null,
    })
  } catch (thrown) {
    if (ask.signal.aborted) throw ask.signal.reason
    throw signal.aborted ? signal.reason : faultFrom(name, 'ask', thrown)
  } finally {
    limited.end()
  }
}
