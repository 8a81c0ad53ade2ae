import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { version as clientVersion } from '../../../client/src/calls/version.ts'
import { version as serviceVersion } from '../../src/foundation/version.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Manifest {
  version: string
  workspaces?: string[]
  dependencies?: Record<string, string>
  packages?: Record<string, Manifest>
}
const { version, workspaces = [] } = JSON.parse(read('package.json')) as Manifest
const ours = (manifest: Manifest | undefined) => [
  manifest?.version,
  ...Object.entries(manifest?.dependencies ?? {})
    .filter(([name]) => name.startsWith('@vitae/'))
    .map(([, wanted]) => wanted),
]

test('one version everywhere: packages, lock file, clients, service, chart, image and the MCP registry', () => {
  const lock = JSON.parse(read('package-lock.json')) as Manifest
  const chart = parse(read('deploy/helm/vitae/Chart.yaml')) as { version: string; appVersion: string }
  const values = parse(read('deploy/helm/vitae/values.yaml')) as { image: { tag: string } }
  const server = JSON.parse(read('server.json')) as { version: string; packages: Manifest[] }
  const found = [
    ...workspaces.flatMap((name) => ours(JSON.parse(read(`${name}/package.json`)) as Manifest)),
    ...['', ...workspaces].flatMap((name) => ours(lock.packages?.[name])),
    ...[server.version, ...server.packages.map((one) => one.version)],
    ...[lock.version, clientVersion, serviceVersion, chart.version, chart.appVersion, values.image.tag],
  ]

  expect(new Set(found)).toEqual(new Set([version]))
  // Python's notation: 1.0.0rc2.
  const python = version.replace('-rc.', 'rc')
  expect(read('client-python/pyproject.toml')).toContain(`\nversion = "${python}"\n`)
  expect(read('client-python/src/vitae_client/_version.py')).toContain(`VERSION = "${python}"`)
})

test('the changelog has a section for this version, and the client README installs the packed file', () => {
  expect(read('CHANGELOG.md')).toContain(`\n## [${version}]`)
  expect(read('client/README.md')).toContain(`vitae-client-${version}.tgz`)
})

test("server.json follows the registry's schema, and names the packed packages", () => {
  const server = JSON.parse(read('server.json')) as {
    name: string
    description: string
    packages: { identifier: string; environmentVariables: { name: string; isSecret?: boolean }[] }[]
    remotes: { url: string; headers: { name: string; isSecret?: boolean }[] }[]
  }
  const cli = JSON.parse(read('cli/package.json')) as { name: string; mcpName: string }

  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(server.description.length).toBeLessThanOrEqual(100)
  expect([server.packages[0]?.identifier, server.name]).toEqual([cli.name, cli.mcpName])
  const secrets = [...(server.packages[0]?.environmentVariables ?? []), ...(server.remotes[0]?.headers ?? [])]
  expect(secrets.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual(['VITAE_API_KEY', 'X-Api-Key'])
})
