import { expect, onTestFinished, test } from 'vitest'
import { examplePerson } from '../../contract/src/operations/example-records.ts'
import { Receiver } from '../../service/test/events/webhooks/webhook-fixture.ts'
import { openTestService } from '../../service/test/harness/test-service.ts'
import { vitae } from './vitae.ts'

const ada = { ...examplePerson, public_identifier: 'ada-example', headline: 'Engineer' }

test('a webhook is managed from the command line, from its creation to a resent delivery', async () => {
  const service = await openTestService({
    people: { 'ada-example': ada },
    env: { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' },
  })
  const receiver = new Receiver()
  const url = await receiver.listen()
  onTestFinished(() => receiver.close())
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const run = (...args: string[]) => vitae(['webhooks', ...args], { env })

  const wish = ['--project', 'acme', '--environment', 'production', '--events', 'person.changed,credits.low']
  const made = await run('create', ...wish, '--url', url, '--json')
  const { id } = made.json
  expect(made.json).toEqual({
    id: expect.stringMatching(/^wh_/),
    url,
    events: ['person.changed', 'credits.low'],
    secret: expect.stringMatching(/^whsec_/),
  })
  const watched = { kind: 'people', id: 'ada-example' }
  const headers = { ApiKey: service.liveKey, 'content-type': 'application/json' }
  await service.person('ada-example')
  expect((await service.get('/v1/watches', headers, 'POST', JSON.stringify(watched))).status).toBe(201)
  service.upstream.people.set('ada-example', { ...ada, headline: 'Chief engineer' })
  await service.person('ada-example', '&max_age_days=0')
  await service.service.webhookSender.once()
  const sent = await run('deliveries', id, '--json')
  const again = await run('redeliver', sent.json[0].id, '--json')
  const last = await run('redeliver', id, '--json')
  const listed = await run('list', '--project', 'acme', '--json')
  const parked = await run('parked', id, '--json')
  const sentAgain = await run('parked', id, '--retry', '--json')
  const paused = await run('update', id, '--state', 'paused', '--events', 'credits.low', '--json')
  const rotated = await run('rotate', id, '--json')
  const deleted = await run('delete', id, '--yes', '--json')
  const shown = await run('show', id)
  const [forgotten, wrong] = [
    await run('create', ...wish),
    await run('create', ...wish.slice(0, 4), '--url', url, '--events', 'x'),
  ]

  expect(sent.json).toMatchObject([{ type: 'person.changed', outcome: 'delivered', status: 200, answer: 'thanks' }])
  expect([again.json, last.json]).toMatchObject([
    { kind: 'redelivery', event: sent.json[0].event },
    { kind: 'redelivery', event: sent.json[0].event },
  ])
  const ids = receiver.requests.map((request) => request.headers['webhook-id'])
  expect(ids).toEqual([sent.json[0].event, sent.json[0].event, sent.json[0].event])
  expect(listed.json).toMatchObject([{ id, state: 'active', problem: null }])
  expect([parked.json, sentAgain.json]).toMatchObject([[], { events: 0 }])
  expect(paused.json).toMatchObject({ state: 'paused', events: ['credits.low'] })
  expect(rotated.json.secret).not.toBe(made.json.secret)
  expect(deleted.code).toBe(0)
  expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no webhook') })
  expect(forgotten).toMatchObject({ code: 2, stderr: expect.stringContaining('--url') })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('events') })
})
