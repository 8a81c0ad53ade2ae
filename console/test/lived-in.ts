import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind, Person } from '@vitae/contract'
import type { TestService } from './test-service.ts'

const directory = join(import.meta.dirname, '../../service/directory')
const hourMs = 3_600_000

/** A served person of the bundled directory. */
export function directoryPerson(slug: string): Person {
  return JSON.parse(directoryLine('people', slug)) as Person
}

/** A record of the bundled directory, from its file. */
export function directoryLine(kind: Kind, slug: string): string {
  const line = readFileSync(join(directory, `${kind}.ndjson`), 'utf8')
    .split('\n')
    .find((text) => text.includes(`"public_identifier":"${slug}"`))
  if (!line) throw new Error(`the directory has no ${slug}`)
  return line
}

/** A person with two versions: at one employer, and later at another with a new headline. */
export async function importJobChange(service: TestService, at: { before: number; after: number }): Promise<Person> {
  const after = directoryPerson('amara-okafor')
  const [present, ...past] = after.experience
  if (!present) throw new Error('the person of this test needs an employer')
  const earlier = { ...present, company_name: 'Harbour Lights Power', company_id: '990000077' }
  const before = { ...after, headline: 'Principal Engineer at Harbour Lights Power', experience: [earlier, ...past] }
  for (const [person, offset] of [
    [before, at.before],
    [after, at.after],
  ] as const) {
    service.setClockOffset(offset)
    await service.admin('POST', '/records/import', {
      kind: 'people',
      fetched_at: '0s',
      lines: [JSON.stringify(person)],
    })
  }
  service.setClockOffset(0)
  return after
}

interface MadeKey {
  id: string
  key: string
}

/** A month of a service's life for the pictures: projects, keys, daily traffic, an outage, an exhausted key. */
export async function liveThroughAMonth(service: TestService): Promise<void> {
  const start = -30 * 24 * hourMs
  service.setClockOffset(start)
  const keys = await makeKeys(service)
  await importJobChange(service, { before: start + hourMs, after: start + 20 * 24 * hourMs })
  const slugs = slugsOf('people')
  const companies = slugsOf('companies')
  const dice = seeded(7)
  for (let hour = start; hour < 0; hour += 3 * hourMs) {
    const hourOfDay = new Date(Date.now() + hour).getUTCHours()
    const growth = 1 + (hour - start) / -start
    const busy = Math.round((1 + 4 * Math.sin((hourOfDay / 24) * Math.PI)) * growth)
    for (let call = 0; call < busy; call++) {
      service.setClockOffset(Math.min(-1_000, hour + Math.floor(dice() * 3 * hourMs)))
      const key = dice() < 0.6 ? keys.crm : dice() < 0.5 ? keys.sourcing : keys.capped
      if (dice() < 0.04) await service.lookup('people', `nobody-${call}-${-hour}`, key.key)
      else if (dice() < 0.3) await service.lookup('companies', pick(companies, dice), key.key)
      else await service.lookup('people', pick(slugs, dice), key.key)
    }
  }
  await outage(service, keys.crm.key, slugs)
  service.setClockOffset(0)
  for (const slug of slugs.slice(0, 12)) await service.lookup('people', slug, keys.crm.key)
  await service.lookup('people', 'sample-complete', service.demo.test_key)
}

async function makeKeys(service: TestService): Promise<{ crm: MadeKey; sourcing: MadeKey; capped: MadeKey }> {
  const make = (body: object) => service.admin<MadeKey>('POST', '/keys', { project: 'acme', mode: 'live', ...body })
  const crm = await make({ environment: 'production', label: 'crm sync', ceiling: 2_500 })
  const sourcing = await make({ environment: 'production', label: 'sourcing team', ceiling: 160, rate: '120/60s' })
  const capped = await make({ environment: 'staging', label: 'nightly tests', ceiling: 120 })
  const old = await make({ environment: 'production', label: 'old importer' })
  await service.admin('POST', `/keys/${old.id}/revoke`, { reason: 'replaced by crm sync' })
  const grant = (environment: string, amount: number) =>
    service.admin('POST', '/credits/grants', { project: 'acme', environment, amount, reason: 'yearly contract' })
  await grant('production', 4_000)
  await grant('staging', 500)
  return { crm, sourcing, capped }
}

/** The provider fails for an hour of yesterday: old copies are served, and unknown records fail. */
async function outage(service: TestService, key: string, slugs: string[]): Promise<void> {
  service.setClockOffset(-20 * hourMs)
  await service.admin('POST', '/providers/directory/pause', { reason: 'maintenance of the provider' })
  for (const slug of slugs.slice(0, 9)) await service.lookup('people', slug, key, '&max_age_days=0')
  for (const slug of slugs.slice(0, 4)) await service.lookup('people', slug, key, '&bypass_cache=true')
  await service.admin('POST', '/providers/directory/resume', {})
}

function slugsOf(kind: 'people' | 'companies'): string[] {
  const text = readFileSync(join(directory, `${kind}.ndjson`), 'utf8')
  return [...text.matchAll(/^\{.*?"public_identifier":"([^"]+)"/gm)].map(([, slug]) => slug ?? '')
}

function pick(list: string[], dice: () => number): string {
  return list[Math.floor(dice() * list.length)] ?? ''
}

/** The same random numbers every time, so that the month is the same. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
