import { errorReply, type Message, type Post, type Reply } from './messages.ts'
import { failureIn } from '../../foundation/failure.ts'

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
}

interface Deps<Out, In> {
  send(post: Post<Out>): void
  /** A result that is there at once need not be a promise. */
  answer(ask: In): unknown
}

/**
 * One end of the way between the primary and a worker: asks and their replies, both ways. What is said within one turn
 * of the event loop leaves together, because a message costs far more than what is in it.
 */
export class Channel<Out extends { ask: string }, In extends { ask: string }> {
  readonly #deps: Deps<Out, In>
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #turn = 0
  #text: Message<Out>[] = []
  #rest: Message<Out>[] = []
  #closed: Error | null = null

  constructor(deps: Deps<Out, In>) {
    this.#deps = deps
  }

  /** Grows whenever what was said has left: an ask is read only then. */
  get turn(): number {
    return this.#turn
  }

  ask(ask: Out): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(this.#closed)
      const id = ++this.#lastId
      this.#waiting.set(id, { resolve, reject })
      this.#say(ask, { id, ask })
    })
  }

  receive({ text, rest }: Post<In>): void {
    if (text !== '') for (const message of JSON.parse(text) as Message<In>[]) this.#receiveOne(message)
    for (const message of rest) this.#receiveOne(message)
  }

  /** Fails everything that waits, because the other side is gone. */
  close(reason: string): void {
    this.#closed = new Error(reason)
    for (const { reject } of this.#waiting.values()) reject(this.#closed)
    this.#waiting.clear()
  }

  #receiveOne(message: Message<In>): void {
    if ('ask' in message) this.#answer(message.id, message.ask)
    else this.#settle(message)
  }

  #answer(id: number, ask: In): void {
    try {
      const result = this.#deps.answer(ask)
      if (!(result instanceof Promise)) return this.#say(ask, { id, result })
      result.then(
        (later: unknown) => this.#say(ask, { id, result: later }),
        (error: unknown) => this.#say(ask, errorReply(id, error)),
      )
    } catch (error) {
      this.#say(ask, errorReply(id, error))
    }
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    if (!waiting) return
    this.#waiting.delete(reply.id)
    if ('failure' in reply) waiting.reject(failureIn(reply.failure))
    else if ('error' in reply) waiting.reject(new Error(reply.error))
    else waiting.resolve(reply.result)
  }

  #say({ ask }: Out | In, message: Message<Out>): void {
    if (this.#text.length + this.#rest.length === 0) setImmediate(() => this.#flush())
    const part = ask === 'store' ? this.#rest : this.#text
    part.push(message)
  }

  #flush(): void {
    const text = this.#text.length === 0 ? '' : JSON.stringify(this.#text)
    const rest = this.#rest
    this.#text = []
    this.#rest = []
    this.#turn += 1
    if (!this.#closed) this.#deps.send({ text, rest })
  }
}
