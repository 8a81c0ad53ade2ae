/** Something that other processes of the same service must hear about. */
export type PeerEvent =
  /** Keys or projects changed: what is cached of them is void. */
  | { topic: 'keys' }
  /** A price book was set: it is read before it becomes valid. */
  | { topic: 'prices' }
  /** A record changed under these cache names; `all` after an erasure. */
  | { topic: 'records'; names: string[]; entityIds: number[]; all: boolean }
  /** A fetch that others may be waiting for has ended. */
  | { topic: 'fetched'; name: string; end: FetchEnd }
  /** Events were written: whoever sends them to webhooks need not wait for its next look. */
  | { topic: 'events' }

/** How a fetch ended, for other processes that waited for it. */
export type FetchEnd =
  | {
      end: 'found'
      versionId: number
      notLive?: 'store' | 'stale_fallback'
      /** The versions that were fetched: the one that answers, or those that fill it. */
      fetched?: readonly { versionId: number; provider: string }[]
    }
  | { end: 'not_found' }
  /** A 404 that only a substitute gave. */
  | { end: 'uncertain' }
  | { end: 'failed'; fault: 'unavailable' | 'timeout' | 'invalid' | 'rejected' | 'limited' }
  /** It was not made, for a reason of the process that had claimed it: any other may claim it now. */
  | { end: 'given_up' }

/**
 * The other processes that share this store. Nothing durable, above all no balance, depends on what goes through here.
 */
export interface Peers {
  /** False where events do not arrive here or at the others: then nothing that they could change may be cached. */
  readonly connected: boolean
  /** False where the others may have taken this process for dead, and do not wait for it: then nothing cached may be used either. */
  readonly isWaitedFor: boolean
  /**
   * Notifies all others. When it resolves, events about keys, prices and erasures have reached all of them, also while Redis is
   * lost; other events may be lost where `connected` is false.
   */
  notify(item: PeerEvent): Promise<void>
  listen(listener: (item: PeerEvent) => void): void
  /** Called with the new state whenever `connected` changes. */
  onConnection(listener: (connected: boolean) => void): void
  /** Claims a piece of work for this process; false where another has it. Without connection everybody works alone. */
  claim(name: string, forMs: number): Promise<boolean>
  /** Keeps a claim of this process for so long from now. */
  renew(name: string, forMs: number): Promise<void>
  giveUp(name: string): Promise<void>
  close(): Promise<void>
}

/** A service of one process has no others to notify. */
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
