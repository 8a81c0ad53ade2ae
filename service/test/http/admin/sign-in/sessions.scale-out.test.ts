import { describe, expect, test } from 'vitest'
import { openServices } from '../../../harness/node-services.ts'
import { hasEngines } from '../../../harness/scale-out-engine.ts'

describe.skipIf(!hasEngines)('console sessions on two nodes', () => {
  test('a session opened on one node works on the other, and ends on both', async () => {
    const {
      services: [first, second],
    } = await openServices([null, null], { VITAE_ADMIN_TOKEN: 'the-owner-token-of-two-nodes' })
    if (!first || !second) throw new Error('two services were asked for')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ token: 'the-owner-token-of-two-nodes' })
    const signedIn = await first.get('/admin/v1/session', headers, 'POST', body)
    const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const change = { ...headers, cookie, 'x-csrf-token': String(signedIn.json['csrf']) }

    const made = await second.get('/admin/v1/projects', change, 'POST', JSON.stringify({ name: 'made-elsewhere' }))
    const { sessions } = await second.admin<{ sessions: { id: string }[] }>('GET', '/sessions')
    await second.admin('POST', `/sessions/${sessions[0]?.id}/end`, {})

    expect(made.status).toBe(201)
    expect((await first.get('/admin/v1/session', { cookie })).status).toBe(401)
    expect((await second.get('/admin/v1/session', { cookie })).status).toBe(401)
  })
})
