import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestService, startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, fixed: { openBatches: 20 } })
})
afterAll(() => service.close())

/** An upload that has sent its first row, but not its end. */
function begin(key: string, { url } = service): ClientRequest {
  const headers = { ApiKey: key, 'content-type': 'text/csv' }
  const sent = request(`${url}/v1/batches?kind=people`, { method: 'POST', headers, agent: false })
  sent.on('error', () => undefined).write('id\nada-uploaded\n')
  return sent
}

const answerTo = async (sent: ClientRequest) => ((await once(sent, 'response')) as [IncomingMessage])[0]
/** The number of uploads in progress. */
function beingRead({ folder } = service): unknown {
  using file = new DatabaseSync(join(folder, 'vitae.db'), { readOnly: true })
  return file.prepare("select count(*) as count from batches where status = 'uploading'").get()?.['count']
}

test('eight uploads of an environment are read at once; its others wait, and other environments do not', async () => {
  const many = await service.newCaller(100)
  const other = new BatchCaller(service.url, (await service.newCaller(100)).key)
  const uploads = Array.from({ length: 12 }, () => begin(many.key))
  await expect.poll(() => beingRead()).toBe(8)

  const ofOther = await other.post('id\nada-uploaded\n', { 'content-type': 'text/csv' }, '?kind=people')
  const readMeanwhile = beingRead()
  const answers = uploads.map(answerTo)
  for (const upload of uploads) upload.end()

  expect(ofOther.status).toBe(202)
  expect(readMeanwhile).toBe(8)
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual(uploads.map(() => 202))
})

test('an upload is refused if as many of its environment wait as it may have batches', async () => {
  const { key } = await service.newCaller(100)
  const uploads = Array.from({ length: 29 }, () => begin(key))
  const refused = await Promise.race(uploads.map(answerTo))
  for (const upload of uploads) upload.destroy()

  expect(refused.statusCode).toBe(409)
  expect(refused.headers['retry-after']).toBe('60')
  await expect.poll(() => beingRead()).toBe(0)
})

test("uploads of test keys use no slot and no open batch of the environment's live keys", async () => {
  const live = await service.newCaller(100)
  const { key: sample } = await service.makeKey({ project: live.project, mode: 'test' })
  const uploads = Array.from({ length: 28 }, () => begin(sample))
  await expect.poll(() => beingRead()).toBe(8)

  const file = ['id\nada-uploaded\n', { 'content-type': 'text/csv' }, '?kind=people'] as const
  const answer = await new BatchCaller(service.url, live.key).post(...file)
  for (const upload of uploads) upload.destroy()

  expect(answer.status).toBe(202)
  await expect.poll(() => beingRead()).toBe(0)
})

test('an upload that is too slow is cut off after some seconds with a message, and frees its slot', async () => {
  const { key } = await service.newCaller(100)
  const uploads = Array.from({ length: 8 }, () => begin(key))
  const drip = setInterval(() => uploads.forEach((upload) => upload.write('xx')), 1_000)
  try {
    const answers = await Promise.all(uploads.map(answerTo))
    const [said] = await Promise.all(answers.map(text))

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(uploads.map(() => 400))
    expect(said).toContain('too slowly: send at least 16 KB a second')
  } finally {
    clearInterval(drip)
    for (const upload of uploads) upload.destroy()
  }
})

test('999 columns of one name, and a header of more than 64 KB with plain line feeds, are accepted', async () => {
  const caller = new BatchCaller(service.url, (await service.makeKey({ mode: 'test' })).key)
  const preview = (file: string) =>
    caller.ask('/v1/batches/preview?kind=people&column=id', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: file,
    })
  const equal = await preview(`id${',note'.repeat(999)}\nada-uploaded\n`)
  const wide = Array.from({ length: 900 }, (_, index) => `${'column'.repeat(12)}-${index}`)
  const long = await preview(`id,${wide.join(',')}\nada-uploaded\n`)
  const endless = await preview(`id${','.repeat(500_000)}`)

  expect(equal.json).toMatchObject({ rows: 1, invalid: 0 })
  expect(long.json).toMatchObject({ rows: 1, invalid: 0 })
  expect(endless.json).toMatchObject({
    code: 'invalid_request',
    detail: 'The body has a header that is longer than 128 KB.',
  })
})

test('a stopping service does not wait for the end of an upload, and asks the caller to send it again', async () => {
  const stopping = await openTestService({ realClock: true })
  const upload = begin(stopping.liveKey, stopping)
  await expect.poll(() => beingRead(stopping)).toBe(1)

  const stopped = stopping.stop()
  const answer = answerTo(upload)
  upload.write('ada-uploaded\n')
  const said = await text(await answer)
  await stopped

  expect(said).toContain('The service is shutting down')
  expect(beingRead(stopping)).toBe(0)
})
