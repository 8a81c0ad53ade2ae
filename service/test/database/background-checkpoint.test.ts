import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { BackgroundCheckpoint, withoutCheckpoint } from '../../src/database/sqlite/background-checkpoint.ts'

const kilobytes64 = 'x'.repeat(65_536)

/** A store with one table. Every commit writes 16 pages and notifies the checkpoint. */
function openTable() {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-checkpoint-'))
  const path = join(folder, 'store.db')
  const raw = new DatabaseSync(path)
  raw.exec('pragma journal_mode = wal; pragma synchronous = normal; create table texts (text text)')
  const checkpoint = new BackgroundCheckpoint(path, raw)
  onTestFinished(async () => {
    await checkpoint.close()
    raw.close()
    rmSync(folder, { recursive: true })
  })
  const insert = raw.prepare('insert into texts values (?)')
  const write = (commits: number) => {
    for (let commit = 0; commit < commits; commit++) {
      insert.run(kilobytes64)
      checkpoint.committed()
    }
  }
  const logPages = () => Number(raw.prepare('pragma wal_checkpoint(noop)').get()?.['log'])
  return { folder, path, raw, write, logPages }
}

test('a log of 4 MB is copied into the database by another thread while commits continue, and starts again', async () => {
  const { folder, path, write, logPages } = openTable()
  write(80)
  expect(logPages()).toBeGreaterThan(1_000)

  // Some commits per turn, while the checkpoint runs in between.
  let commits = 80
  for (; logPages() > 1_000; commits += 8) {
    write(8)
    await nextTurn()
    await withoutCheckpoint(() => Promise.resolve())
  }
  // Far below 16 MB, whose sync took seconds on a slow disk.
  expect(commits).toBeLessThan(160)

  // Without its log, the file itself contains all copied commits.
  const alone = join(folder, 'alone.db')
  copyFileSync(path, alone)
  const copied = new DatabaseSync(alone).prepare('select count(*) as count from texts').get()
  expect(Number(copied?.['count'])).toBeGreaterThan(60)
  expect(Number(copied?.['count'])).toBeLessThanOrEqual(commits)
})

test('emptying the log waits for a running checkpoint', async () => {
  const { raw, write } = openTable()
  write(80)

  const [copied, emptied] = await withoutCheckpoint(async () =>
    ['noop', 'truncate'].map((mode) => raw.prepare(`pragma wal_checkpoint(${mode})`).get()),
  )

  expect(Number(copied?.['checkpointed'])).toBeGreaterThan(1_000)
  expect(emptied).toMatchObject({ busy: 0, log: 0 })
})

test('a report prevents a restart of the log only while it runs, and no commit fails meanwhile', async () => {
  const { path, write, logPages } = openTable()
  write(8)
  const report = new DatabaseSync(path, { readOnly: true })
  report.exec('begin')
  const seen = () => report.prepare('select count(*) as count from texts').get()?.['count']
  expect(seen()).toBe(8)

  for (let turn = 0; turn < 80; turn++) {
    write(8)
    await nextTurn()
    await withoutCheckpoint(() => Promise.resolve())
  }
  // All 640 commits of 16 pages each, and the report still sees one snapshot.
  expect(logPages()).toBeGreaterThan(10_000)
  expect(seen()).toBe(8)

  report.close()
  for (let turns = 0; logPages() > 1_000 && turns < 1_000; turns++) {
    write(8)
    await nextTurn()
    await withoutCheckpoint(() => Promise.resolve())
  }
  expect(logPages()).toBeLessThan(1_000)
})

test('commits cost no more while a report reads the file and the log grows', async () => {
  const { path, raw, write, logPages } = openTable()
  write(8)
  raw.exec('pragma wal_checkpoint(truncate)')
  // With an empty log the report reads only the file, so nothing may be copied there until it ends.
  const report = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => report.close())
  report.exec('begin')
  report.prepare('select count(*) from texts').get()
  const cpuOfCommits = async (count: number) => {
    const began = process.threadCpuUsage()
    for (let commits = 0; commits < count; commits += 8) {
      write(8)
      await nextTurn()
      await withoutCheckpoint(() => Promise.resolve())
    }
    const { user, system } = process.threadCpuUsage(began)
    return (user + system) / count
  }
  await cpuOfCommits(200)

  const short = await cpuOfCommits(200)
  await cpuOfCommits(2_000)
  const long = await cpuOfCommits(200)

  expect(logPages()).toBeGreaterThan(40_000)
  expect(long).toBeLessThan(3 * short)
})
