import { expect, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

test('a label with control characters or direction marks is refused with the reason, and any letters are not', async () => {
  const service = await openTestService()
  const headers = {
    authorization: `Bearer ${service.service.admin.ownerToken}`,
    'content-type': 'application/json',
  }
  const place = { project: 'acme', environment: 'production', mode: 'live' }
  const make = (path: string, body: object) => service.get(`/admin/v1${path}`, headers, 'POST', JSON.stringify(body))

  for (const label of ['two\nlines', 'a\u001b[31mcolour', 'reversed \u202e txt', '\u2066isolated', 'c1 \u0085'])
    for (const [path, body] of [
      ['/keys', { ...place, label }],
      ['/tokens', { role: 'viewer', label }],
    ] as const) {
      const { status, json } = await make(path, body)
      expect(status, label).toBe(400)
      expect(json['errors']).toEqual([
        {
          parameter: 'label',
          detail: 'must not contain control characters, line breaks or marks that change the direction of text',
        },
      ])
    }
  for (const label of ['שלום', 'Zoë & Söhne 🙂', '<b>', ''])
    expect((await make('/keys', { ...place, label })).status, label).toBe(201)
})
