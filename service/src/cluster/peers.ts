/** An event for the other processes of the same service. */
export type PeerEvent =
  /** Keys, projects or paused providers changed: their cached copies are invalid. */
  | { topic: 'keys' }
  /** A price book was set: it must be read before it becomes valid. */
  | { topic: 'prices' }
  /** A record changed under these cache names; `all` after an erasure. */
  | { topic: 'records'; names: string[]; entityIds: number[]; all: boolean }
  /** A fetch that others may wait for has ended. */
  | { topic: 'fetched'; name: string; end: FetchEnd }
  /** Events were written: the webhook sender need not wait for its next check. */
  | { topic: 'events' }
  /** Windows of rate limits began in Redis. `number` counts the messages of the node `from`. */
  | { topic: 'windows'; from: string; number: number; windows: BegunWindow[] }

/** A window of a rate limit that has just begun. */
export interface BegunWindow {
  id: string
  windowMs: number
  endsInMs: number
}

/** The result of a fetch, for other processes that wait for it. */
export type FetchEnd =
  | {
      end: 'found'
      versionId: number
      notLive?: 'store' | 'stale_fallback'
      /** The fetched versions: the one that answers, or those that fill it. */
      fetched?: readonly { versionId: number; provider: string }[]
    }
  | { end: 'not_found' }
  /** A 404 from a substitute provider only. */
  | { end: 'uncertain' }
  | { end: 'failed'; fault: 'unavailable' | 'timeout' | 'invalid' | 'rejected' | 'limited' }
  /** The process that had claimed it did not make it: any other may claim it now. */
  | { end: 'given_up' }

/** The other processes that share this store. Nothing durable, such as a balance, depends on these messages. */
export interface Peers {
  /** False if events do not arrive here or at the others: then nothing that they could change may be cached. */
  readonly connected: boolean
  /**
   * False if others may have presumed this process dead and do not wait for it: then nothing cached may be used either.
   */
  readonly isWaitedFor: boolean
  /**
   * Notifies all others. When it resolves, events about keys, prices and erasures have reached all of them, even while
   * Redis is lost; other events may be lost if `connected` is false.
   */
  notify(item: PeerEvent): Promise<void>
  listen(listener: (item: PeerEvent) => void): void
  /** Called with the new state whenever `connected` changes. */
  onConnection(listener: (connected: boolean) => void): void
  /**
   * Claims a piece of work for this process; false if another has it. Without a connection, every process works alone.
   */
  claim(name: string, forMs: number): Promise<boolean>
  /** Extends a claim of this process by this time. */
  renew(name: string, forMs: number): Promise<void>
  giveUp(name: string): Promise<void>
  close(): Promise<void>
}

/** A service with one process has no others to notify. */
export const noPeers: Peers = {
  connected: true,
  isWaitedFor: true,
  notify: async () => undefined,
  listen: () => undefined,
  onConnection: () => undefined,
  claim: async () => true,
  renew: async () => undefined,
  giveUp: async () => undefined,
  close: async () => undefined,
}
