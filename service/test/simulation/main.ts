/** `npm run simulate`: plays seeds, and prints the one command that plays a failing seed again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findFaults } from './faults/find-faults.ts'
import { allSteps, runSeed, type SeedResult, type Step } from './run-seed.ts'
import { SimulatedStore } from './simulated-store.ts'
import { VirtualTime } from './virtual-time.ts'

const usage = `npm run simulate -- [options]

  --seeds N     play N seeds (200)
  --seed S      begin with seed S (1); without --seeds play only this one, step by step
  --steps N     steps of each seed (120)
  --faults T    plant known faults into a copy, those whose name contains T, and say after how many seeds each is found
  --quick       do not look for the smallest run that fails
  --json        print one JSON line at the end

Example: npm run simulate -- --seed 4711`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '120' },
    faults: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}

if (values.faults !== undefined) {
  const seeds = Number(values.seeds ?? 1_000)
  const show = (result: { name: string; seeds: number | null; what: string }) =>
    console.log(
      values.json
        ? JSON.stringify(result)
        : `${String(result.seeds ?? 'NOT FOUND').padStart(9)}  ${result.name}\n           ${result.what}`,
    )
  const missed = findFaults(seeds, values.faults, show).filter((result) => result.seeds === null)
  process.exit(missed.length > 0 ? 1 : 0)
}

const started = process.hrtime.bigint()
const time = new VirtualTime()
time.install()
const folder = mkdtempSync(join(tmpdir(), 'vitae-simulation-'))
const template = join(folder, 'template.db')
const empty = await SimulatedStore.open(template, time.clock.now())
await empty.die(null)

const first = Number(values.seed ?? 1)
const count = Number(values.seeds ?? (values.seed === undefined ? 200 : 1))
const steps = Number(values.steps)
const onStep = count === 1 ? { onStep: (line: string) => console.log(line) } : {}
const total = { seeds: 0, calls: 0, deaths: 0, failed: [] as number[] }
for (let seed = first; seed < first + count; seed++) {
  const result = await runSeed(time, template, { seed, steps, ...onStep })
  total.seeds += 1
  total.calls += result.calls
  total.deaths += result.deaths
  if (!result.violation) continue
  total.failed.push(seed)
  if (values.quick) console.error(`seed ${seed} breaks at step ${result.violation.step}: ${result.violation.what}`)
  else await explain(result, result.violation)
  break
}
rmSync(folder, { recursive: true, force: true })
const seconds = Number(process.hrtime.bigint() - started) / 1e9
if (values.json) console.log(JSON.stringify({ ...total, seconds }))
else
  console.log(
    `${total.seeds} seeds, ${total.calls} calls, ${total.deaths} deaths of the process, ${total.failed.length} failed, ${seconds.toFixed(1)} s`,
  )
process.exit(total.failed.length > 0 ? 1 : 0)

/** Says what broke, and how small the run can be made that still breaks. */
async function explain({ seed }: SeedResult, { step, what }: { step: number; what: string }): Promise<void> {
  const without: Step[] = []
  const needed = new Set<Step>(['call', 'take', 'hear', 'answer'])
  for (const name of allSteps.filter((one) => !needed.has(one))) {
    const tried = await runSeed(time, template, { seed, steps, without: [...without, name] })
    if (tried.violation) without.push(name)
  }
  const rest = allSteps.filter((name) => !without.includes(name))
  console.error(`seed ${seed} breaks at step ${step}: ${what}`)
  console.error(`it still breaks with these steps alone: ${rest.join(', ')}`)
  console.error(`play it again: npm run simulate -- --seed ${seed} --steps ${steps}`)
}
