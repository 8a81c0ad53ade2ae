import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWatchedService } from '../harness/watched-service.ts'

interface WrittenSpan {
  name: string
  traceId: string
  spanId: string
  parent: string | null
  attributes: Record<string, unknown>
  failed: boolean
}

test('with an OpenTelemetry SDK, each step of a call is a span, and the provider gets the trace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-spans-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'spans')
  writeFileSync(file, '')
  const service = await openWatchedService({ VITAE_TEST_SPANS: file }, [join(import.meta.dirname, 'tiny-tracing.ts')])
  const { key } = await service.makeKey()
  const call = (id: string) => fetch(`${service.url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: key } })

  expect((await call('marker-person')).status).toBe(200)
  await service.upstream.setFault(500)
  expect((await call('unlucky-person')).status).toBe(503)
  await service.end()

  const spans = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as WrittenSpan)
  const lookups = spans.filter((span) => span.name === 'vitae.lookup')
  expect(lookups.map(({ attributes, failed }) => ({ attributes, failed }))).toMatchObject([
    { attributes: { kind: 'people' }, failed: false },
    { attributes: { kind: 'people' }, failed: true },
  ])
  const first = spans.filter((span) => span.traceId === lookups[0]?.traceId)
  expect(first.map((span) => span.name).toSorted()).toEqual(
    ['vitae.ask', 'vitae.lookup', 'vitae.recall', 'vitae.settle', 'vitae.settle'].toSorted(),
  )
  expect(first.filter((span) => span.parent === lookups[0]?.spanId)).toHaveLength(first.length - 1)
  const ask = first.find((span) => span.name === 'vitae.ask')
  expect(ask?.attributes).toMatchObject({ provider: 'mirror' })
  expect(service.upstream.requests[0]?.headers['traceparent']).toBe(`00-${ask?.traceId}-${ask?.spanId}-01`)
  expect(JSON.stringify(spans)).not.toMatch(/marker|unlucky|vt_live/)
})
