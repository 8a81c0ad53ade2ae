/** The billing of a server. */
export interface Account {
  /** The price of every response with status 200. */
  price: number
  balance: () => Promise<number>
}

/** A server in the comparison: its own process, on loopback. */
export interface Contestant {
  name: string
  url: string
  keys: string[]
  /** The roots of its process trees. */
  pids: number[]
  /** Null if the server bills nothing. */
  account: Account | null
  stop: () => Promise<void>
}
