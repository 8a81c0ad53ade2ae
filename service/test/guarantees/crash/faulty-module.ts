/**
 * An external provider whose code is usually wrong, for services that are killed (VITAE_PROVIDER_MODULES). It imports
 * none of our code, which would slow down every start.
 */
import { readFileSync } from 'node:fs'
import type { Projection, ProviderAsk, ProviderModule, Verdict } from '@vitae/provider'

/** A valid projection, written by the run that starts the service. */
const template = readFileSync(process.env['TEST_SOUND_PROJECTION'] ?? '', 'utf8')

const fails = (error: unknown) => {
  throw error
}
const leavesBehind = (failure: () => void) => (_ask: ProviderAsk, sound: Verdict) => {
  failure()
  return sound
}
const changed = (change: object) => (_ask: ProviderAsk, sound: Verdict) => ({ ...sound, ...change })
const changedAnswer = (change: object) => (_ask: ProviderAsk, sound: Verdict) => ({
  ...sound,
  answer: { ...sound.answer, ...change },
})

const wrongAsks: ((ask: ProviderAsk, sound: Verdict) => unknown)[] = [
  () => undefined,
  () => 'found',
  () => fails(new TypeError('no')),
  () => fails(undefined),
  () => new Promise(() => {}),
  (ask) => new Promise((_, reject) => ask.signal.addEventListener('abort', () => reject(new Error('abort')))),
  leavesBehind(() => void Promise.reject(new Error('floating'))),
  leavesBehind(() => void setTimeout(() => fails(new RangeError('late')), 1)),
  leavesBehind(() => process.nextTick(() => fails(new Error('tick')))),
  changed({ outcome: 'perhaps' }),
  changed({ answer: null }),
  changed({ cost: NaN }),
  changed({ sourceUpdatedAt: NaN }),
  changed({ sourceUpdatedAt: 8.64e15 + 1 }),
  changed({ fetchedAt: 'yesterday' }),
  changedAnswer({ status: '200' }),
  changedAnswer({ body: 'text' }),
  changedAnswer({ receivedAt: NaN }),
]

type Projected = Projection & { record: Record<string, unknown> }
const withField = (name: string, value: unknown) => (sound: Projected) => ({
  ...sound,
  record: { ...sound.record, [name]: value },
})

const wrongProjections: ((sound: Projected) => unknown)[] = [
  () => undefined,
  () => fails(new RangeError('no')),
  (sound) => Promise.resolve(sound),
  (sound) => ({ ...sound, record: Object.fromEntries(Object.entries(sound.record).slice(0, 4)) }),
  (sound) => ({ ...sound, sourceUpdatedAt: '2026-11-01' }),
  (sound) => ({ ...sound, identity: { ...sound.identity, key: 'urn:li:member:1' } }),
  withField('last_name', 7),
  withField('first_name', 'A\ud800da'),
  withField('experience', null),
]

const drawn = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

function soundProjection(slug: string): Projected {
  const number = `777${[...slug].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1e9, 7)}`
  return JSON.parse(template.replaceAll('slug-of-template', slug).replaceAll('777000', number)) as Projected
}

export const provider: ProviderModule = {
  name: 'faulty',
  label: 'Faulty',
  defaultUrl: 'http://faulty.example',
  create: () => ({
    name: 'faulty',
    supplies: { people: new Set<string>(), companies: new Set<string>() },
    projectionVersion: 1,
    ask: async (ask) => {
      const { kind, value } = ask.identifier
      const answer = { status: 200, headers: {}, body: Buffer.from(value), receivedAt: Date.now() }
      const notFound: Verdict = { outcome: 'not_found', answer: { ...answer, status: 404 }, cost: null }
      // The run relies on these being unknown.
      if (value.startsWith('missing-')) return notFound
      const knows = kind === 'people' && Math.random() < 0.7
      const sound: Verdict = knows ? { outcome: 'found', answer, cost: null } : notFound
      return Math.random() < 0.5 ? sound : ((await drawn(wrongAsks)(ask, sound)) as Verdict)
    },
    project: (_kind, payload) => {
      const sound = soundProjection(Buffer.from(payload).toString())
      return Math.random() < 0.5 ? sound : (drawn(wrongProjections)(sound) as Projection)
    },
  }),
}
