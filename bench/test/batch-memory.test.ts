import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startVitae } from '../src/contestants/vitae.ts'
import { memoryOf } from '../src/process/process-cost.ts'
import { Stores } from '../src/stores/stores.ts'

const megabyte = 1_048_576
/** Each result row is a whole record, which takes time to generate. */
const rows = 12_000
/** A small file shows the fixed memory of a batch; the large one is just below the maximum upload size. */
const [small, large] = [5 * megabyte, 50 * megabyte - 1_000]

/** Streams a CSV file with one id per row and a large unused column. */
async function* csvFile(bytes: number, count: number): AsyncGenerator<Buffer> {
  const filler = 'x'.repeat(Math.floor(bytes / count) - 20)
  yield Buffer.from('id,notes\n')
  for (let row = 0; row < count; row++) yield Buffer.from(`person-${row},${filler}\n`)
}

/** Submits a file, waits for the batch, reads all results, and returns their size. */
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

// Only in the long run, because it takes as long as thirty other tests.
test.runIf(process.env['VITAE_TEST_LONG'] && existsSync('/proc/self/status'))(
  'submitting a 50 MB file and reading its results takes no more memory than a 5 MB file',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-batch-memory-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = await new Stores(folder, null, () => undefined).embedded(1)
    const vitae = await startVitae({ name: 'vitae', store, cores: null, mode: 'test' })
    onTestFinished(() => vitae.stop())
    const [pid = 0] = vitae.pids
    const headers = { ApiKey: vitae.keys[0] ?? '' }
    // Uses as many rows as the large file, because a new process grows with every row until its heap is fully used.
    for (let file = 0; file < 2; file++) await submitAndDownload(vitae.url, headers, small, rows)
    const before = memoryOf(pid)?.peakMb ?? NaN

    const end = await submitAndDownload(vitae.url, headers, large, rows)
    const grownMb = (memoryOf(pid)?.peakMb ?? NaN) - before

    expect(end).toMatchObject({ status: 202, total: rows })
    expect(end.bytes).toBeGreaterThan(rows * 2_000)
    // The results include the other columns, so they are as large as the file.
    expect(grownMb).toBeLessThan(60)
  },
)
