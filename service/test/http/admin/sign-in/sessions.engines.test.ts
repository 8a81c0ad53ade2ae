import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../harness/test-service.ts'
import { placesOf } from '../../../harness/search-bytes.ts'

interface Session {
  id: string
  actor: string
  current: boolean
  last_used_at: string
}

let service: TestService
beforeAll(async () => {
  service = await startTestService({ upstream: 'directory' })
})
afterAll(() => service.close())

async function signIn(token: string, agent = 'Browser of a test') {
  const headers = { 'content-type': 'application/json', 'user-agent': agent }
  const answer = await service.get('/admin/v1/session', headers, 'POST', JSON.stringify({ token }))
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  return { cookie, secret: cookie.slice(cookie.indexOf('=') + 1), csrf: String(answer.json['csrf']) }
}

const list = async () => (await service.admin<{ sessions: Session[] }>('GET', '/sessions')).sessions
const isIn = async (cookie: string) => (await service.get('/admin/v1/session', { cookie })).status === 200
const makeToken = () => service.admin<{ id: string; token: string }>('POST', '/tokens', { role: 'viewer' })

test("the list shows each session's person, method, address and start, and which one is asking", async () => {
  for (const { id } of await list()) await service.admin('POST', `/sessions/${id}/end`, {})
  const owner = await signIn(service.service.admin.ownerToken, 'Firefox')
  const { id, token } = await makeToken()
  service.clock.advance({ minutes: 5 })
  const viewer = await signIn(token)
  service.clock.advance({ minutes: 5 })
  await isIn(viewer.cookie)

  const { json } = await service.get('/admin/v1/sessions', { cookie: owner.cookie })

  expect(json['sessions']).toMatchObject([
    { actor: `token:${id}`, role: 'viewer', method: 'token', created_at: '2026-11-14T09:35:00.000Z', current: false },
    {
      actor: 'owner',
      address: '127.0.0.1',
      user_agent: 'Firefox',
      last_used_at: '2026-11-14T09:40:00.000Z',
      current: true,
    },
  ])
  expect(await list()).toMatchObject([{ last_used_at: '2026-11-14T09:40:00.000Z' }, { current: false }])
})

test('one session or all of a person end at once; others continue, and the audit log has actor and reason', async () => {
  const [ada, ben] = [await makeToken(), await makeToken()]
  const [first, second, third] = [await signIn(ada.token), await signIn(ada.token), await signIn(ada.token)]
  const other = await signIn(ben.token)
  const newest = (await list()).find(({ actor }) => actor === `token:${ada.id}`)?.id ?? ''

  const one = await service.admin('POST', `/sessions/${newest}/end`, {})
  const left = await Promise.all([first, second, third].map(({ cookie }) => isIn(cookie)))
  const all = await service.admin<{ ended: string[] }>('POST', '/sessions/end', {
    person: `token:${ada.id}`,
    reason: 'left the team',
  })

  expect(one).toEqual({ ended: [newest] })
  expect(left.filter(Boolean)).toHaveLength(2)
  expect(all.ended).toHaveLength(2)
  expect(await Promise.all([first, second, third].map(({ cookie }) => isIn(cookie)))).toEqual([false, false, false])
  expect(await isIn(other.cookie)).toBe(true)
  await expect(service.admin('POST', `/sessions/${newest}/end`, {})).rejects.toThrow('404')
  const { entries } = await service.admin<{ entries: object[] }>('GET', '/audit?action=session.end&limit=2')
  for (const entry of entries)
    expect(entry).toMatchObject({ actor: 'owner', reason: 'left the team', before: { actor: `token:${ada.id}` } })
})

test('neither the secret of a session nor its CSRF token is in the store', async () => {
  const { secret, csrf } = await signIn(service.service.admin.ownerToken)

  expect([secret.length, csrf.length]).toEqual([43, 43])
  expect([...placesOf(secret, service.folder), ...placesOf(csrf, service.folder)]).toEqual([])
})

test('a lookup or a doctor run that may cost money needs the CSRF token of its session, as a change does', async () => {
  const { cookie, csrf } = await signIn(service.service.admin.ownerToken)

  for (const path of ['/admin/v1/lookup/people?id=amara-okafor', '/admin/v1/doctor']) {
    const bare = await service.get(path, { cookie, 'sec-fetch-site': 'none' })
    const withToken = await service.get(path, { cookie, 'x-csrf-token': csrf })

    expect([bare.status, bare.json['code']]).toEqual([403, 'csrf_token_required'])
    expect(withToken.status).toBe(200)
  }
})

test('a role that may not use a route is refused before its body is read', async () => {
  const { token } = await makeToken()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  const answer = await service.get('/admin/v1/keys', headers, 'POST', '{"not": json')

  expect([answer.status, answer.json['code']]).toEqual([403, 'admin_role_too_low'])
})
