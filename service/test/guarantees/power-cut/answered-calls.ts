/** A request with its send time and answer time, as seen from outside. */
interface Asked {
  sent: number
  answered: number | null
}

/** A lookup that costs one credit. It is repeated under one idempotency value until it is answered. */
export interface Call extends Asked {
  value: string
  path: string
  key: string
  /** The slug of its stored record. */
  slug: string
  requestId: string
}

export interface MadeKey extends Asked {
  id: string
  key: string
}

export interface Grant extends Asked {
  amount: number
  reason: string
}

interface Revocation extends Asked {
  id: string
}

interface Erasure extends Asked {
  slug: string
}

/**
 * The state that a disk must and may have: everything answered before one moment, and everything sent before another.
 */
export interface Moments {
  answeredBy: number
  sentBy: number
}

/** The answers of callers and operators, recorded outside the service. */
export class AnsweredCalls {
  #seen = 0
  readonly calls: Call[] = []
  readonly keys: MadeKey[] = []
  readonly revocations: Revocation[] = []
  readonly grants: Grant[] = []
  readonly erasures: Erasure[] = []
  /** Files of the data folder that must not change between starts. */
  readonly secrets = new Map<string, string>()

  /** The current moment, in observation order. */
  get now(): number {
    return this.#seen
  }

  /** Records a request, sends it, and records its answer. */
  async note<Entry extends Asked>(
    list: Entry[],
    wish: Omit<Entry, keyof Asked>,
    ask: (entry: Entry) => Promise<void>,
  ): Promise<Entry> {
    const entry = { ...wish, sent: ++this.#seen, answered: null } as Entry
    list.push(entry)
    await ask(entry)
    entry.answered = ++this.#seen
    return entry
  }
}

/** Requests that were answered in time, so they must be on the disk. */
export function promised<Entry extends Asked>(list: readonly Entry[], { answeredBy }: Moments): Entry[] {
  return list.filter(({ answered }) => answered !== null && answered <= answeredBy)
}

/** Requests that were sent in time without an answer, so they may be on the disk. */
export function possible<Entry extends Asked>(list: readonly Entry[], moments: Moments): Entry[] {
  return list.filter(
    ({ sent, answered }) => sent <= moments.sentBy && (answered === null || answered > moments.answeredBy),
  )
}
