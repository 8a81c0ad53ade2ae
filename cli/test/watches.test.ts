import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestService } from '../../service/test/harness/test-service.ts'
import { vitae } from './vitae.ts'

test('watches are added, imported, listed, exported and removed, with their price and the monthly limit', async () => {
  const service = await openTestService()
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const run = (...args: string[]) => vitae(['watches', ...args], { env })
  const folder = mkdtempSync(join(tmpdir(), 'vitae-watches-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'list.csv')
  writeFileSync(
    file,
    'id;every_days;note\nada-example;30;"one; two"\nhttps://www.linkedin.com/in/bo-example/;;\nnot an id;;\n',
  )
  const account = ['--project', 'acme', '--environment', 'production', '--json']

  const added = await run('add', 'ada-example', '--every-days', '10', '--max-credits-per-month', '40', ...account)
  const imported = await run('import', file, ...account)
  const listed = await run('list', '--project', 'acme', '--json')
  const exported = await run('export', '--project', 'acme')
  const removed = await run('remove', listed.json[0].id, '--json')

  const limit = { max_credits_per_month: 40, spent_this_month: 0 }
  expect(added.json).toMatchObject({ created: 1, existing: 0, credits_at_once: 1, credits_per_month: 3, ...limit })
  expect(imported.json).toMatchObject({ created: 1, existing: 1, errors: [{ index: 2 }], ...limit })
  expect(imported.stderr).toContain('row 3: ')
  expect(listed.json).toHaveLength(2)
  const lines = exported.stdout.split('\r\n')
  expect(lines[0]).toBe('kind,id,every_days,note,project,environment')
  expect(lines).toContain('people,ada-example,30,one; two,acme,production')
  expect(lines).toContain('people,bo-example,7,,acme,production')
  expect(removed.json).toEqual({ removed: 1 })
  expect((await run('list', '--json')).json).toHaveLength(1)
})

test("the person that a match finds is watched with a caller's key; without a match nothing is", async () => {
  const service = await openTestService()
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const run = (...args: string[]) => vitae(['watches', 'add', ...args, '--key', service.liveKey], { env })

  const made = await run('--email', 'wanda-held@acme.example', '--every-days', '30', '--json')
  const nobody = await run('--email', 'missing-held@acme.example')
  const nothing = await run('--company', 'Tidewater')

  expect(made.json).toMatchObject({ kind: 'people', every_days: 30, paused: null })
  expect(made.stdout).not.toContain('wanda-held@')
  expect([nobody.code, nothing.code].every((code) => code !== 0)).toBe(true)
  expect(nobody.stderr).toContain('Nobody matches')
  expect(nothing.stderr).toContain('needs --email')
})
