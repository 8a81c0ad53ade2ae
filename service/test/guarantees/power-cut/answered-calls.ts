/** Something that was asked for: when it was sent, and when its answer had come, counted in what was seen from outside. */
interface Asked {
  sent: number
  answered: number | null
}

/** A lookup that costs one credit; sent again under one value until it is answered. */
export interface Call extends Asked {
  value: string
  path: string
  key: string
  /** What is stored of it afterwards. */
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

/** What must be on a disk, and what may be: all that was answered before one moment, and all that was sent before another. */
export interface Moments {
  answeredBy: number
  sentBy: number
}

/** What callers and operators were told, kept apart from the service. */
export class AnsweredCalls {
  #seen = 0
  readonly calls: Call[] = []
  readonly keys: MadeKey[] = []
  readonly revocations: Revocation[] = []
  readonly grants: Grant[] = []
  readonly erasures: Erasure[] = []
  /** Files of the data folder that no start may find changed. */
  readonly secrets = new Map<string, string>()

  /** This moment, in the order of what was seen. */
  get now(): number {
    return this.#seen
  }

  /** Notes what is asked for, asks for it, and notes that it was answered. */
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

/** What was answered in time: it must be there. */
export function promised<Entry extends Asked>(list: readonly Entry[], { answeredBy }: Moments): Entry[] {
  return list.filter(({ answered }) => answered !== null && answered <= answeredBy)
}

/** What was sent in time and not promised: it may be there, or not. */
export function possible<Entry extends Asked>(list: readonly Entry[], moments: Moments): Entry[] {
  return list.filter(
    ({ sent, answered }) => sent <= moments.sentBy && (answered === null || answered > moments.answeredBy),
  )
}
