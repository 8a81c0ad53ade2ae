/**
 * Compares the CPU of mappings by file and by module: `node --no-warnings bench/src/projection.ts`. HarvestAPI is
 * mapped both ways, from the same answers about fictional people and companies. Fails above twice the CPU.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileProviderFile } from '../../provider/src/files/index.ts'
import type { Provider } from '../../provider/src/index.ts'
import type { World } from '../../service/fake-provider/wire/wire.ts'
import { wires } from '../../service/fake-provider/wire/wires.ts'
import { harvestapi } from '../../service/src/providers/harvestapi/harvestapi.ts'

const mostTimes = 2
const rounds = 9
const projections = 4_000
const settings = { url: 'https://api.harvest-api.com', key: '' }
const path = join(import.meta.dirname, 'stores/harvestapi.provider.yaml')

const providers = {
  module: harvestapi(settings),
  file: compileProviderFile(path, readFileSync(path, 'utf8')).create(settings),
}

const world: World = {
  ...{ key: '', people: new Map(), companies: new Map(), generate: true, sourceAgeDays: 0 },
  ...{ pollsUntilReady: 0, snapshots: new Map() },
}

/** Bodies as the fake HarvestAPI sends them. */
function bodiesOf(kind: 'people' | 'companies'): Uint8Array[] {
  const [path, parameter] =
    kind === 'people' ? ['/linkedin/profile', 'publicIdentifier'] : ['/linkedin/company', 'universalName']
  return Array.from({ length: 50 }, (_none, at) => {
    const query = new URLSearchParams({ [parameter]: `bench-${at}` })
    const { body } = wires.harvestapi.answer({ method: 'GET', path, query, headers: {}, body: '' }, world)
    return new TextEncoder().encode(JSON.stringify(body))
  })
}

/** CPU of one projection, in microseconds. */
function cpuOf(provider: Provider, kind: 'people' | 'companies', bodies: readonly Uint8Array[]): number {
  const before = process.cpuUsage()
  for (let turn = 0; turn < projections; turn++)
    provider.project(kind, bodies[turn % bodies.length] ?? new Uint8Array())
  const { user, system } = process.cpuUsage(before)
  return (user + system) / projections
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

for (const kind of ['people', 'companies'] as const) {
  const bodies = bodiesOf(kind)
  const runs = Array.from({ length: rounds }, () => ({
    byModule: cpuOf(providers.module, kind, bodies),
    byFile: cpuOf(providers.file, kind, bodies),
  }))
  // The first rounds compile the code.
  const warm = runs.slice(2)
  const [byModule, byFile] = [median(warm.map((run) => run.byModule)), median(warm.map((run) => run.byFile))]
  const times = byFile / byModule
  console.log(`${kind}: module ${byModule.toFixed(1)} µs, file ${byFile.toFixed(1)} µs, ${times.toFixed(2)} x`)
  if (times > mostTimes) process.exitCode = 1
}
