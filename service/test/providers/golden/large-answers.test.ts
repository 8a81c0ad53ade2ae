import { expect, test } from 'vitest'
import { bytes, goldenAnswers, goldenNames, providerOf, type GoldenAnswer } from './golden-answers.ts'

type Path = readonly string[]

const characters = 50_000
const entries = 1_000
/** A search that starts over at each character, or compares each entry with all others, takes several times as long. */
const cpuMsAtMost = 1_000

const long = (part: string) => part.repeat(Math.ceil(characters / part.length))
const texts = [`a${long(' ')}a`, `${long('1')}x`, long('\u0301\u0327')]
if (process.env['VITAE_TEST_LONG'] === '1')
  texts.push(
    `a${long('\n')}a`,
    `${long('1,')}x`,
    `1${long(' ')}1`,
    long('· '),
    `https://acme.example${long('/')}a`,
    `${long('- ')}x`,
    long('ab '),
    `${long('Credential ID ')}\n`,
    long(' at\n'),
    long('<script '),
    long('<!--'),
    long('('),
    long('Jan 2020 '),
    `https://www.linkedin.com/in/${long('/')}`,
  )

/** The places of all values in a payload that `isWanted` accepts. */
function placesOf(value: unknown, isWanted: (value: unknown) => boolean, at: Path = []): Path[] {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => placesOf(inner, isWanted, [...at, name]))
      : []
  return isWanted(value) ? [at, ...inside] : inside
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner, name) => (inner as Record<string, unknown>)[name], value)
}

function withValue(value: unknown, [name, ...rest]: Path, put: unknown): unknown {
  if (name === undefined) return put
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>
  copy[name] = withValue(copy[name], rest, put)
  return copy
}

/** A value with another number in each of its texts. */
function varied(value: unknown, number: number): unknown {
  if (typeof value === 'string') return /^\d/.test(value) ? value : `${value} ${number}`
  if (Array.isArray(value)) return value.map((inner) => varied(inner, number))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, varied(inner, number)]))
}

/** The places in the answers of a provider, each place of a list once. */
function* placesIn(name: string, isWanted: (value: unknown) => boolean): Generator<[GoldenAnswer, Path]> {
  const seen = new Set<string>()
  for (const answer of goldenAnswers(name)) {
    if (answer.base !== null) continue
    for (const path of placesOf(answer.payload, isWanted)) {
      const place = `${answer.kind} ${path.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('.')}`
      if (!seen.has(place)) yield [answer, path]
      seen.add(place)
    }
  }
}

/** The CPU time of a mapping. An answer may be refused. */
function cpuMsOf(name: string, kind: GoldenAnswer['kind'], payload: unknown): number {
  const [provider, body] = [providerOf(name), bytes(payload)]
  const before = process.cpuUsage()
  try {
    provider.project(kind, body)
  } catch {
    // A refusal is an answer, too.
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

test.each(goldenNames())('no long text in an answer of %s occupies the process', (name) => {
  const slow: string[] = []
  for (const [{ kind, payload }, path] of placesIn(name, (value) => typeof value === 'string')) {
    for (const text of texts) {
      const ms = cpuMsOf(name, kind, withValue(payload, path, text))
      if (ms > cpuMsAtMost) slow.push(`${kind} ${path.join('.')}: ${JSON.stringify(text.slice(0, 20))} takes ${ms} ms`)
    }
  }

  expect(slow).toEqual([])
})

test.each(goldenNames())('no long list in an answer of %s occupies the process', (name) => {
  const slow: string[] = []
  for (const [{ kind, payload }, path] of placesIn(name, (value) => Array.isArray(value) && value.length > 0)) {
    const [first] = valueAt(payload, path) as unknown[]
    const list = Array.from({ length: entries }, (_, number) => varied(first, number))
    const ms = cpuMsOf(name, kind, withValue(payload, path, list))
    if (ms > cpuMsAtMost) slow.push(`${kind} ${path.join('.')} takes ${ms} ms`)
  }

  expect(slow).toEqual([])
})
