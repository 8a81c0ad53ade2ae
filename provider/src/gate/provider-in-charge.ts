import { AsyncLocalStorage } from 'node:async_hooks'

const inCharge = new AsyncLocalStorage<string | null>()

/** Runs code of a provider. Everything that it starts, however late, belongs to the provider. */
export function asProvider<Result>(provider: string, work: () => Result): Result {
  return inCharge.run(provider, work)
}

/** Runs our own code for a provider: sockets and timers that it opens belong to nobody. */
export function asNobody<Result>(work: () => Result): Result {
  return inCharge.run(null, work)
}

/** Whose code runs, or left the promise or the callback behind that is failing now; null for our own. */
export function providerInCharge(): string | null {
  return inCharge.getStore() ?? null
}
