import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, env: { VITAE_BATCH_OPEN: '20' } })
})
afterAll(() => service.close())

/** An upload whose first row has been sent, and whose end has not. */
function begin(key: string): ClientRequest {
  const headers = { ApiKey: key, 'content-type': 'text/csv' }
  const sent = request(`${service.url}/v1/batches?kind=people`, { method: 'POST', headers, agent: false })
  sent.on('error', () => undefined).write('id\nada-uploaded\n')
  return sent
}

const answerTo = async (sent: ClientRequest) => ((await once(sent, 'response')) as [IncomingMessage])[0]
/** How many have been begun and have not ended. */
function beingRead(): unknown {
  using file = new DatabaseSync(join(service.folder, 'vitae.db'), { readOnly: true })
  return file.prepare("select count(*) as count from batches where status = 'uploading'").get()?.['count']
}

test('of the uploads of one environment eight are read at once, the others wait and keep nobody else waiting', async () => {
  const many = await service.newCaller(100)
  const other = new BatchCaller(service.url, (await service.newCaller(100)).key)
  const uploads = Array.from({ length: 12 }, () => begin(many.key))
  await expect.poll(beingRead).toBe(8)

  const ofOther = await other.post('id\nada-uploaded\n', { 'content-type': 'text/csv' }, '?kind=people')
  const readMeanwhile = beingRead()
  const answers = uploads.map(answerTo)
  for (const upload of uploads) upload.end()

  expect(ofOther.status).toBe(202)
  expect(readMeanwhile).toBe(8)
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual(uploads.map(() => 202))
})

test('an upload is refused while as many of its environment wait as it may have batches', async () => {
  const { key } = await service.newCaller(100)
  const uploads = Array.from({ length: 29 }, () => begin(key))
  const refused = await Promise.race(uploads.map(answerTo))
  for (const upload of uploads) upload.destroy()

  expect(refused.statusCode).toBe(409)
  expect(refused.headers['retry-after']).toBe('60')
  await expect.poll(beingRead).toBe(0)
})
