import { randomUUID } from 'node:crypto'
import type { Log } from '../foundation/log.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { ClusterState, NodeStore } from './node-operations.ts'

/** How a part of this process reacts to an alarm. */
export interface AlarmListener {
  /**
   * First, on every node: stop relying on what others may have changed. The node counts as reached when this is done.
   */
  heard(): Promise<void> | void
  /** Then, when every living node has been reached. */
  agreed?(): Promise<void> | void
}

/**
 * The living nodes, known by their heartbeats in the database, and a reliable way to reach all of them. It is slower
 * than Redis and used when Redis cannot be relied on.
 */
export interface NodeRegistry {
  readonly id: string
  /** A node with an older last heartbeat counts as dead. */
  readonly deadAfterMs: number
  /** As of the last heartbeat. */
  readonly state: ClusterState
  /** How many messages about windows of rate limits this node has begun to send. */
  notices: number
  /**
   * False if others may have presumed this node dead, for example while it is frozen: then they change data that it has
   * cached without waiting for it.
   */
  readonly isWaitedFor: boolean
  /** Writes a heartbeat now and returns the new state, which includes a node that has just joined. */
  refresh(): Promise<ClusterState>
  /** Raises an alarm; resolves when every living node has acted on it. */
  raise(): Promise<void>
  onAlarm(listener: AlarmListener): void
  /** Called when others wait for this node again, before it relies on anything. */
  onReturn(listener: () => void): void
  /** Called after every heartbeat. */
  onState(listener: (state: ClusterState) => void): void
  close(): Promise<void>
}

interface Deps {
  store: { nodes: Pick<NodeStore, 'beat' | 'raiseAlarm' | 'endNode'> }
  log: Log
  /** Whether this node is without Redis now. */
  isCutOff(): boolean
  deadAfterMs: number
  /** Receives the database's time at every heartbeat. */
  clock?: Pick<DatabaseClock, 'observe'>
}

const beatEveryMs = 1_000
const checkAgainMs = 30

/** Joins the node registry. */
export async function joinNodeRegistry(deps: Deps): Promise<NodeRegistry> {
  const call = new DatabaseNodeRegistry(deps)
  await call.begin()
  return call
}

class DatabaseNodeRegistry implements NodeRegistry {
  readonly id = randomUUID()
  readonly deadAfterMs: number
  notices = 0
  readonly #deps: Deps
  readonly #alarmListeners: AlarmListener[] = []
  readonly #returnListeners: (() => void)[] = []
  readonly #stateListeners: ((state: ClusterState) => void)[] = []
  #raised: { alarm: number; resolve(): void }[] = []
  #state: ClusterState = {
    nodes: 1,
    rank: 0,
    alarm: 0,
    behind: 0,
    others: [],
    othersCutOff: 0,
    cutOffAgoMs: null,
    databaseAt: 0,
  }
  #heard = 0
  #agreed = 0
  /** On the monotonic clock. */
  #waitedForUntil = -Infinity
  #turning: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.deadAfterMs = deps.deadAfterMs
  }

  get state(): ClusterState {
    return this.#state
  }

  get isWaitedFor(): boolean {
    return performance.now() < this.#waitedForUntil
  }

  async begin(): Promise<void> {
    // Alarms from before this node joined do not concern it.
    await this.#beat()
    this.#heard = this.#agreed = this.#state.alarm
    await this.#beat()
    this.#schedule(beatEveryMs)
  }

  onAlarm(listener: AlarmListener): void {
    this.#alarmListeners.push(listener)
  }

  onReturn(listener: () => void): void {
    this.#returnListeners.push(listener)
  }

  onState(listener: (state: ClusterState) => void): void {
    this.#stateListeners.push(listener)
  }

  async refresh(): Promise<ClusterState> {
    await this.#beat()
    return this.#state
  }

  async raise(): Promise<void> {
    const alarm = await this.#deps.store.nodes.raiseAlarm(null)
    const reached = new Promise<void>((resolve) => this.#raised.push({ alarm, resolve }))
    this.#schedule(0)
    return reached
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#turning
    await this.#deps.store.nodes.endNode({ id: this.id }).catch(() => undefined)
  }

  #schedule(inMs: number): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    const turn = () => {
      // One turn at a time: the next one finds an alarm that arrives meanwhile.
      this.#turning = this.#turning.then(() => this.#turn())
    }
    this.#timer = setTimeout(turn, inMs).unref()
  }

  async #turn(): Promise<void> {
    let next = beatEveryMs
    try {
      await this.#beat()
      if (this.#state.alarm > this.#heard) await this.#hear()
      if (this.#heard > this.#agreed) next = (await this.#agree()) ? beatEveryMs : checkAgainMs
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not write the heartbeat of this node; retrying')
    }
    this.#schedule(this.#raised.length > 0 ? checkAgainMs : next)
  }

  async #beat(): Promise<void> {
    const { store, isCutOff, clock } = this.#deps
    // The database records a later time, so the others count this node as dead later too.
    const sentAt = performance.now()
    const own = { id: this.id, heard: this.#heard, notices: this.notices, cutOff: isCutOff() }
    this.#state = await store.nodes.beat({ ...own, aliveWithinMs: this.deadAfterMs })
    clock?.observe({ databaseAt: this.#state.databaseAt, sentAt, receivedAt: performance.now() })
    if (!this.isWaitedFor) for (const listener of this.#returnListeners) listener()
    // An alarm that it has not acted on yet may be older than its silence.
    if (this.#state.alarm <= this.#heard)
      this.#waitedForUntil = Math.max(this.#waitedForUntil, sentAt + this.deadAfterMs)
    for (const listener of this.#stateListeners) listener(this.#state)
  }

  async #hear(): Promise<void> {
    const { alarm } = this.#state
    await Promise.all(this.#alarmListeners.map(async (listener) => listener.heard()))
    this.#heard = alarm
    await this.#beat()
  }

  /** A node that dies meanwhile drops out after a few seconds and is no longer waited for. */
  async #agree(): Promise<boolean> {
    if (this.#state.behind > 0 || this.#state.alarm > this.#heard) return false
    this.#agreed = this.#heard
    await Promise.all(this.#alarmListeners.map(async (listener) => listener.agreed?.()))
    const reached = this.#raised.filter(({ alarm }) => alarm <= this.#agreed)
    this.#raised = this.#raised.filter(({ alarm }) => alarm > this.#agreed)
    for (const { resolve } of reached) resolve()
    return true
  }
}
