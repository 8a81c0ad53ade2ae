import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Bill } from '../../../scripts/sbom.ts'
import { checkLockfile, objectionsTo, type LockedPackage } from '../../../scripts/check-lockfile.ts'

const root = join(import.meta.dirname, '../../..')
const good: LockedPackage = { version: '1.0.0', integrity: `sha512-${'a'.repeat(86)}==`, license: 'MIT' }

test('every package of the lockfile has its hash, no registry, no unlisted install script and an allowed licence', () => {
  const { packages, objections } = checkLockfile(root)

  expect(packages).toBeGreaterThan(100)
  expect(objections).toEqual([])
})

const bad: [objection: string, change: Partial<LockedPackage>][] = [
  ['has no SHA-512 hash', { integrity: '' }],
  ['has no SHA-512 hash', { integrity: 'sha1-abc' }],
  ['is bound to one registry', { resolved: 'https://registry.example/x.tgz' }],
  ['runs a script when installed', { hasInstallScript: true, dev: true }],
  ['has the licence AGPL-3.0', { license: 'AGPL-3.0' }],
  ['has the licence MPL-2.0', { license: 'MPL-2.0' }],
]

test.each(bad)('a package that %s is reported', (objection, change) => {
  const packages = {
    '': {},
    contract: {},
    'node_modules/good': good,
    'node_modules/a/node_modules/x': { ...good, ...change },
  }

  expect(objectionsTo(packages)).toEqual([`x ${objection}`])
})

test('the licence in an installed package takes precedence over the lockfile', () => {
  expect(objectionsTo({ 'node_modules/x': good }, () => 'Proprietary')).toEqual(['x has the licence Proprietary'])
})

test('the bill of materials lists exactly the shipped packages, even if one is also a tool', () => {
  const made = spawnSync(process.execPath, [join(root, 'scripts/sbom.ts')], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  })
  expect(made.status, made.stderr).toBe(0)
  const bill = JSON.parse(made.stdout) as Bill
  const names = bill.components.map((component) => component.name)

  expect(bill.bomFormat).toBe('CycloneDX')
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'ioredis', 'undici', 'commander']))
  expect(names.filter((name) => ['vitest', 'oxlint', 'playwright-core'].includes(name))).toEqual([])
})
