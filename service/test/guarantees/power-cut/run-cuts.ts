import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { Random } from '../../simulation/world/random.ts'
import { LoopDisk, run } from '../loop-disk.ts'
import { AnsweredCalls, promised, type Moments } from './answered-calls.ts'
import { lossesInFolder, lossesInSecrets, type Loss } from './find-losses.ts'
import { Load } from './load.ts'
import { lossesInRestart, startOn } from './restart.ts'
import { tearLog } from './tear.ts'

export type CutKind = 'plain' | 'written back' | 'torn' | 'first start'

export interface CutTally {
  cuts: Record<CutKind, number>
  /** The promises on the checked disks, which were therefore verified. */
  promised: { charges: number; erasures: number; keys: number; grants: number; secrets: number }
  calls: number
  losses: (Loss & { cut: number; kind: CutKind })[]
}

export interface CutOptions {
  cuts: number
  seed: number
  /** Disables the service's syncs: then the run must find losses. */
  withoutSync?: boolean
  onCut?: (tally: CutTally, done: number) => void
  signal?: AbortSignal
}

/** Keeps stores small, and makes each disk start once from nothing. */
const cutsPerDisk = 40
const secretFiles = ['secret-key', 'admin-token']
const withoutSync = ['--import', join(import.meta.dirname, 'without-sync.ts')]

/** Repeatedly cuts the power of a running service, and looks for losses on each resulting disk. */
export async function runCuts(options: CutOptions): Promise<CutTally> {
  const tally: CutTally = {
    cuts: { plain: 0, 'written back': 0, torn: 0, 'first start': 0 },
    promised: { charges: 0, erasures: 0, keys: 0, grants: 0, secrets: 0 },
    calls: 0,
    losses: [],
  }
  const random = new Random(options.seed)
  const provider = await startFakeProvider({ provider: 'mirror', latencyMs: 5, logLimit: 0 })
  try {
    while (countOf(tally) < options.cuts && !options.signal?.aborted) {
      const disk = new PoweredDisk(options, random, provider, tally)
      try {
        await disk.firstStart()
        while (countOf(tally) % cutsPerDisk !== 0 && countOf(tally) < options.cuts && !options.signal?.aborted)
          await disk.cutOnce()
      } finally {
        await disk.close()
      }
    }
    return tally
  } finally {
    await provider.close()
  }
}

export const countOf = ({ cuts }: CutTally) => Object.values(cuts).reduce((sum, count) => sum + count, 0)

/** A loss in one line. */
export const lossText = ({ cut, kind, of, what }: CutTally['losses'][number]) => `cut ${cut} (${kind}), ${of}: ${what}`

/** One disk with its service, its callers, and the record of their answers. */
class PoweredDisk {
  readonly #options: CutOptions
  readonly #random: Random
  readonly #tally: CutTally
  readonly #disk = new LoopDisk(256)
  readonly #answered = new AnsweredCalls()
  readonly #env: Record<string, string>
  readonly #service: ReturnType<typeof startOn>
  #load: Load | null = null

  constructor(options: CutOptions, random: Random, provider: FakeProvider, tally: CutTally) {
    this.#options = options
    this.#random = random
    this.#tally = tally
    this.#env = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: provider.url, VITAE_MIRROR_KEY: provider.key }
    this.#service = startOn(this.#folder, this.#env, options.withoutSync ? withoutSync : [])
  }

  get #folder(): string {
    return join(this.#disk.mounted, 'data')
  }

  /** Cuts the power while the service creates its files and tables. Then it becomes ready, and gets callers. */
  async firstStart(): Promise<void> {
    while (!existsSync(this.#folder)) await pause(1)
    await pause(this.#random.below(500))
    await this.#stopped(() => this.#disk.cut('left'))
    const left = join(this.#disk.mounted, '../left/data')
    await this.#note('first start', { answeredBy: 0, sentBy: 0 }, left)
    const url = await this.#service.ready
    for (const name of secretFiles) this.#answered.secrets.set(name, readFileSync(join(this.#folder, name), 'utf8'))
    const token = readFileSync(join(this.#folder, 'admin-token'), 'utf8').trim()
    this.#load = new Load({ url, token }, this.#answered, this.#random)
    await this.#load.prepare()
  }

  /** Lets callers work for a while, cuts the power, and looks for losses. */
  async cutOnce(): Promise<void> {
    this.#load?.start()
    await pause(20 + this.#random.below(500))
    const kind = this.#random.weighted({ plain: 4, 'written back': 2, torn: 5 })
    const { answeredBy, left } = await this.#stopped(() => {
      // The system may write unsynced pages at any time.
      if (kind === 'written back') run('sync', '-f', this.#disk.mounted)
      return { answeredBy: this.#answered.now, left: join(this.#disk.cut('left'), 'data') }
    })
    const torn = kind === 'torn' ? await this.#tear(left) : null
    await this.#load?.stop()
    const moments = { answeredBy, sentBy: torn?.sentBy ?? answeredBy }
    await this.#note(torn || kind !== 'torn' ? kind : 'plain', moments, torn?.left ?? left)
  }

  /** Continues for a moment, and tears the log writes of that time; null if they cannot be torn. */
  async #tear(earlier: string): Promise<{ left: string; sentBy: number } | null> {
    await pause(this.#random.below(60))
    const { left, sentBy } = await this.#stopped(() => ({
      left: join(this.#disk.cut('later'), 'data'),
      sentBy: this.#answered.now,
    }))
    return tearLog(earlier, left, this.#random) ? { left, sentBy } : null
  }

  /** Does something while the service is stopped and every sent answer has arrived. */
  async #stopped<Result>(work: () => Result): Promise<Result> {
    const pid = this.#service.child.process.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    try {
      while (!standsStill(pid)) await pause(1)
      await pause(10)
      return work()
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  }

  async #note(kind: CutKind, moments: Moments, left: string): Promise<void> {
    const losses = kind === 'first start' ? [] : await this.#lossesInCopy(left, moments)
    losses.push(
      ...(await lossesInRestart(left, this.#env, this.#answered, moments)),
      ...lossesInSecrets(left, this.#answered),
    )
    this.#disk.remove('left')
    this.#disk.remove('later')
    const tally = this.#tally
    tally.cuts[kind] += 1
    const cut = countOf(tally)
    tally.losses.push(...losses.map((loss) => ({ ...loss, cut, kind })))
    tally.promised.charges += promised(this.#answered.calls, moments).length
    tally.promised.erasures += promised(this.#answered.erasures, moments).length
    tally.promised.keys += promised(this.#answered.keys, moments).length
    tally.promised.grants += promised(this.#answered.grants, moments).length
    tally.promised.secrets += this.#answered.secrets.size
    this.#options.onCut?.(tally, cut)
  }

  /** Works on a copy of the folder, so that the service finds the state after the cut. */
  async #lossesInCopy(left: string, moments: Moments): Promise<Loss[]> {
    const copy = mkdtempSync(join(tmpdir(), 'vitae-left-'))
    try {
      cpSync(left, copy, { recursive: true })
      return await lossesInFolder(copy, this.#answered, moments)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }

  async close(): Promise<void> {
    this.#tally.calls += this.#answered.calls.length
    await this.#service.child.stop('SIGKILL')
    await this.#load?.stop().catch(() => undefined)
    this.#disk.close()
  }
}

/** Whether every thread of a process is stopped. A thread that waits for the disk continues until it is done. */
function standsStill(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) [Tt] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  )
}
