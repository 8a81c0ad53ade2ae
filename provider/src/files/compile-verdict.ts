import type { Kind } from '@vitae/contract'
import { type FaultKind, ProviderFault } from '../provider-fault.ts'
import type { RawAnswer, Verdict } from '../provider.ts'
import { parsePayload, throwIfWebPage } from '../wire/check-answer.ts'
import { header } from '../wire/header.ts'
import { retryAfterSeconds } from '../wire/retry-after.ts'
import { compilePath } from './expression.ts'
import { isEmpty } from './functions.ts'
import { attempt, type Place, type SourceFile } from './read-yaml.ts'
import type { AnyFile, BilledFile, outcomes, ProviderFile, RuleFile, TestFile } from './schema.ts'

type Outcome = (typeof outcomes)[number]

/** Usual meanings of HTTP statuses; the rules of a file come first. */
const usual: readonly RuleFile[] = [
  { status: [401, 403], is: 'bad_key' },
  { status: 402, is: 'out_of_credits' },
  { status: 429, is: 'rate_limited' },
  { status: '5xx', is: 'retry' },
]

const faults: Record<Exclude<Outcome, 'found' | 'not_found'>, [kind: FaultKind, says: string]> = {
  out_of_credits: ['rejected', 'has no credits left on this account'],
  bad_key: ['rejected', 'refuses this account'],
  rate_limited: ['limited', 'asks for fewer calls'],
  retry: ['unavailable', 'failed'],
  invalid: ['invalid', 'sent an answer that matches no rule of its file'],
}

/** Compiles a path into a reader. */
export function readerOf(source: SourceFile, place: Place, path: string): (from: unknown) => unknown {
  const { read } = compilePath(path, (what) => source.fault(place, what))
  return (from) => read({ item: from, record: from, payload: from })
}

type Holds = (from: unknown) => boolean

/** Compiles a test of one value, or of any of several. A test has a path and exactly one condition. */
export function compileTest(source: SourceFile, place: Place, test: TestFile | AnyFile): Holds {
  if ('any' in test) {
    const tests = test.any.map((one, at) => compileTest(source, [...place, 'any', at], one))
    return (from) => tests.some((holds) => holds(from))
  }
  const { path, ...asked } = test
  const [[name, wanted] = [], second] = Object.entries(asked)
  if (name === undefined || second)
    throw source.fault(place, 'a test has exactly one condition: equals, in, not_in, absent, empty or is_array')
  const read = readerOf(source, [...place, 'path'], path)
  const words = [wanted].flat().map((word) => JSON.stringify(word).replaceAll('"', ''))
  // Compares without quotes, because a vendor may send numbers as text.
  const isListed = (value: unknown) => words.includes(JSON.stringify(value ?? null).replaceAll('"', ''))
  if (name === 'equals' || name === 'in') return (from) => isListed(read(from))
  if (name === 'not_in') return (from) => !isListed(read(from))
  if (name === 'empty') return (from) => isEmpty(read(from)) === wanted
  if (name === 'is_array') return (from) => Array.isArray(read(from)) === wanted
  return (from) => ((read(from) ?? null) === null) === wanted
}

/** Compiles the verdict on a response: found, not found, or a thrown fault. */
export function compileVerdict(source: SourceFile, file: ProviderFile, kind: Kind): (answer: RawAnswer) => Verdict {
  const { name, rate_limit: limit } = file
  const own = file[kind]
  const rules = [
    ...(own?.verdicts ?? []).map((rule, at) => compileRule(source, [kind, 'verdicts', at], rule)),
    ...(file.verdicts ?? []).map((rule, at) => compileRule(source, ['verdicts', at], rule)),
  ]
  if (!rules.some(({ is }) => is === 'found'))
    throw source.fault([kind], `${kind} has no verdict "found"`, { atKey: true })
  const all = [...rules, ...usual.map((rule) => compileRule(source, [], rule))]
  const billed = compileBilled(source, own?.billed ? [kind, 'billed'] : ['billed'], own?.billed ?? file.billed ?? {})
  return (answer) => {
    const { status } = answer
    const body: unknown = attempt(() => parsePayload(name, answer.body))
    const is = all.find((rule) => rule.fits(status, body))?.is ?? 'invalid'
    if (is !== 'found' && is !== 'not_found') {
      const [fault, says] = faults[is]
      const reason = `${is === 'out_of_credits' ? 'no credits, ' : ''}HTTP ${status}`
      const retryAfterSeconds = is === 'rate_limited' ? waitIn(answer, limit?.header) : null
      const wait = retryAfterSeconds === null ? {} : { retryAfterSeconds }
      throw new ProviderFault(fault, `${name} ${says} (${status})`, { answer, reason, ...wait })
    }
    throwIfWebPage(name, answer)
    if (is === 'found' && (typeof body !== 'object' || body === null))
      throw new ProviderFault('invalid', `${name} sent something that is not a record`, { answer })
    return { outcome: is, answer, cost: billed(answer, body, is) }
  }
}

function compileRule(source: SourceFile, place: Place, { status, path, is, ...test }: RuleFile) {
  const statuses = status === undefined ? null : [status].flat().map((one) => String(one).replace('xx', ''))
  const isStatus = (given: number) => statuses?.some((one) => String(given).startsWith(one)) ?? true
  if (path === undefined) {
    if (statuses === null || Object.keys(test).length > 0) throw source.fault(place, 'a test needs a path')
    return { is, fits: isStatus }
  }
  const holds = compileTest(source, place, { path, ...test })
  // A body that is not JSON fits no test, not even `absent`.
  return { is, fits: (given: number, body: unknown) => isStatus(given) && body !== undefined && holds(body) }
}

function compileBilled(source: SourceFile, place: Place, billed: BilledFile) {
  const { path, header: named = '', free_if: free, ...constants } = billed
  const read = path === undefined ? () => null : readerOf(source, [...place, 'path'], path)
  const isFree = free ? compileTest(source, [...place, 'free_if'], free) : () => false
  return (answer: RawAnswer, body: unknown, is: 'found' | 'not_found'): number | null =>
    isFree(body) ? 0 : (credits(read(body)) ?? credits(header(answer, named)) ?? constants[is] ?? null)
}

function credits(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null
}

/** The seconds to wait before the next call: from Retry-After or the file's header, as seconds, an epoch or a date. */
function waitIn(answer: RawAnswer, named = ''): number | null {
  const said = header(answer, named)
  const number = credits(said)
  const at = number === null ? Date.parse(said ?? '') : number * (number < 100_000_000_000 ? 1_000 : 1)
  const wait = number !== null && number < 1_000_000_000 ? number : Math.ceil((at - answer.receivedAt) / 1_000)
  return retryAfterSeconds(answer) ?? (Number.isNaN(wait) ? null : Math.max(0, wait))
}
