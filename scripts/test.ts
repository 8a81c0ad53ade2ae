import { globSync } from 'node:fs'
import { provideTools } from './provide-tools.ts'
import { runTool } from './run-tool.ts'
import { runVitest } from './run-vitest.ts'

const usage = `npm test [-- <options of vitest, and parts of the names of test files>]

Types, lint, format, unused code, then all tests. The last line counts them all.
  npm test -- freshness      only the tests in files with that name, and nothing else
  npm run test:long          full counts for crash, race and model runs (VITAE_TEST_LONG=1)
  VITAE_TEST_NO_INSTALL=1    never install missing programs with apt-get`

interface Check {
  name: string
  tool: string
  options: string[]
}

/** One checker each: several would work out the same large types of libraries, and take twice the time of the cores. */
const types: Check[] = [
  { name: 'types', tool: 'tsc', options: ['--noEmit', '--checkers', '1'] },
  {
    name: 'types of the console',
    tool: 'tsc',
    options: ['--noEmit', '--checkers', '1', '-p', 'console/tsconfig.json'],
  },
]
/** Checks that read the code without running it. Each counts as one test. Those of one group run side by side. */
const checks: Check[][] = [
  types,
  [{ name: 'lint', tool: 'oxlint', options: ['--type-aware', '--deny-warnings'] }],
  [{ name: 'format', tool: 'oxfmt', options: ['--check', '.'] }],
  [{ name: 'unused code', tool: 'knip', options: ['--no-config-hints'] }],
]

/** Everything that has to hold before a change is good, in one go; the last line is the verdict. */
async function main(options: string[]): Promise<void> {
  const wanted = namesTestFiles(options) ? [] : checks
  if (wanted.length > 0) provideTools()
  const broken: string[] = []
  // Group after group: each uses all cores already.
  for (const group of wanted) {
    const run = async ({ name, tool, options: toolOptions }: Check) => {
      console.log(`\n== ${name}: ${tool} ${toolOptions.join(' ')}`)
      if ((await runTool(tool, toolOptions)) !== 0) broken.push(name)
    }
    await Promise.all(group.map(run))
  }
  console.log('\n== tests')
  const tests = await runVitest(options)

  if (broken.length > 0) console.log(`\nFailed checks: ${broken.join(', ')}`)
  const passed = tests.passed + wanted.flat().length - broken.length
  const failed = tests.failed + broken.length
  console.log(`${passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ''}`)
  process.exitCode = failed > 0 ? 1 : 0
}

/** Whoever names test files wants only those. */
function namesTestFiles(options: readonly string[]): boolean {
  const files = globSync('{contract,service,client,cli,console,bench}/test/**/*.test.ts')
  return options.some((option) => !option.startsWith('-') && files.some((file) => file.includes(option)))
}

const options = process.argv.slice(2)
if (options.includes('--help')) {
  console.log(usage)
} else if (Number.parseInt(process.versions.node, 10) < 24) {
  console.log(`This is Node ${process.versions.node}; going on with the pinned one.`)
  process.exitCode = await runTool('node', [import.meta.filename, ...options])
} else {
  await main(options)
}
