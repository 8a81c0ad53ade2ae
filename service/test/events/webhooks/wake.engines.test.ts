import { expect, onTestFinished, test } from 'vitest'
import { openTestService, type TestService } from '../../harness/test-service.ts'
import { Receiver } from './webhook-fixture.ts'

const never = 24 * 60 * 60_000

/** A service whose sender never polls, with an endpoint for ceiling events. */
async function openSending() {
  const receiver = new Receiver()
  onTestFinished(() => receiver.close())
  const url = await receiver.listen()
  const service = await openTestService({ env: { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  service.service.webhookSender.start(never)
  const wish = { project: 'acme', url, events: ['ceiling.reached'] }
  const { id } = await service.admin<{ id: string }>('POST', '/webhooks', wish)
  return { service, receiver, id }
}

/** Spends a key's whole ceiling, which creates an event. */
async function reachCeiling(service: TestService): Promise<void> {
  const { key } = await service.makeKey({ ceiling: 1 })
  await service.person('ada', '', { ApiKey: key })
}

test('an event is delivered when it is written, without waiting for a poll', async () => {
  const { service, receiver } = await openSending()

  await reachCeiling(service)
  await receiver.arrived(1)
  await reachCeiling(service)
  await receiver.arrived(2)

  const types = receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)
  expect(types).toEqual(['ceiling.reached', 'ceiling.reached'])
})

test('events that wait for a paused endpoint are delivered when it is resumed', async () => {
  const { service, receiver, id } = await openSending()
  await service.admin('PATCH', `/webhooks/${id}`, { state: 'paused' })
  await reachCeiling(service)
  await service.service.webhookSender.once()
  expect(receiver.requests).toEqual([])

  await service.admin('PATCH', `/webhooks/${id}`, { state: 'active' })

  await receiver.arrived(1)
})
