import { AsyncLocalStorage } from 'node:async_hooks'

const inCharge = new AsyncLocalStorage<string | null>()

/** Runs provider code. Everything that it starts, even later, is attributed to the provider. */
export function asProvider<Result>(provider: string, work: () => Result): Result {
  return inCharge.run(provider, work)
}

/** Runs our own code during a provider's call. Sockets and timers that it opens are not attributed to the provider. */
export function asNobody<Result>(work: () => Result): Result {
  return inCharge.run(null, work)
}

/** The provider whose code runs, or started the promise or callback that fails now; null for our own code. */
export function providerInCharge(): string | null {
  return inCharge.getStore() ?? null
}
