import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'

interface Item {
  name: string
  request: {
    method: string
    header: { key: string; value: string; disabled?: boolean }[]
    url: { raw: string; variable: { key: string }[] }
    body?: { raw: string }
  }
}

const collectionFile = join(import.meta.dirname, '../../../docs/reference/vitae.postman_collection.json')
const guides = join(import.meta.dirname, '../../../docs/guides')

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('for readers that are programs', () => {
  test('/llms.txt names every guide with a title and a sentence, and each is served as its file is', async () => {
    const { status, headers, text } = await service.get('/llms.txt')
    const names = readdirSync(guides).filter((name) => name.endsWith('.md'))

    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toMatch(/^# Vitae\n\n> \S/)
    expect(text).toContain('(/openapi.json)')
    for (const name of names) {
      expect(text).toMatch(new RegExp(String.raw`^- \[[^\]]+\]\(/docs/${name}\): .{10,}\.$`, 'm'))
      const guide = await service.get(`/docs/${name}`)
      expect([guide.status, guide.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
      expect(guide.text).toBe(readFileSync(join(guides, name), 'utf8'))
    }
  })

  test('no other file is served as a guide, and the reference page stays where it was', async () => {
    for (const name of ['nothing.md', '..%2f..%2fREADME.md', '%2e%2e/%2e%2e/README.md', '..%5cREADME.md', '%00.md'])
      expect((await service.get(`/docs/${name}`)).text).not.toContain('# Vitae')
    expect(await service.get('/docs/nothing.md')).toMatchObject({ status: 404, json: { code: 'route_not_found' } })
    expect((await service.get('/docs/')).text).toContain('<html')
  })
})

describe('the collection', () => {
  test('works as it stands: every request is answered, and those that need no id of yours with success', async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    const { item: folders } = JSON.parse(readFileSync(collectionFile, 'utf8')) as { item: { item: Item[] }[] }
    const items = folders.flatMap(({ item }) => item)

    for (const { name, request } of items) {
      const { method, header, url, body } = request
      const sent = header.filter(({ disabled }) => !disabled).map(({ key: of, value }) => [of, value])
      const path = url.raw.replace('{{base_url}}', '').replaceAll(/:\w+/g, 'unknown-id')
      const answer = await service.get(path, { ...Object.fromEntries(sent), ApiKey: key }, method, body?.raw)
      const expected = url.variable.length > 0 ? [200, 404] : [200, 201, 202]
      expect(expected, `${name}: ${answer.status} ${answer.text.slice(0, 200)}`).toContain(answer.status)
    }
    expect(items.length).toBeGreaterThanOrEqual(10)
  })
})
