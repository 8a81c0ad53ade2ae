interface Letter {
  message: unknown
  /** Memory that is handed over instead of copied. */
  handedOver: readonly ArrayBuffer[]
  /** Told when this message cannot be sent. */
  refuse(error: unknown): void
}

interface Port {
  postMessage(message: unknown, transferList: ArrayBuffer[]): void
}

interface Options {
  /** Calls back when all that belongs to this turn has been said. */
  atEndOfTurn(flush: () => void): void
  /** The first of a turn does not wait for the others. */
  firstAtOnce: boolean
}

/**
 * Sends what is said to another thread in one turn as one message. Waking the other thread costs more than most of what
 * is said, and in a crowd many callers speak in the same turn.
 */
export function createMessageBatch(port: Port, { atEndOfTurn, firstAtOnce }: Options): (letter: Letter) => void {
  let letters: Letter[] | null = null

  const send = (some: readonly Letter[]) =>
    port.postMessage(
      some.map(({ message }) => message),
      some.flatMap(({ handedOver }) => handedOver),
    )

  const flush = () => {
    const all = letters ?? []
    letters = null
    if (all.length === 0) return
    try {
      send(all)
    } catch {
      // One of them cannot be copied: the others must not suffer for it.
      for (const letter of all) sendAlone(letter)
    }
  }

  const sendAlone = (letter: Letter) => {
    try {
      send([letter])
    } catch (error) {
      letter.refuse(error)
    }
  }

  return (letter) => {
    if (letters) {
      letters.push(letter)
      return
    }
    letters = firstAtOnce ? [] : [letter]
    if (firstAtOnce) sendAlone(letter)
    atEndOfTurn(flush)
  }
}
