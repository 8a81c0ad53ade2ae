/** The contents of a generated store besides records. */
export interface MadeStore {
  records: number
  madeAt: number
  liveKeys: string[]
  testKey: string
}

/** A live key of a generated store, with its ids in the ledger. */
export interface Payer {
  environment: string
  keyId: string
  environmentId: number
}

/** The owner of all calls of the benchmark. */
export const account = { project: 'bench', environment: 'production' }

/** The file with the keys in the data folder. */
export const madeFile = 'bench.json'
