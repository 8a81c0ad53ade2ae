import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { version as clientVersion } from '../../../client/src/version.ts'
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

test('one version everywhere: packages, lock file, client, service, chart and image', () => {
  const lock = JSON.parse(read('package-lock.json')) as Manifest
  const chart = parse(read('deploy/helm/vitae/Chart.yaml')) as { version: string; appVersion: string }
  const values = parse(read('deploy/helm/vitae/values.yaml')) as { image: { tag: string } }
  const found = [
    ...workspaces.flatMap((name) => ours(JSON.parse(read(`${name}/package.json`)) as Manifest)),
    ...['', ...workspaces].flatMap((name) => ours(lock.packages?.[name])),
    ...[lock.version, clientVersion, serviceVersion, chart.version, chart.appVersion, values.image.tag],
  ]

  expect(new Set(found)).toEqual(new Set([version]))
})

test('the changelog has a section for this version, and the client installs what it packs', () => {
  expect(read('CHANGELOG.md')).toContain(`\n## [${version}]`)
  expect(read('client/README.md')).toContain(`vitae-client-${version}.tgz`)
})
