import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    upstream: 'directory',
    env: { VITAE_PUBLIC_URL: 'https://vitae.example.com' },
  })
})
afterAll(() => service.close())

async function signIn(): Promise<string> {
  const body = JSON.stringify({ token: service.service.admin.ownerToken })
  const answer = await service.get('/admin/v1/session', { 'content-type': 'application/json' }, 'POST', body)
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

const isIn = async (cookie: string) => (await service.get('/admin/v1/session', { cookie })).status === 200

test('a session ends after an hour without use; automatic requests of a page do not extend it', async () => {
  const [used, unused] = [await signIn(), await signIn()]
  const poll = { cookie: unused, 'x-unattended': '1' }
  const polls: number[] = []
  const uses: boolean[] = []
  for (let passed = 0; passed < 70; passed += 10) {
    service.clock.advance({ minutes: 10 })
    uses.push(await isIn(used))
    polls.push((await service.get('/admin/v1/session', poll)).status)
  }

  expect(uses).not.toContain(false)
  expect(polls).toEqual([200, 200, 200, 200, 200, 200, 401])
})

test('behind https a browser gets HSTS', async () => {
  const { headers } = await service.get('/console')

  expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
})
