import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { restoreBackup } from '../../../src/app/restore-backup.ts'
import { readConfig } from '../../../src/config/config.ts'
import { keptThread } from '../../harness/kept-threads.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'

const urn = 'urn:li:member:70070'

/** The key of Mia on a page, after a new fetch. */
async function fetchMia(
  { upstream }: TestService,
  service: TestService,
  slug: string,
  member_urn: string | null,
): Promise<unknown> {
  const mia = { public_identifier: slug, first_name: 'Mia', last_name: 'Merge', member_urn, entity_urn: null }
  upstream.people.set(slug, { ...contractPerson(slug), ...mia })
  service.clock.advance({ minutes: 1 })
  const { json } = await service.person(slug, '&bypass_cache=true')
  return json['member_urn']
}

test('a restored backup keeps people apart whom an operator has split', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-split-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const first = await openTestService({ credits: 100 })
  const key = String(await fetchMia(first, first, 'mia-1', null))
  await fetchMia(first, first, 'mia-1', urn)
  await fetchMia(first, first, 'mia-2', urn)
  const path = `/records/people/${encodeURIComponent(key)}`
  const { fetches } = await first.admin<{ fetches: { id: number }[] }>('GET', path)
  await first.admin('POST', `${path}/split`, { fetches: [fetches.at(-1)?.id] })
  const file = join(folder, 'vitae.db')
  await first.service.backups.make({ path: file, overwrite: false, actor: 'owner' })

  const data = join(folder, 'data')
  const wish = { file, secretKeyFile: null, suppressionsFile: null, withoutDigest: false }
  await restoreBackup(wish, readConfig({ VITAE_DATA_DIR: data }), { startThread: keptThread })
  const env = { VITAE_DATA_DIR: data, VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: first.upstream.url }
  const second = await openTestService({ env: { ...env, VITAE_MIRROR_KEY: first.upstream.key }, credits: 100 })
  second.clock.set(new Date(first.clock.now()).toISOString())
  // The one without a number moves to a page that the other one takes over. Without the mark they would be joined.
  expect(await fetchMia(first, second, 'mia-3', key)).toBe(key)
  expect(await fetchMia(first, second, 'mia-3', urn)).toBe(urn)
  expect((await second.person(key)).json['member_urn']).toBe(key)
})
