import { createApiKey, displayApiKey, hashApiKey } from '../accounts/api-key.ts'
import { noSettings } from '../accounts/key.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../foundation/clock.ts'
import type { DataFolder } from '../foundation/data-folder.ts'
import type { ServiceStore } from './store/service-store.ts'

/** The keys of the demo project, stored in the data folder so that later starts can print them again. */
export interface DemoKeys {
  project: string
  environment: string
  test_key: string
  live_key: string
}

const file = 'demo-keys.json'
const demo = { project: 'demo', environment: 'production' }
const credits = 1_000
const actor = 'system'

/** Creates the demo project at the first start: a test key, and a live key with credits. */
export async function ensureDemo(folder: DataFolder, store: ServiceStore, clock: Clock): Promise<DemoKeys> {
  const present = folder.read(file)
  const known = present === null ? null : readKeys(present)
  if (known) return known
  const testKey = await makeKey(store, clock, 'test')
  const liveKey = await makeKey(store, clock, 'live')
  // A damaged file belongs to a project that already has its credits.
  if (present === null)
    await store.grants.grantCredits({ ...demo, amount: credits, reason: 'demo', actor, at: clock.now() })
  const keys: DemoKeys = { ...demo, test_key: testKey, live_key: liveKey }
  folder.write(file, `${JSON.stringify(keys, null, 2)}\n`)
  return keys
}

/** Null for a file that a power cut left empty or damaged. */
function readKeys(text: string): DemoKeys | null {
  try {
    return JSON.parse(text) as DemoKeys
  } catch {
    return null
  }
}

async function makeKey(store: ServiceStore, clock: Clock, mode: 'test' | 'live'): Promise<string> {
  const key = createApiKey(mode)
  await store.keys.createKey({
    ...demo,
    mode,
    hash: hashApiKey(key),
    display: displayApiKey(key),
    settings: { ...noSettings, label: `demo ${mode} key` },
    actor,
    at: clock.now(),
  })
  return key
}

/** Whether live keys get the bundled fictional records: neither a provider nor a directory is configured. */
function isFiction({ chain, directory }: Config['upstream']): boolean {
  return directory === null && chain.every((name) => name === 'directory')
}

/** The first output for a newcomer: the keys, and one command per endpoint that works when pasted. */
export function demoText(keys: DemoKeys, url: string, upstream: Config['upstream']): string {
  const fiction = isFiction(upstream)
  const lookups = fiction ? 'fictional records' : `lookups (${upstream.chain.join(', ')})`
  // The operator's own provider need not have these two records; every test key does.
  const key = fiction ? keys.live_key : keys.test_key
  return [
    '',
    `  Vitae is ready at ${url}   (reference: ${url}/docs, console: ${url}/console)`,
    '',
    `  test key   ${keys.test_key}   fictional samples, free`,
    `  live key   ${keys.live_key}   ${lookups}, paid with credits`,
    '',
    '  Try it:',
    `  curl -i -H 'ApiKey: ${key}' '${url}/v1/people/profile?profile_id=amara-okafor'`,
    `  curl -i -H 'ApiKey: ${key}' '${url}/v1/companies/details?company_id=tidewater-robotics'`,
    '',
  ].join('\n')
}
