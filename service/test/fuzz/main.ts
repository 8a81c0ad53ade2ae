/** `npm run fuzz`: mutates inputs at random and keeps those that run new code, until the time is up. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../simulation/world/random.ts'
import { Coverage } from './coverage.ts'
import { mutate } from './mutate.ts'
import { batchInput, plainRequests, type Target } from './targets.ts'

const usage = `node service/test/fuzz/main.ts [--seconds N] [--seed S]

Sends mutated inputs to the two parsers of untrusted bytes: lookup requests and batch bodies. Inputs that run new code are mutated
further. Prints one JSON line; exits with 1 if a parser disagreed with its reference. corpus.json has the initial inputs.`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
/** An input that takes longer counts as a hang. */
const hangMs = 20_000

if (values.help) console.log(usage)
else await main(Number(values.seconds) * 1_000, new Random(Number(values.seed)))

async function main(ms: number, random: Random): Promise<void> {
  const corpus = JSON.parse(readFileSync(join(import.meta.dirname, 'corpus.json'), 'utf8')) as Record<string, string[]>
  const counts = { inputs: 0, parts: 0, kept: 0 }
  const failures: string[] = []
  for (const target of [await plainRequests(), batchInput()]) {
    const ended = await fuzz(target, corpus[target.name] ?? [], ms / 2, random)
    for (const name of ['inputs', 'parts', 'kept'] as const) counts[name] += ended[name]
    failures.push(...ended.failures)
    target.close()
  }
  console.log(JSON.stringify({ ...counts, failures }))
  process.exit(failures.length > 0 ? 1 : 0)
}

async function fuzz(target: Target, first: readonly string[], ms: number, random: Random) {
  const coverage = new Coverage(target.files)
  await coverage.start()
  const kept = [...first]
  const failures: string[] = []
  const ends = performance.now() + ms
  let inputs = 0
  for (; failures.length < 5 && (inputs < first.length || performance.now() < ends); inputs++) {
    const text = first[inputs] ?? mutate(random, random.pick(kept), random.pick(kept))
    const wrong = await withinTime(target.check(text)).catch((error: unknown) => String(error))
    if (wrong !== null) failures.push(`${target.name}, ${JSON.stringify(text)}: ${wrong}`)
    if ((await coverage.newParts()) > 0 && inputs >= first.length) kept.push(text)
  }
  return { inputs, parts: coverage.parts, kept: kept.length - first.length, failures }
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('it hangs')), hangMs)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
