import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { onPostgres } from '../harness/engines.ts'
import { Gate, goodPerson, ScriptedUpstream } from '../harness/scripted-provider.ts'
import { openTestService, type TestService } from '../harness/test-service.ts'

async function series(service: TestService, name: string): Promise<string[]> {
  const { text } = await service.get('/metrics')
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
}

test('remaining credits, open holds and used budgets are metrics, and an environment is named only if allowed', async () => {
  const upstream = await new ScriptedUpstream().start()
  onTestFinished(() => upstream.close())
  const gate = new Gate()
  upstream.script = gate.before(goodPerson)
  const env = { ...upstream.env, VITAE_MIRROR_BUDGET: '40' }
  const service = await openTestService({ credits: 10, env })

  const waiting = service.person('held-example')
  await gate.reached
  expect(await series(service, 'vitae_holds_open')).toEqual(['vitae_holds_open 1'])
  expect(await series(service, 'vitae_credits_available')).toEqual(['vitae_credits_available{environment="1"} 9'])
  gate.open()
  expect((await waiting).status).toBe(200)
  expect(await series(service, 'vitae_holds_open')).toEqual(['vitae_holds_open 0'])
  expect(await series(service, 'vitae_provider_month_calls')).toEqual([
    'vitae_provider_month_calls{provider="mirror"} 1',
  ])
  expect(await series(service, 'vitae_provider_budget_calls')).toEqual([
    'vitae_provider_budget_calls{provider="mirror"} 40',
  ])
  expect(await series(service, 'vitae_redis_connected')).toEqual([])
})

test.skipIf(onPostgres)('the age of the last good backup is a metric, and infinite without one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-backups-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const service = await openTestService({
    env: { VITAE_BACKUP_DIR: folder, VITAE_BACKUP_EVERY: '6h' },
    realClock: true,
  })

  const before = await series(service, 'vitae_backup_age_seconds')
  await service.admin('POST', '/backups', {})
  const [after = ''] = await series(service, 'vitae_backup_age_seconds')

  expect(before).toEqual(['vitae_backup_age_seconds +Inf'])
  expect(Number(after.split(' ')[1])).toBeLessThan(600)
  expect(await series(service, 'vitae_backup_every_seconds')).toEqual(['vitae_backup_every_seconds 21600'])
})
