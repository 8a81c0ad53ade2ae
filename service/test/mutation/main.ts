/** `npm run mutate`: changes the code in small ways, one at a time, and says which changes no test notices. */
import { parseArgs } from 'node:util'
import { acceptedSurvivors } from './accepted-survivors.ts'
import { runStryker, type Mutant } from './run-stryker.ts'
import { subjects } from './subjects.ts'

const lowestScore = 90
const usage = `npm run mutate -- [options]

Changes ${subjects.map(({ name }) => name).join(', ')} in small ways, one at a time, and runs their tests.
Ends with code 1 when they notice less than ${lowestScore} % of the changes of a folder, or when a change that they do not
notice has no reason in service/test/mutation/accepted-survivors.ts.

  --folder NAME    only this one
  --workers N      test processes at the same time (1)
  --json           print one JSON document, and nothing else

Examples:
  npm run mutate
  npm run mutate -- --folder credits/decision --workers 2
  npm run mutate -- --folder lookup/freshness --json`

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    workers: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const wanted = subjects.filter(({ name }) => values.folder === undefined || name === values.folder)
if (wanted.length === 0) {
  console.error(`no folder ${values.folder}: ${subjects.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

const results: Result[] = []
for (const subject of wanted) {
  if (!values.json) console.log(`== ${subject.name}`)
  results.push(resultOf(subject.name, await runStryker(subject, Number(values.workers), values.json)))
}
if (values.json) console.log(JSON.stringify(results, null, 2))
else for (const result of results) show(result)
const isGood = ({ score, survivors, stale }: Result) =>
  score >= lowestScore && stale.length === 0 && survivors.every(({ reason }) => reason !== null)
process.exit(results.every(isGood) ? 0 : 1)

interface FileCount {
  file: string
  mutants: number
  killed: number
  survived: number
  score: number
}

interface Result {
  folder: string
  score: number
  files: FileCount[]
  survivors: (Mutant & { reason: string | null })[]
  /** Reasons for what a test notices by now, or what is no longer written so. */
  stale: string[]
}

function resultOf(folder: string, all: readonly Mutant[]): Result {
  const mutants = all.filter(({ outcome }) => outcome !== 'invalid')
  const survivors = mutants.filter(({ outcome }) => outcome === 'survived')
  const isSame = (one: { file: string; code: string; change: string }, other: typeof one) =>
    one.file === other.file && one.code === other.code && one.change === other.change
  return {
    folder,
    score: scoreOf(mutants),
    files: [...new Set(mutants.map(({ file }) => file))].map((file) => {
      const own = mutants.filter((mutant) => mutant.file === file)
      const survived = own.filter(({ outcome }) => outcome === 'survived').length
      return { file, mutants: own.length, killed: own.length - survived, survived, score: scoreOf(own) }
    }),
    survivors: survivors.map((mutant) => ({
      ...mutant,
      reason: acceptedSurvivors.find((accepted) => isSame(accepted, mutant))?.reason ?? null,
    })),
    stale: acceptedSurvivors
      .filter(({ file }) => file.startsWith(folder))
      .filter((accepted) => !survivors.some((mutant) => isSame(accepted, mutant)))
      .map(({ file, change }) => `${file}: ${change}`),
  }
}

function scoreOf(mutants: readonly Mutant[]): number {
  const killed = mutants.filter(({ outcome }) => outcome === 'killed').length
  return mutants.length === 0 ? 0 : Math.round((killed / mutants.length) * 1_000) / 10
}

function show({ folder, score, files, survivors, stale }: Result): void {
  const total = { file: folder, mutants: 0, killed: 0, survived: 0, score }
  for (const { mutants, killed, survived } of files) {
    total.mutants += mutants
    total.killed += killed
    total.survived += survived
  }
  console.log(`\n${'file'.padEnd(46)} mutants  killed  survived  score`)
  for (const row of [...files, total]) {
    const counts = [String(row.mutants).padStart(7), String(row.killed).padStart(7), String(row.survived).padStart(9)]
    console.log(`${row.file.padEnd(46)} ${counts.join(' ')} ${row.score.toFixed(1).padStart(6)}`)
  }
  for (const { file, line, change, reason } of survivors)
    console.log(`${file}:${line}  ${change}\n    ${reason ?? 'NO REASON: write a test, or delete what nothing needs'}`)
  for (const one of stale) console.log(`no longer survives, delete its reason: ${one}`)
}
