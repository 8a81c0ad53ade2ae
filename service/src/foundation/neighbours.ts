/** Something that other processes of the same service must hear about. */
export type NewsItem =
  /** Keys or projects changed: what is cached of them is void. */
  | { topic: 'keys' }
  /** A record changed under these cache names; `all` after an erasure. */
  | { topic: 'records'; names: string[]; entityIds: number[]; all: boolean }
  /** A fetch that others may be waiting for has ended. */
  | { topic: 'fetched'; name: string; end: FetchEnd }

export type FetchEnd = 'found' | 'not_found' | 'failed'

/**
 * The other processes that share this store. What goes through here may be lost: it only makes things quicker or
 * sooner known, and nothing durable, above all no balance, depends on it.
 */
export interface Neighbours {
  /** False where news cannot reach the others, or theirs us: then nothing that they could change may be cached. */
  readonly connected: boolean
  /** Tells all others. Resolves when it has been handed on; a loss is not an error. */
  tell(item: NewsItem): Promise<void>
  listen(listener: (item: NewsItem) => void): void
  /** Called with the new state whenever `connected` changes. */
  onConnection(listener: (connected: boolean) => void): void
  /** Claims a piece of work for this process; false where another has it. Without connection everybody works alone. */
  claim(name: string, forMs: number): Promise<boolean>
  giveUp(name: string): Promise<void>
  close(): Promise<void>
}

/** A service of one process has no others to tell. */
export const noNeighbours: Neighbours = {
  connected: true,
  tell: async () => undefined,
  listen: () => undefined,
  onConnection: () => undefined,
  claim: async () => true,
  giveUp: async () => undefined,
  close: async () => undefined,
}

/** Many nodes on one database and nothing between them: all is read anew from the store. */
export const unknownNeighbours: Neighbours = { ...noNeighbours, connected: false }
