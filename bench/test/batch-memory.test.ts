import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startVitae } from '../src/contestants/vitae.ts'
import { memoryOf } from '../src/process/process-cost.ts'
import { Stores } from '../src/stores/stores.ts'

const megabyte = 1_048_576
/** Each row of the answer is a whole record, which takes time to make. */
const rows = 12_000
/** Files of the first size show what a batch of any size takes; the last one is the largest that is read. */
const [small, large] = [5 * megabyte, 50 * megabyte - 1_000]

/** A CSV file that is never whole in memory: one id in each row, and much that nobody asks for. */
async function* csvFile(bytes: number, count: number): AsyncGenerator<Buffer> {
  const filler = 'x'.repeat(Math.floor(bytes / count) - 20)
  yield Buffer.from('id,notes\n')
  for (let row = 0; row < count; row++) yield Buffer.from(`person-${row},${filler}\n`)
}

/** Hands a file in, waits until it is done, and reads all results; gives their size. */
async function submitAndDownload(url: string, headers: Record<string, string>, size: number, count: number) {
  const submitted = await fetch(`${url}/v1/batches?kind=people&column=id`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: csvFile(size, count),
    duplex: 'half',
  } as unknown as RequestInit)
  const { id, total } = (await submitted.json()) as { id: string; total: number }
  const status = async () =>
    ((await (await fetch(`${url}/v1/batches/${id}`, { headers })).json()) as { status: string }).status
  while ((await status()) !== 'completed') await new Promise((resolve) => setTimeout(resolve, 50))
  const results = await fetch(`${url}/v1/batches/${id}/results`, { headers })
  let bytes = 0
  for await (const piece of results.body ?? []) bytes += (piece as Uint8Array).length
  return { status: submitted.status, total, bytes }
}

// A proof by volume: it takes as long as thirty other tests.
test.runIf(process.env['VITAE_TEST_LONG'] && existsSync('/proc/self/status'))(
  'a file of 50 MB that is submitted, and its results, take no more memory than one of 5 MB',
  { timeout: 180_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-batch-memory-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = await new Stores(folder, null, () => undefined).embedded(1)
    const vitae = await startVitae({ name: 'vitae', store, cores: null, mode: 'test' })
    onTestFinished(() => vitae.stop())
    const [pid = 0] = vitae.pids
    const headers = { ApiKey: vitae.keys[0] ?? '' }
    // As many rows as the large file: a process that has just started grows with every row until its heap is in full use.
    for (let file = 0; file < 2; file++) await submitAndDownload(vitae.url, headers, small, rows)
    const before = memoryOf(pid)?.peakMb ?? NaN

    const end = await submitAndDownload(vitae.url, headers, large, rows)
    const grownMb = (memoryOf(pid)?.peakMb ?? NaN) - before

    expect(end).toMatchObject({ status: 202, total: rows })
    expect(end.bytes).toBeGreaterThan(rows * 2_000)
    // The columns beside the ids come back, so that the results are as large as the file.
    expect(grownMb).toBeLessThan(60)
  },
)
