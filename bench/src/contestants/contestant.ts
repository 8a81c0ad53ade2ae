/** What a server writes down about money. */
export interface Account {
  /** What every answer of status 200 costs. */
  price: number
  balance: () => Promise<number>
}

/** A server in the race: a process of its own, on loopback. */
export interface Contestant {
  name: string
  url: string
  keys: string[]
  /** Roots of the process trees that do its work. */
  pids: number[]
  /** Null where nothing is billed. */
  account: Account | null
  stop: () => Promise<void>
}
