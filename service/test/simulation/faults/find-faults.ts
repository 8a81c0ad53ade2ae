/** `npm run simulate -- --faults`: plants each fault into a copy of the service and says after how many seeds it is found. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faults, preludes, type Fault } from './faults.ts'

export interface FaultResult {
  name: string
  /** Null where it was not found. */
  seeds: number | null
  what: string
}

const service = join(import.meta.dirname, '../../..')

/** Looks for every fault, or for those whose name contains a text. */
export function findFaults(
  seeds: number,
  only = '',
  onResult: (result: FaultResult) => void = () => undefined,
): FaultResult[] {
  const copy = mkdtempSync(join(tmpdir(), 'vitae-faults-'))
  try {
    const isWanted = (path: string) =>
      !/\/(node_modules|dist|test\/(?!simulation)[^/]+)(\/|$)/.test(path.slice(service.length))
    cpSync(service, join(copy, 'service'), { recursive: true, filter: isWanted })
    for (const place of ['', 'service/']) {
      const modules = join(service, '..', place, 'node_modules')
      symlinkSync(modules, join(copy, place, 'node_modules'))
    }
    return faults
      .filter(({ name }) => name.includes(only))
      .map((fault) => {
        const result = findFault(copy, fault, seeds)
        onResult(result)
        return result
      })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function findFault(copy: string, { name, file, find, replace }: Fault, seeds: number): FaultResult {
  const path = join(copy, 'service/src', file)
  const right = readFileSync(path, 'utf8')
  if (right.split(find).length !== 2) throw new Error(`"${name}": its text is not once in ${file}`)
  const planted = right.replace(find, () => replace)
  const lastImport = planted.lastIndexOf('\nimport ')
  const afterImports = planted.indexOf('\n\n', lastImport) + 1
  writeFileSync(path, planted.slice(0, afterImports) + (preludes[name] ?? '') + planted.slice(afterImports))
  const main = join(copy, 'service/test/simulation/main.ts')
  const args = ['--no-warnings', main, '--seeds', String(seeds), '--json', '--quick']
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  writeFileSync(path, right)
  const line = stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`"${name}" could not be played: ${stderr.slice(0, 2_000)}`)
  const { failed, seeds: played } = JSON.parse(line) as { failed: number[]; seeds: number }
  return { name, seeds: failed.length > 0 ? played : null, what: stderr.split('\n')[0] ?? '' }
}
