import { globSync } from 'node:fs'
import { provideTools } from './provide-tools.ts'
import { runTool, runToolBeside } from './run-tool.ts'
import { runVitest } from './run-vitest.ts'

const usage = `npm test [-- <vitest options, and parts of test file names>]

Runs types, lint, format, unused code and all tests. The last line counts them.
  npm test -- freshness      only the tests in matching files, and no other checks
  npm run test:long          full counts for crash, race and model runs (VITAE_TEST_LONG=1)
  VITAE_TEST_NO_INSTALL=1    never install missing programs with apt-get`

interface Check {
  name: string
  tool: string
  options: string[]
}

/** Static checks. Each counts as one test. */
const checks: Check[] = [
  // oxlint checks types and lint in one pass; a separate tsc would take as long again.
  {
    name: 'types and lint',
    tool: 'oxlint',
    options: ['--type-aware', '--type-check', '--deny-warnings', '--threads=1'],
  },
  { name: 'format', tool: 'oxfmt', options: ['--check', '.'] },
  { name: 'unused code', tool: 'knip', options: ['--no-config-hints'] },
]

/** Runs every check and test. The last line is the verdict. */
async function main(options: string[]): Promise<void> {
  const wanted = namesTestFiles(options) ? [] : checks
  if (wanted.length > 0) provideTools()
  // Runs beside the tests, which often wait for disks, processes and browsers.
  const [tests, broken] = await Promise.all([runVitest(options), runChecks(wanted)])

  if (broken.length > 0) console.log(`\nFailed checks: ${broken.join(', ')}`)
  const passed = tests.passed + wanted.length - broken.length
  const failed = tests.failed + broken.length
  console.log(`${passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ''}`)
  process.exitCode = failed > 0 ? 1 : 0
}

/** Runs the checks one after another, and returns the names of the failed ones. */
async function runChecks(wanted: readonly Check[]): Promise<string[]> {
  const broken: string[] = []
  for (const { name, tool, options } of wanted) if ((await runToolBeside(tool, options)) !== 0) broken.push(name)
  return broken
}

/** Whether the options name test files. Then only these run. */
function namesTestFiles(options: readonly string[]): boolean {
  const files = globSync('{contract,provider,service,client,client-python,cli,console,bench}/test/**/*.test.ts')
  return options.some((option) => !option.startsWith('-') && files.some((file) => file.includes(option)))
}

const options = process.argv.slice(2)
if (options.includes('--help')) {
  console.log(usage)
} else if (Number.parseInt(process.versions.node, 10) < 24) {
  console.log(`This is Node ${process.versions.node}; switching to the pinned version.`)
  process.exitCode = await runTool('node', [import.meta.filename, ...options])
} else {
  await main(options)
}
