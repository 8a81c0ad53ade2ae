/** `npm run faults`: plants mistakes, one at a time, and runs the test of the guarantee that each of them breaks. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { createVitest, type TestCase } from 'vitest/node'
import { testedFaults } from './faults/faults.ts'
import { projectOf, type TestedFault } from './tested-fault.ts'

const usage = `npm run faults -- [TEXT] [options]

Plants every mistake whose name contains TEXT, one at a time, in the processes of the tests, and runs the test that
docs/reference/guarantees.md names for the promise. The test must pass without the mistake and fail with it. Nothing on
the disk is changed.

  --part I/N      only every N-th mistake, beginning with the I-th
  --list          only list the mistakes

Exits with 1 if a mistake was not found.
Example: npm run faults -- 'checksum'`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string', default: '1/1' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '../../..')

/** Runs the test of a fault, with the fault or without it, in a runner of its own. Returns its cases. */
async function run({ test, title }: TestedFault, planted: string): Promise<TestCase[]> {
  const given = new Set(Object.keys(process.env))
  process.env['VITAE_PLANT'] = planted
  const vitest = await createVitest('test', { root, watch: false, reporters: [], maxWorkers: 1, bail: 1 })
  if (title !== undefined) vitest.setGlobalTestNamePattern(title)
  const found = await vitest.globTestSpecifications([join(root, 'service/test', test)])
  const specs = found.filter((one) => one.project.name === projectOf(test))
  if (specs.length === 0) throw new Error(`there is no ${test}`)
  const { testModules } = await vitest.runTestSpecifications(specs)
  const tests = testModules.flatMap((module) => [...module.children.allTests()])
  await vitest.close()
  // The engines that this runner has started are gone.
  for (const name of Object.keys(process.env)) if (!given.has(name)) delete process.env[name]
  return tests
}

const failedIn = (tests: readonly TestCase[]) => tests.find((one) => one.result().state === 'failed')
const passedIn = (tests: readonly TestCase[]) => tests.some((one) => one.result().state === 'passed')

/** The tests, with their titles, that pass without a fault. */
const sound = new Map<string, boolean>()

/** Why a fault is not shown to be found; null if its test passes without it and fails with it. */
async function missed(fault: TestedFault): Promise<string | null> {
  const failed = failedIn(await run(fault, fault.name))
  if (!failed) return 'the test passes with it, or cannot be loaded'
  const [error] = failed.result().errors ?? []
  console.log(`  ${failed.name}\n  ${error?.message.split('\n')[0]?.slice(0, 200)}`)
  const name = `${fault.test} ${fault.title ?? ''}`
  if (!sound.has(name)) {
    const tests = await run(fault, '')
    sound.set(name, !failedIn(tests) && passedIn(tests))
  }
  return sound.get(name) ? null : 'the test fails without it too'
}

async function main(): Promise<boolean> {
  const [first = 1, of = 1] = values.part.split('/').map(Number)
  const named = testedFaults.filter(({ name }) => name.includes(positionals[0] ?? ''))
  const wanted = named.filter((_, index) => index % of === first - 1)
  if (values.help) return console.log(usage) === undefined
  if (values.list) return console.log(wanted.map(({ name, test }) => `${name} (${test})`).join('\n')) === undefined
  process.env['VITAE_PLANT'] = ''
  // The tests' processes and threads, and those that they start, load the mistake.
  process.env['NODE_OPTIONS'] = `--import=${pathToFileURL(join(import.meta.dirname, 'preload.ts')).href}`
  let found = 0
  for (const fault of wanted) {
    const why = await missed(fault)
    if (why === null) found += 1
    console.log(why === null ? `found: ${fault.name}` : `NOT FOUND: ${fault.name} (${why})`)
  }
  console.log(`\n${found} of ${wanted.length} found`)
  return wanted.length > 0 && found === wanted.length
}

process.exit((await main()) ? 0 : 1)
