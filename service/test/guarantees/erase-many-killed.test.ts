import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordChanges } from '@vitae/contract'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { askAdmin } from '../harness/ask-admin.ts'
import { ChildService, serve } from '../harness/child-service.ts'
import { placesOf } from '../harness/search-bytes.ts'
import { marker, personOf } from '../lifecycle/subjects.ts'

const keyOf = (slug: string) => String(personOf(slug)['member_urn'])

test('people whose erasure is interrupted by a kill stay suppressed, and repeating the erasure leaves no byte of them and notifies their recipient of every key', async () => {
  const word = marker()
  const slugs = Array.from({ length: 6 }, (_, index) => `ada-${word}-${index}`)
  const similar = slugs.map((slug) => ({ public_identifier: slug, name: `Ada ${word}` }))
  const people = {
    ...Object.fromEntries(slugs.map((slug) => [slug, personOf(slug)])),
    bea: personOf('bea', { similar }),
  }
  const upstream = await startFakeProvider({ provider: 'mirror', people, companies: {}, generate: false })
  const folder = mkdtempSync(join(tmpdir(), 'vitae-killed-'))
  onTestFinished(async () => {
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const token = 'owner-token-of-a-killed-service'
  const start = async () => {
    const child = new ChildService(serve, {
      LOG_LEVEL: 'info',
      VITAE_DATA_DIR: folder,
      VITAE_ADMIN_TOKEN: token,
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_URL: upstream.url,
      VITAE_MIRROR_KEY: upstream.key,
    })
    onTestFinished(async () => void (await child.stop('SIGKILL')))
    return { child, url: await child.url }
  }
  const first = await start()
  const environment = { project: 'acme', environment: 'production' }
  const { key } = await askAdmin<{ key: string }>({ url: first.url, token }, 'POST', '/keys', {
    ...environment,
    mode: 'live',
  })
  await askAdmin({ url: first.url, token }, 'POST', '/credits/grants', { ...environment, amount: 100 })
  const ask = async (url: string, slug: string) =>
    (await fetch(`${url}/v1/people/profile?profile_id=${slug}`, { headers: { ApiKey: key } })).status
  for (const slug of [...slugs, 'bea']) expect(await ask(first.url, slug)).toBe(200)
  const changes = async (url: string) => {
    const answer = await fetch(`${url}/v1/records/changes`, { headers: { ApiKey: key } })
    return ((await answer.json()) as RecordChanges).changes.map(({ id, change }) => `${id} ${change}`)
  }
  const erase = (url: string) =>
    fetch(`${url}/admin/v1/records/erase`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/x-ndjson',
      },
      body: JSON.stringify({ ids: slugs, kind: 'people', reason: 'asked to' }),
    })

  // The first line of progress appears once all are on the suppression list, long before the end.
  const begun = await erase(first.url)
  await begun.body?.getReader().read()
  await first.child.stop('SIGKILL')
  const second = await start()
  const answers = await Promise.all(slugs.map((slug) => ask(second.url, slug)))
  const lines = (await (await erase(second.url)).text()).trim().split('\n')
  const statuses = [await ask(second.url, 'bea'), await ask(second.url, slugs[0] ?? '')]

  expect(answers).toEqual(slugs.map(() => 404))
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ result: { subjects: slugs.map((id) => ({ id })) } })
  expect(statuses).toEqual([200, 404])
  expect(new Set(await changes(second.url))).toEqual(new Set(slugs.map((slug) => `${keyOf(slug)} erased`)))
  expect(placesOf(word, folder)).toEqual([])
})
