/** `npm run bench`: measures all contestants on loopback in the same run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBench, type Bench } from './bench.ts'
import { describeMachine } from './process/machine.ts'
import { commandOf, parseOptions, usage, type Options } from './options.ts'
import { connections } from './race.ts'
import { barChart } from './report/bar-chart.ts'
import type { Result } from './report/result.ts'
import { fillGuide, pictureOf, readResults, resultsPage } from './report/results-page.ts'
import { resultText } from './report/table.ts'
import { scenarioNames, scenarios } from './scenarios/scenarios.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { killAll } from './process/start-process.ts'

const root = join(import.meta.dirname, '../..')

async function main(options: Options): Promise<void> {
  const chosen = choose(options.scenarios)
  const bench = openBench(options)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killAll()
      process.exit(130)
    })
  }
  const results: Result[] = []
  try {
    for (const scenario of chosen) {
      bench.say(`${scenario.name}: ${scenario.title}`)
      const result = await runScenario(bench, scenario)
      results.push(result)
      if (!options.json) console.log(resultText(result))
      write(options, result)
    }
  } finally {
    await bench.close()
  }
  if (options.json) console.log(JSON.stringify(results, null, 2))
  if (results.some(({ billing }) => billing.some(({ exact }) => !exact))) process.exitCode = 1
}

function choose(names: readonly string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown.length > 0) throw new Error(`there is no scenario ${unknown.join(', ')}\n\n${usage}`)
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name))
}

async function runScenario(bench: Bench, scenario: Scenario): Promise<Result> {
  const { seconds, rounds, quick, full } = bench.options
  const findings = await scenario.run(bench)
  return {
    scenario: scenario.name,
    title: scenario.title,
    command: commandOf(bench.options, scenario.name),
    machine: describeMachine(bench.cores, bench.load.name),
    settings: { seconds, rounds, connections, quick, full },
    ...findings,
  }
}

function write({ out, page, pictures, guide }: Options, result: Result): void {
  if (out !== null) {
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, `${result.scenario}.json`), `${JSON.stringify(result, null, 2)}\n`)
  }
  if (pictures !== null) {
    mkdirSync(pictures, { recursive: true })
    writeFileSync(join(pictures, pictureOf(result)), barChart(result))
  }
  if (page !== null && guide !== null) {
    const results = readResults(page, scenarioNames)
    writeFileSync(join(page, 'README.md'), resultsPage(results))
    writeFileSync(guide, fillGuide(readFileSync(guide, 'utf8'), results))
  }
}

const options = parseOptions(process.argv.slice(2), {
  results: join(root, 'bench/results'),
  pictures: join(root, 'docs/pictures'),
  guide: join(root, 'docs/guides/performance.md'),
})
if (options.help) console.log(usage)
else await main(options)
