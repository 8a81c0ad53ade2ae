import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/database/sqlite/open-sqlite-store.ts'
import { storeOver } from '../../../src/database/engine/operation.ts'
import { migratedStore } from '../../harness/engines.ts'
import { keptThread } from '../../harness/kept-threads.ts'
import type { OddStore } from './odd-reports.ts'
import { watchedReading } from './watched-reading.ts'

async function makeStore(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-reports-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'vitae.db')
  writeFileSync(path, await migratedStore())
  return path
}

async function openOdd() {
  const watched = watchedReading()
  const operationsModule = new URL('odd-reports.ts', import.meta.url).href
  const data = { path: await makeStore(), operationsModule, now: 0 }
  const opened = await openSqliteStore(data, { startThread: keptThread, reading: watched.reading })
  onTestFinished(() => opened.close())
  return { store: storeOver<{ odd: OddStore }>(opened).odd, ...watched }
}

test('a statement that exceeds its time is ended with its process; waiting reports run in a new one', async () => {
  const { store, processes, limits } = await openOdd()

  const endless = store.endless(null).catch((error: unknown) => error)
  const waiting = store.seen(null)
  await expect.poll(() => limits.length).toBe(1)
  limits[0]?.onLate()

  expect(await endless).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/longer than 60 s .* shorter period/),
  })
  expect(await waiting).toBeUndefined()
  expect(processes).toHaveLength(2)
})

test('a report sees everything that was answered before it was requested, and cannot write', async () => {
  const { store } = await openOdd()

  for (let count = 0; count < 100; count++) {
    await store.write({ value: String(count) })
    expect(await store.seen(null)).toBe(String(count))
  }

  await expect(store.writing(null)).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await store.seen(null)).toBe('99')
})

test('a report that exceeds its memory is ended with its process', async () => {
  const { store, processes } = await openOdd()

  await expect(store.vast(null)).rejects.toMatchObject({
    message: expect.stringMatching(/ended before .* ask for a smaller report/),
  })

  expect(await store.seen(null)).toBeUndefined()
  expect(processes).toHaveLength(2)
})

test('excess reports are refused at once', async () => {
  const { store, processes } = await openOdd()
  await store.seen(null)
  processes[0]?.kill('SIGSTOP')

  const asked = Array.from({ length: 257 }, () => store.seen(null))

  await expect(asked[256]).rejects.toMatchObject({ code: 'overloaded' })
  processes[0]?.kill('SIGCONT')
  expect(await Promise.all(asked.slice(0, 256))).toHaveLength(256)
})

test('a report process does not outlive its parent, even if its statement never ends', async () => {
  const parent = spawn(process.execPath, [join(import.meta.dirname, 'endless-parent.ts'), await makeStore()], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  expect(isThere(pid)).toBe(true)

  parent.kill('SIGKILL')

  await expect.poll(() => isThere(pid)).toBe(false)
})

/** An ended process may stay in the process table until its parent reads its exit code. */
function isThere(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return !/^(Z|$)/.test(stdout.trim())
}
