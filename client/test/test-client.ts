import { type ClientOptions, VitaeClient } from '../src/index.ts'

export const testKey = 'vt_test_00000000000000000000000000000000abcdef'

/** A clock that advances only in sleeps; `waits` lists the length of each. */
export function fakeTiming(random = 0) {
  const waits: number[] = []
  let now = 0
  const timing = {
    now: () => now,
    random: () => random,
    sleep: async (ms: number) => {
      waits.push(ms)
      now += ms
    },
  }
  return { waits, timing }
}

/** A client of the given service that waits without delay. */
export function openClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const { waits, timing } = fakeTiming()
  return { waits, client: new VitaeClient({ apiKey: testKey, baseUrl, timing, ...options }) }
}

/** The reason of a rejected promise. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a rejection')
    },
    (error: unknown) => error,
  )
}
