/** What a made store holds besides records. */
export interface MadeStore {
  records: number
  madeAt: number
  liveKeys: string[]
  testKey: string
}

/** A live key of a made store, as the ledger knows it. */
export interface Payer {
  environment: string
  keyId: string
  environmentId: number
}

/** Who pays for all calls of the benchmark. */
export const account = { project: 'bench', environment: 'production' }

/** Where the keys are left in the data folder. */
export const madeFile = 'bench.json'
