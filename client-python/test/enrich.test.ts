import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import { findPython, pythonEnv } from './python.ts'

const python = findPython('httpx', 'pandas')
if (python === null) console.warn('!! Python 3 with httpx and pandas is missing: the tests of enrich are SKIPPED.')

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true })
  await service.service.batchRunner.start()
})
afterAll(() => service.close())

const rows = 2_000
/** A busy node starts 50 fetches per second, so the short form repeats each id ten times. */
const distinct = process.env['VITAE_TEST_LONG'] === '1' ? 1_000 : 200
/** Enriches the frame, reports every poll, and prints the result. */
const program = `
import json, sys
import pandas
from vitae_client import VitaeClient, enrich

ids = [f"someone-{n % ${distinct}}" for n in range(${rows})]
frame = pandas.DataFrame({"profile": ids + [None, "  "], "note": range(${rows} + 2)}, index=range(10, ${rows} + 12))

def tell(batch):
    print(json.dumps({"looked": batch["total"] - batch["counts"]["waiting"]}), flush=True)

with VitaeClient() as client:
    result = enrich(frame, "profile", client=client, fields=["first_name", "location.city"], prefix="vitae_", on_progress=tell)
print(json.dumps({
    "rows": len(result), "index": [int(result.index[0]), int(result.index[-1])], "columns": list(result.columns),
    "found": int((result["vitae_status"] == "found").sum()), "named": int(result["vitae_first_name"].notna().sum()),
    "same": result["vitae_first_name"][10] == result["vitae_first_name"][10 + ${distinct}],
    "blank": result["vitae_status"].iloc[-2:].isna().all().item(),
}), flush=True)
`

function start(key: string, text = program) {
  const env = { ...pythonEnv, VITAE_URL: service.url, VITAE_API_KEY: key }
  const child = spawn(python ?? '', ['-c', text], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return child
}

async function output(key: string, text: string): Promise<string> {
  const child = start(key, text)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
  expect((await once(child, 'close'))[0]).toBe(0)
  return printed
}

describe.skipIf(python === null)('a frame that is enriched', () => {
  test('and interrupted is paid for once: the same call continues the same batch', async () => {
    const { key, balance } = await service.newCaller(rows)
    const first = start(key)
    await once(first.stdout, 'data')
    first.kill('SIGKILL')
    await once(first, 'exit')

    expect(JSON.parse((await output(key, program)).trim().split('\n').at(-1) ?? '')).toEqual({
      rows: rows + 2,
      index: [10, rows + 11],
      columns: [
        'profile',
        'note',
        'vitae_status',
        'vitae_source',
        'vitae_fetched_at',
        'vitae_error',
        'vitae_first_name',
        'vitae_location.city',
      ],
      found: rows,
      named: rows,
      same: true,
      blank: true,
    })
    expect(await balance()).toBe(rows - distinct)
  })

  test('continues the same batch with a higher max_credits, and never spends more than it', async () => {
    const { key, balance } = await service.newCaller(100)
    const limited = `
import pandas
from vitae_client import EnrichmentStopped, VitaeClient, enrich

frame = pandas.DataFrame({"profile": ["limited-1", "limited-2", "limited-3"]})
with VitaeClient() as client:
    for limit in (2, 3):
        try:
            print(limit, enrich(frame, "profile", client=client, max_credits=limit)["status"].tolist())
        except EnrichmentStopped as stopped:
            print(limit, stopped.batch["pause_reason"], stopped.batch["credits_spent"])
`
    expect(await output(key, limited)).toBe("2 max_credits_reached 2\n3 ['found', 'found', 'found']\n")
    expect(await balance()).toBe(97)
  })
})
