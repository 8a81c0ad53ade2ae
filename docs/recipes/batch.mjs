// Looks up a file of ids, one per line, and prints the results as NDJSON: node batch.mjs people ids.txt > results.ndjson
// Needs Node 20 or later, VITAE_URL and VITAE_API_KEY. Given again for the same file, it is the same batch. A blank line is a
// row that is `invalid`, so that row numbers are line numbers. The file is UTF-8, UTF-16 with a mark, or Windows-1252.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const { VITAE_URL, VITAE_API_KEY, POLL_SECONDS = '5' } = process.env
const [kind, file] = process.argv.slice(2)

function fail(reason) {
  console.error(reason)
  process.exit(1)
}

async function call(path, init = {}) {
  const response = await fetch(VITAE_URL + path, { ...init, headers: { ApiKey: VITAE_API_KEY, ...init.headers } })
  if (!response.ok) fail(`${path}: ${response.status} ${await response.text()}`)
  return response
}

function readText(path) {
  const bytes = readFileSync(path)
  const utf16 = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.subarray(0, 2).toString('hex')]
  try {
    return new TextDecoder(utf16 ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

async function main() {
  if (!kind || !file) fail('usage: node batch.mjs people|companies FILE')
  const ids = readText(file).replace(/\r?\n$/, '').split('\n').map((line) => line.trim())
  const body = JSON.stringify({ kind, ids })
  const mark = createHash('sha256').update(body).digest('hex')
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `batch-${mark}` }
  const { id } = await (await call('/v1/batches', { method: 'POST', headers, body })).json()

  for (;;) {
    const { status, counts, error } = await (await call(`/v1/batches/${id}`)).json()
    console.error(status, counts)
    if (status === 'completed') break
    if (status === 'cancelled' || status === 'failed') fail(`${id}: ${error ?? status}`)
    await sleep(Number(POLL_SECONDS) * 1_000)
  }

  const results = await call(`/v1/batches/${id}/results?format=ndjson`)
  for await (const chunk of results.body) process.stdout.write(chunk)
}

main().catch((error) => fail(error.message))
