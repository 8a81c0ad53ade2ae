import type { NodeRegistry } from '../../cluster/node-registry.ts'
import type { BegunWindow, Peers } from '../../cluster/peers.ts'

interface Deps {
  peers: Pick<Peers, 'notify' | 'listen'>
  nodeRegistry: NodeRegistry
  onWindow(window: BegunWindow): void
  /** A notice of another node did not arrive. */
  onMissed(): void
}

/**
 * Notifies the other nodes of windows that begin in Redis, in one message per turn of the event loop. Each node numbers
 * its messages and writes the last number with its heartbeat, so that the others know whether they missed one.
 */
export class WindowNotices {
  readonly #deps: Deps
  readonly #heard = new Map<string, number>()
  #begun: BegunWindow[] = []

  constructor(deps: Deps) {
    this.#deps = deps
    deps.peers.listen((item) => {
      if (item.topic !== 'windows') return
      const last = this.#heard.get(item.from) ?? item.number
      if (item.number > last + 1) deps.onMissed()
      this.#heard.set(item.from, Math.max(last, item.number))
      for (const window of item.windows) deps.onWindow(window)
    })
  }

  notify(window: BegunWindow): void {
    if (this.#begun.push(window) > 1) return
    const { peers, nodeRegistry } = this.#deps
    const number = ++nodeRegistry.notices
    setImmediate(() => {
      const windows = this.#begun
      this.#begun = []
      void peers.notify({ topic: 'windows', from: nodeRegistry.id, number, windows })
    })
  }

  /** Starts to count the messages of nodes that this one meets: earlier windows are known or are read from Redis. */
  meet(): void {
    for (const { id, notices } of this.#deps.nodeRegistry.state.others)
      if (notices !== null && !this.#heard.has(id)) this.#heard.set(id, notices)
  }

  /** Compares the numbers when no node counts in Redis. A node of an earlier version sends no notices. */
  compare(): void {
    const { others } = this.#deps.nodeRegistry.state
    const isMissing = others.some(({ id, notices }) => notices === null || notices > (this.#heard.get(id) ?? 0))
    if (isMissing) this.#deps.onMissed()
    for (const { id, notices } of others) this.#heard.set(id, Math.max(notices ?? 0, this.#heard.get(id) ?? 0))
  }
}
