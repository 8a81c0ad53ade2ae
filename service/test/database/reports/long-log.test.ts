import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/database/sqlite/open-sqlite-store.ts'
import { Reports } from '../../../src/database/sqlite/reader/reports.ts'
import { reportsMs, storeOver } from '../../../src/database/engine/operation.ts'
import { migratedStore } from '../../harness/engines.ts'
import { keptThread } from '../../harness/kept-threads.ts'
import type { OddStore } from './odd-reports.ts'
import { watchedReading } from './watched-reading.ts'

/** The engine writes only pages that differ, so each is another letter. */
const texts = ['x', 'y', 'z'].map((letter) => letter.repeat(1_000_000))

/** A test that gets here has failed, and writes no more. */
const unboundedMegabytes = 600

/** A store under sustained writes of a megabyte each. */
async function openWritten() {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-long-log-'))
  const path = join(folder, 'vitae.db')
  writeFileSync(path, await migratedStore())
  const watched = watchedReading()
  const operationsModule = new URL('odd-reports.ts', import.meta.url).href
  const data = { path, operationsModule, now: 0 }
  const opened = await openSqliteStore(data, { startThread: keptThread, reading: watched.reading })
  onTestFinished(async () => {
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const store = storeOver<{ odd: OddStore }>(opened).odd
  const logMegabytes = () => statSync(`${path}-wal`).size / 1e6
  /** Writes, and returns the greatest length of the log. */
  const write = async (megabytes: number) => {
    let most = 0
    for (let count = 0; count < megabytes; count++) {
      await store.write({ value: texts[count % 3] ?? '' })
      most = Math.max(most, logMegabytes())
    }
    return most
  }
  return { data, store, write, logMegabytes, ...watched }
}

/** Report processes have low priority, so they take long on a busy machine. */
const patience = { timeout: 400_000 }

test('the log of a store stays below 256 MB while reports follow each other without a pause', patience, async () => {
  const { store, write } = await openWritten()
  let [isOver, made] = [false, 0]
  const inTurn = async (report: (args: null) => Promise<unknown>) => {
    for (; !isOver; made++) await report(null).catch(() => undefined)
  }
  const reports = Promise.all([inTurn(store.slow), inTurn(store.slowShort)])

  let most = 0
  for (let round = 0; round < 15; round++) {
    most = Math.max(most, await write(20))
    if (round % 5 !== 4) continue
    // Other calls are answered until the next report is made.
    const before = made
    const madeMeanwhile = () => store.write({ value: `call ${round} ${performance.now()}` }).then(() => made)
    await expect.poll(madeMeanwhile).toBeGreaterThan(before)
  }
  isOver = true
  await reports

  expect(most).toBeLessThan(256)
})

test('a report that keeps the log from starting over begins again once, then fails with a reason', async () => {
  const { store, write, logMegabytes, limits, processes } = await openWritten()
  let failure: unknown = null
  store.endless(null).catch((error: unknown) => (failure = error))
  await expect.poll(() => limits.length).toBe(1)

  let most = 0
  while (failure === null && most < unboundedMegabytes) most = Math.max(most, await write(10))

  expect(failure).toMatchObject({ code: 'store_unavailable', message: expect.stringMatching(/log of the store/) })
  expect(processes).toHaveLength(2)
  // The file is cut when it starts over.
  await expect.poll(async () => (await write(2), logMegabytes())).toBeLessThan(100)
})

test('a report of minutes continues beside a log of less than 1 GB', async () => {
  const { data, processes, limits, reading } = await openWritten()
  const reports = new Reports(data, reading)
  onTestFinished(() => reports.close())
  const verify = reports.run('odd.endlessLong', null, reportsMs.long).catch((error: unknown) => error)
  await expect.poll(() => limits.length).toBe(1)

  reports.logIs(900e6)
  expect(processes.at(-1)?.killed).toBe(false)
  reports.logIs(1_100e6)
  reports.logIs(0)
  await expect.poll(() => processes.length).toBe(2)
  reports.logIs(1_100e6)

  expect(await verify).toMatchObject({ code: 'store_unavailable' })
})
