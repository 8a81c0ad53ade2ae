import { afterAll, beforeAll, expect, test } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { examplePerson } from '../../../../contract/src/operations/example-records.ts'
import { Receiver } from '../../events/webhooks/webhook-fixture.ts'
import { openTestService, startTestService, type TestService } from '../../harness/test-service.ts'

interface Made {
  id: string
  secret: string
  url: string
}

const ada = { ...examplePerson, public_identifier: 'ada-example', headline: 'Engineer' }
/** She is never erased, and shares no identifier with Ada, whom the tests erase. */
const bea = {
  ...examplePerson,
  ...{ public_identifier: 'bea-example', profile_url: 'https://www.linkedin.com/in/bea-example', websites: [] },
  ...{ member_urn: 'urn:li:member:900000418', entity_urn: 'urn:li:fsd_profile:ACoAAFICTIONAL0000418' },
}

let service: TestService
const receiver = new Receiver()
let url = ''
beforeAll(async () => {
  service = await startTestService({
    people: { 'ada-example': ada, 'bea-example': bea },
    realClock: true,
    env: { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' },
  })
  url = await receiver.listen()
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})

const make = (wish: object = {}) =>
  service.admin<Made>('POST', '/webhooks', { project: 'acme', url, events: ['credits.low'], ...wish })

test('a webhook is created, tested, listed, changed, rotated and deleted, its secret shown twice and each change audited', async () => {
  const made = await make({ environment: 'production' })
  expect(made).toMatchObject({ url, events: ['credits.low'], secret: expect.stringMatching(/^whsec_[\w+/]{32}$/) })

  const tested = await service.admin('POST', `/webhooks/${made.id}/test`)
  expect(tested).toMatchObject({
    kind: 'test',
    outcome: 'delivered',
    status: 200,
    answer: 'thanks',
    type: 'webhook.test',
  })
  const request = receiver.requests.at(-1)
  const headers = Object.fromEntries(
    Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  )
  expect(new Webhook(made.secret).verify(request?.body ?? '', headers)).toMatchObject({ project: 'acme' })
  const { deliveries } = await service.admin<{ deliveries: unknown[] }>('GET', `/webhooks/${made.id}/deliveries`)
  expect(deliveries).toEqual([tested])

  const rotated = await service.admin<Made>('POST', `/webhooks/${made.id}/rotate`, { overlap: '1h' })
  expect(rotated.secret).not.toBe(made.secret)
  await service.admin('PATCH', `/webhooks/${made.id}`, { events: ['ceiling.near'], state: 'paused' })
  const shown = await service.admin('GET', `/webhooks/${made.id}`)
  expect(shown).toMatchObject({ events: ['ceiling.near'], state: 'paused', problem: 'paused by an operator' })
  expect(JSON.stringify(shown)).not.toContain('whsec_')
  await service.admin('DELETE', `/webhooks/${made.id}`)

  const { webhooks } = await service.admin<{ webhooks: { id: string }[] }>('GET', '/webhooks?project=acme')
  expect(webhooks.map(({ id }) => id)).not.toContain(made.id)
  const { entries } = await service.admin<{ entries: { action: string }[] }>('GET', `/audit?subject=${made.id}`)
  expect(entries.map(({ action }) => action).toReversed()).toEqual([
    'webhook.create',
    'webhook.test',
    'webhook.rotate',
    'webhook.update',
    'webhook.delete',
  ])
  expect(JSON.stringify(entries)).not.toContain('/hook')
})

test.each([
  ['http://10.0.0.1/', 'does not allow'],
  ['https://[::1]/', 'does not allow'],
  ['http://93.184.215.14/', 'does not allow'],
  ['ftp://example.com/', 'must be an https: URL'],
  ['nonsense', 'must be an https: URL'],
  ['https://user:pass@example.com/', 'user or password'],
])('a webhook to %s is refused on creation', async (target, why) => {
  await expect(make({ url: target })).rejects.toThrow(why)
})

test('a request with the removed setting `ordered` is refused by its name', async () => {
  const { id } = await make()

  await expect(make({ ordered: true })).rejects.toThrow('ordered')
  await expect(service.admin('PATCH', `/webhooks/${id}`, { ordered: false })).rejects.toThrow('ordered')
})

test('a webhook for a missing project or environment is refused', async () => {
  await expect(make({ project: 'nobody' })).rejects.toThrow('There is no project nobody')
  await expect(make({ environment: 'nowhere' })).rejects.toThrow('There is no environment nowhere')
})

test('an erasure removes the deliveries of events about that person, and the event is not sent again', async () => {
  const { id } = await make({ environment: 'production', events: ['person.changed'] })
  await service.person('ada-example')
  const headers = { ApiKey: service.liveKey, 'content-type': 'application/json' }
  await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id: 'ada-example' }))
  service.upstream.people.set('ada-example', { ...ada, headline: 'Chief engineer' })
  await service.person('ada-example', '&max_age_days=0')
  await service.service.webhookSender.once()
  const log = () => service.admin<{ deliveries: { event: string }[] }>('GET', `/webhooks/${id}/deliveries`)
  const [delivery] = (await log()).deliveries
  expect(delivery).toMatchObject({ outcome: 'delivered' })
  receiver.respond = (response) => response.writeHead(422).end('not Ada Example')
  service.upstream.people.set('ada-example', { ...ada, headline: 'Retired engineer' })
  await service.person('ada-example', '&max_age_days=0')
  await service.service.webhookSender.once()
  const show = () => service.admin('GET', `/webhooks/${id}`)
  expect(await show()).toMatchObject({ retrying: 1, parked: 0 })

  await service.admin('POST', '/records/people/ada-example/erase', { reason: 'asked for' })

  expect((await log()).deliveries).toEqual([])
  expect(await show()).toMatchObject({ retrying: 0, parked: 0 })
  expect(await service.admin('GET', `/webhooks/${id}/parked`)).toEqual({ parked: [], next_cursor: null })
  expect(await service.admin('POST', `/webhooks/${id}/parked/retry`)).toEqual({ events: 0 })
  receiver.respond = (response) => response.end('thanks')
  const again = service.admin('POST', `/webhooks/${id}/redeliver`, { event: delivery?.event })
  await expect(again).rejects.toThrow('no longer kept')
})

test('an environment has a maximum number of webhooks, even if they are created concurrently; a project and others count separately', async () => {
  const own = await openTestService({ fixed: { webhooksPerEnvironment: 2 } })
  const headers = {
    authorization: `Bearer ${own.service.admin.ownerToken}`,
    'content-type': 'application/json',
  }
  const add = async (environment: string | null) => {
    const wish = { project: 'acme', environment, url: 'https://hooks.example.com/', events: ['credits.low'] }
    return (await own.get('/admin/v1/webhooks', headers, 'POST', JSON.stringify(wish))).status
  }

  const statuses = await Promise.all(Array.from({ length: 5 }, () => add('production')))
  const ofProject = await add(null)

  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409, 409])
  expect(ofProject).toBe(201)
})

test('pending events of a paused webhook are listed, shown as they will be sent, and skipped; each view and skip is audited', async () => {
  const { key, project } = await service.newCaller(20)
  const place = { project, environment: 'production' }
  const { id } = await make(place)
  await service.admin('PATCH', `/webhooks/${id}`, { state: 'paused' })
  await service.admin('POST', '/alerts', { ...place, credits_below: 100 })
  expect((await service.person('bea-example', '', { ApiKey: key })).status).toBe(200)
  interface Queue {
    events: { event: string; type: string; attempts: number; problem: string | null }[]
  }
  const queue = async () => (await service.admin<Queue>('GET', `/webhooks/${id}/queue`)).events

  const [waiting] = await queue()
  const event = waiting?.event ?? ''
  const payload = await service.admin<{ body: string }>('GET', `/webhooks/${id}/events/${event}`)
  await service.admin('POST', `/webhooks/${id}/skip`, { event })

  expect(waiting).toMatchObject({ type: 'credits.low', attempts: 0, problem: null })
  expect(JSON.parse(payload.body)).toMatchObject({ id: event, type: 'credits.low', project, data: { threshold: 100 } })
  expect(await queue()).toEqual([])
  await expect(service.admin('POST', `/webhooks/${id}/skip`, { event })).rejects.toThrow('409')
  const other = await make()
  await expect(service.admin('GET', `/webhooks/${other.id}/events/${event}`)).rejects.toThrow('404')
  const { entries } = await service.admin<{ entries: { action: string }[] }>('GET', `/audit?subject=${id}`)
  expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['webhook.look', 'webhook.skip']))
})

test('only an owner adds service-wide events to a webhook; an operator may keep existing ones', async () => {
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'operator' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = (method: string, path: string, wish: object) =>
    service.get(`/admin/v1/webhooks${path}`, headers, method, JSON.stringify(wish))
  const place = { project: 'acme', environment: null, url }
  const ofOwner = await make({ environment: null, events: ['credits.low', 'backup.overdue'] })

  const refused = await ask('POST', '', { ...place, events: ['credits.low', 'provider.down'] })
  const own = await ask('POST', '', { ...place, events: ['credits.low'] })
  const added = await ask('PATCH', `/${String(own.json['id'])}`, { events: ['provider.recovered'] })
  const kept = await ask('PATCH', `/${ofOwner.id}`, { events: ['backup.overdue', 'ceiling.near'] })

  expect([refused.status, refused.json['code']]).toEqual([403, 'admin_role_too_low'])
  expect(refused.json['detail']).toContain('provider.down is an event of the whole service')
  expect([own.status, added.status, kept.status]).toEqual([201, 403, 200])
  expect(kept.json['events']).toEqual(['backup.overdue', 'ceiling.near'])
})
