import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

interface Component {
  'bom-ref': string
  name: string
  properties?: { name: string; value: string }[]
}

export interface Bill {
  bomFormat: string
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/**
 * The bill of materials of the shipped packages. npm's `--omit dev` also omits packages that are a tool of one
 * workspace and a dependency of the service, such as `pg`. So npm lists everything, and this function removes the
 * tools.
 */
export function shippedOnly(bill: Bill): Bill {
  const isTool = ({ properties = [] }: Component) =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')
  const left = new Set(bill.components.filter(isTool).map((component) => component['bom-ref']))
  return {
    ...bill,
    components: bill.components.filter((component) => !left.has(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => !left.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) })),
  }
}

if (import.meta.main) {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  })
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`)
  process.stdout.write(`${JSON.stringify(shippedOnly(JSON.parse(stdout) as Bill), null, 2)}\n`)
}
