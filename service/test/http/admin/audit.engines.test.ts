import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

interface Entries {
  entries: { action: string; subject: string }[]
  next_cursor: string | null
}

let service: TestService
beforeAll(async () => {
  service = await startTestService({ upstream: 'directory' })
})
afterAll(() => service.close())

/** Every operator action in a project, including actions on objects that are deleted later. */
async function live(project: string): Promise<string[]> {
  const place = { project, environment: 'production' }
  const key = await service.makeKey({ ...place, label: 'crm' })
  await service.admin('POST', '/credits/grants', { ...place, amount: 100, reason: 'yearly' })
  const hook = { ...place, url: 'https://hooks.example/a', events: ['credits.low'] }
  const { id: kept } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
  const { id: gone } = await service.admin<{ id: string }>('POST', '/webhooks', { ...hook, events: ['ceiling.near'] })
  await service.admin('DELETE', `/webhooks/${gone}`)
  const watches = [{ kind: 'people', id: `nobody-${project}` }]
  const added = await service.admin<{ watches: { id: string }[] }>('POST', '/watches', { ...place, watches })
  const watch = added.watches[0]?.id ?? ''
  await service.admin('DELETE', `/watches/${watch}`)
  const token = await service.admin<{ id: string }>('POST', '/tokens', { role: 'viewer', project })
  await service.admin('PATCH', `/projects/${project}`, { suspended: true })
  return [key.id, `${project}/production`, kept, gone, watch, token.id, project]
}

test('the audit log of a project has all actions in it, even on deleted objects, and none of another project', async () => {
  const own = await live('drills')
  const others = await live('others')
  const page = (query: string) => service.admin<Entries>('GET', `/audit?project=drills${query}`)

  const whole = await page('')
  const first = await page('&limit=3')
  const second = await page(`&limit=100&cursor=${first.next_cursor}`)
  const nobody = await service.admin<Entries>('GET', '/audit?project=no-such-project')

  const subjects = new Set(whole.entries.map(({ subject }) => subject))
  expect([...subjects].toSorted()).toEqual(own.toSorted())
  expect(others.filter((subject) => subjects.has(subject))).toEqual([])
  expect(new Set(whole.entries.map(({ action }) => action))).toEqual(
    new Set([
      ...['key.create', 'credits.grant', 'webhook.create', 'webhook.delete', 'watches.add', 'watches.remove'],
      ...['token.create', 'project.update'],
    ]),
  )
  expect([...first.entries, ...second.entries]).toEqual(whole.entries)
  expect(nobody).toEqual({ entries: [], next_cursor: null })
})

test('a token of one project sees no audit log, because it is about the whole service', async () => {
  await service.makeKey({ project: 'limited' })
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'operator', project: 'limited' })

  const answer = await service.get('/admin/v1/audit?project=limited', { authorization: `Bearer ${token}` })

  expect(answer.status).toBe(403)
})
