/** `npm run mutate`: makes small changes to the code, one at a time, and lists those that no test detects. */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { acceptedSurvivors } from './accepted-survivors.ts'
import type { AcceptedSurvivor } from './prices-survivors.ts'
import { runStryker, type Mutant } from './run-stryker.ts'
import { subjects } from './subjects.ts'

const lowestOverall = 97
const lowestOfFolder = 90
const folders = [...new Set(subjects.map(({ folder }) => folder))]
const usage = `npm run mutate -- [options]

Makes small changes to ${folders.join(', ')}, one at a time, and runs their tests.
Exits with 1 if the tests detect less than ${lowestOverall} % of all changes or ${lowestOfFolder} % of a folder's, or if an undetected
change has no reason in service/test/mutation/accepted-survivors.ts.

  --folder NAME    only this folder, or one of its files
  --workers N      number of parallel test processes (one per core)
  --json           print one JSON document; progress goes to standard error

Examples:
  npm run mutate
  npm run mutate -- --folder credits/decision --workers 1
  npm run mutate -- --folder records/identifiers/parse-identifier.ts
  npm run mutate -- --folder lookup/freshness --json`

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const only = values.folder
const wanted = subjects
  .map((subject) => ({
    ...subject,
    files: subject.files.filter((file) => [undefined, subject.folder, file].includes(only)),
  }))
  .filter(({ files }) => files.length > 0)
if (wanted.length === 0) {
  console.error(`${only} is not one of ${folders.join(', ')} or a file in them`)
  process.exit(2)
}

const workers = Number(values.workers)
if (!(workers >= 1)) {
  console.error('--workers must be at least 1')
  process.exit(2)
}

const mutants = new Map<string, Mutant[]>()
for (const subject of wanted) {
  const { folder, files } = subject
  console.error(`== ${files.join(' ')}`)
  mutants.set(folder, [...(mutants.get(folder) ?? []), ...(await runStryker(subject, workers))])
}
const results = [...mutants].map(([folder, all]) => resultOf(folder, all))
const overall = countsOf([...mutants.values()].flat().filter(({ outcome }) => outcome !== 'invalid'))
if (values.json) console.log(JSON.stringify(results, null, 2))
else showAll(results)
const isGood = ({ total, survivors, stale }: Result) =>
  total.score >= lowestOfFolder && stale.length === 0 && survivors.every(({ reason }) => reason !== null)
process.exitCode = results.every(isGood) && (only !== undefined || overall.score >= lowestOverall) ? 0 : 1

interface FileCount {
  file: string
  mutants: number
  killed: number
  timedOut: number
  survived: number
  score: number
}

interface Result {
  folder: string
  total: Omit<FileCount, 'file'>
  files: FileCount[]
  survivors: (Mutant & { reason: string | null })[]
  /** Reasons for mutants that a test detects by now, or whose code has changed. */
  stale: string[]
}

function resultOf(folder: string, all: readonly Mutant[]): Result {
  const valid = all.filter(({ outcome }) => outcome !== 'invalid')
  const files = [...new Set(valid.map(({ file }) => file))]
  const survivors = valid.filter(({ outcome }) => outcome === 'survived')
  const isMeant = ({ file, code, change }: AcceptedSurvivor, mutant: Mutant) =>
    file === mutant.file && change === mutant.change && mutant.isWithin(code)
  return {
    folder,
    total: countsOf(valid),
    files: files.map((file) => ({ file, ...countsOf(valid.filter((mutant) => mutant.file === file)) })),
    survivors: survivors.map((mutant) => ({
      ...mutant,
      reason: acceptedSurvivors.find((accepted) => isMeant(accepted, mutant))?.reason ?? null,
    })),
    stale: acceptedSurvivors
      .filter(({ file }) => files.includes(file))
      .filter((accepted) => !survivors.some((mutant) => isMeant(accepted, mutant)))
      .map(({ file, change }) => `${file}: ${change}`),
  }
}

function countsOf(mutants: readonly Mutant[]): Omit<FileCount, 'file'> {
  const count = (wanted: Mutant['outcome']) => mutants.filter(({ outcome }) => outcome === wanted).length
  const [killed, timedOut, survived] = [count('killed'), count('timed out'), count('survived')]
  const score = mutants.length === 0 ? 0 : Math.round(((killed + timedOut) / mutants.length) * 1_000) / 10
  return { mutants: mutants.length, killed, timedOut, survived, score }
}

function showAll(all: readonly Result[]): void {
  for (const result of all) show(result)
  const { killed, timedOut, score } = overall
  const seconds = Math.round(process.uptime())
  console.log(`\n${overall.mutants} changes, ${killed + timedOut} detected (${score.toFixed(1)} %), in ${seconds} s`)
}

function show({ folder, total, files, survivors, stale }: Result): void {
  const columns = ['mutants', 'killed', 'timed out', 'survived', 'score %']
  console.log(`\n${'file'.padEnd(42)}${columns.map((name) => name.padStart(10)).join('')}`)
  for (const { file, mutants, killed, timedOut, survived, score } of [...files, { file: folder, ...total }]) {
    const cells = [mutants, killed, timedOut, survived, score.toFixed(1)].map((cell) => String(cell).padStart(10))
    console.log(`${file.padEnd(42)}${cells.join('')}`)
  }
  for (const { file, line, change, reason } of survivors)
    console.log(`${file}:${line}  ${change}\n    ${reason ?? 'NO REASON: write a test, or delete unneeded code'}`)
  for (const one of stale) console.log(`no longer survives, delete its reason: ${one}`)
}
