/** `npm run world`: plays seeds of a world with known facts, and prints the checks. */
import { enableCompileCache } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findFaults } from '../simulation/faults/find-faults.ts'
import { faults } from './faults/faults.ts'
import { spreadSeeds } from './spread-seeds.ts'

const usage = `npm run world -- [options]

  --seeds N       play N seeds (20)
  --seed S        start with seed S (1); without --seeds play only this one, and print all violations
  --jobs N        number of processes (the number of cores)
  --quick         fewer watches and calls in a seed, at about half the cost
  --person P      print the stored answers and reported events of person P
  --json          print one JSON object as the last line: {"seeds", "failed": [seeds], "checked", "undecided", "facts"}
  --plant NAME    plant the fault whose name contains NAME
  --faults TEXT   search for every planted fault whose name contains TEXT ('' for all), each in --seeds N seeds (50)

Exits with 1 if a seed failed or a planted fault was not found.
Example: npm run world -- --seed 4711`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    person: { type: 'string' },
    plant: { type: 'string' },
    faults: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

async function main(): Promise<boolean> {
  const { json, plant, quick: isQuick } = values
  const jobs = Number(values.jobs)
  if (values.help) return console.log(usage) === undefined
  if (values.faults !== undefined) {
    const options = { seeds: Number(values.seeds ?? 50), jobs, json }
    return findFaults(values.faults, { ...options, faults, main: join(import.meta.dirname, 'main.ts') })
  }
  const first = Number(values.seed ?? 1)
  const count = Number(values.seeds ?? (values.seed === undefined ? 20 : 1))
  const person = values.person === undefined ? undefined : Number(values.person)
  const began = process.hrtime.bigint()
  const { seeds, failed, ...counts } = await spreadSeeds({
    first,
    count,
    jobs,
    plant,
    person,
    isQuick,
    isWordy: count === 1,
  })
  const seconds = Number(process.hrtime.bigint() - began) / 1e9
  if (json) console.log(JSON.stringify({ seeds, failed, ...counts }))
  else {
    printTable('law', 'cases', counts.checked)
    printTable('nobody can decide, and what the service does', 'cases', counts.undecided)
    printTable('what happened', 'times', counts.facts)
    console.log(`\n${seeds} seeds, ${failed.length} failed, ${seconds.toFixed(1)} s`)
  }
  return failed.length === 0
}

function printTable(title: string, of: string, counts: Record<string, number>): void {
  console.log(`\n| ${title} | ${of} |\n|---|---|`)
  for (const [name, count] of Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b)))
    console.log(`| ${name} | ${count} |`)
}

// Compiling the sources takes longer than a seed.
enableCompileCache()
process.exit((await main()) ? 0 : 1)
