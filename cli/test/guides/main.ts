/**
 * `npm run guides`: runs every command block of every page in a fresh folder, one page after another like a reader, and
 * lists the blocks that were not run and why.
 */
import { spawnSync } from 'node:child_process'
import { pages, readBlocks, root, scriptOf } from './guide-text.ts'
import { openReader } from './open-reader.ts'

const usage = `npm run guides

Runs every command block of every page in a fresh folder, and lists the blocks that were not run and why. Takes some minutes.
Exits with 1 if a command failed.`

if (process.argv.includes('--help')) {
  console.log(usage)
  process.exit()
}

/** Pages that a separate test follows. */
const followed: Record<string, string> = {
  'docs/guides/adding-a-provider.md': 'cli/test/guides/outside-provider.test.ts',
}

const reader = await openReader()
const failed: string[] = []
const left: string[] = []
let ran = 0
for (const page of pages) {
  const blocks = readBlocks(page).filter(({ language }) => language === 'sh')
  const test = followed[page]
  left.push(...blocks.flatMap(({ notRun, line }) => (notRun === null || test ? [] : [`${page}:${line}  ${notRun}`])))
  const run = blocks.filter(({ notRun }) => notRun === null)
  if (blocks.length === 0 || (run.length === 0 && !test)) continue
  const fault = test ? runTest(test) : await followPage(page)
  ran += run.length
  console.log(
    `${fault === null ? 'ran    ' : 'FAILED '} ${page}: ${run.length} of ${blocks.length} blocks${test ? `, by ${test}` : ''}`,
  )
  if (fault !== null) failed.push(`${page}\n${fault}`)
}
await reader.close()

if (left.length > 0) console.log(`\nNot run, and why:\n${left.map((line) => `  ${line}`).join('\n')}`)
for (const text of failed) console.log(`\n${text}`)
console.log(`\n${ran} blocks run, ${left.length} not run, ${failed.length} failed`)
process.exitCode = failed.length > 0 ? 1 : 0

/** The error of the page; null if all its commands succeeded. */
async function followPage(page: string): Promise<string | null> {
  return reader.run(scriptOf(readBlocks(page))).then(
    () => null,
    (error: Error) => error.message,
  )
}

function runTest(file: string): string | null {
  const { VITAE_TEST_LONG: _long, ...env } = process.env
  const { status, stdout } = spawnSync('npm', ['test', '--', file], { cwd: root, env, encoding: 'utf8' })
  return status === 0 ? null : stdout.slice(-2_000)
}
