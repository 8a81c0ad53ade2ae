import { execFile } from 'node:child_process'
import type { Fault } from './fault.ts'

interface Found {
  fault: string
  /** The law that it broke. */
  law: string | null
  /** The number of seeds until it was found; null if it was not. */
  seeds: number | null
}

interface Looking {
  seeds: number
  jobs: number
  json: boolean
  faults: readonly Fault[]
  /** The command that plays seeds. */
  main: string
}

/** Searches for every fault whose name contains a text, and prints a table. Returns false if one was not found. */
export async function findFaults(only: string, { seeds, jobs, json, faults, main }: Looking): Promise<boolean> {
  const wanted = faults.filter(({ name }) => name.includes(only))
  const results: Found[] = []
  const waiting = [...wanted]
  const work = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const began = performance.now()
      const found = await findFault(main, fault, seeds)
      results.push(found)
      console.error(`${results.length} of ${wanted.length}: ${Math.round((performance.now() - began) / 1_000)} s`)
      if (json) console.log(JSON.stringify(found))
      else console.log(`| ${found.fault} | ${found.law ?? ''} | ${found.seeds ?? 'NOT FOUND'} |`)
    }
  }
  if (!json) console.log('| fault | broken law | seeds until found |\n|---|---|---|')
  await Promise.all(Array.from({ length: jobs }, work))
  const missed = results.filter((one) => one.seeds === null).map((one) => one.fault)
  if (json) console.log(JSON.stringify({ faults: wanted.length, found: wanted.length - missed.length, missed }))
  else console.log(`\n${wanted.length - missed.length} of ${wanted.length} found`)
  return wanted.length > 0 && missed.length === 0
}

function findFault(main: string, { name: fault, engine }: Fault, seeds: number): Promise<Found> {
  const how = ['--jobs', '1', '--quick', '--json', ...(engine ? ['--engine', engine] : [])]
  const args = ['--no-warnings', main, '--plant', fault, '--seeds', String(seeds), ...how]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (_, stdout, stderr) => {
      const line = stdout.trim().split('\n').at(-1) ?? ''
      if (!line.startsWith('{')) return reject(new Error(`"${fault}" could not be played: ${stderr.slice(0, 2_000)}`))
      const { failed, seeds: played } = JSON.parse(line) as { failed: number[]; seeds: number }
      const law = /breaks (?:at step )?\d+(?: times)?: ([^:]*):/.exec(stderr)?.[1] ?? null
      resolve({ fault, law, seeds: failed.length > 0 ? played : null })
    })
  })
}
