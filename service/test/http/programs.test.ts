import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'

interface Item {
  name: string
  event?: { script: { exec: string[] } }[]
  request: {
    method: string
    header: { key: string; value: string; disabled?: boolean }[]
    url: { raw: string; query: { key: string; value: string }[]; variable: { key: string; value: string }[] }
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

/** The anchor of a heading, as Markdown renderers build it. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

describe('for programs', () => {
  test('/llms.txt lists every guide with a title and a sentence, and each is served', async () => {
    const { status, headers, text } = await service.get('/llms.txt')
    const names = readdirSync(guides).filter((name) => name.endsWith('.md'))

    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toMatch(/^# Vitae\n\n> \S/)
    expect(text).toContain('(/openapi.json)')
    for (const name of names) {
      expect(text).toMatch(new RegExp(String.raw`^- \[[^\]]+\]\(/docs/${name}\): .{10,}\.$`, 'm'))
      const guide = await service.get(`/docs/${name}`)
      expect([guide.status, guide.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
      expect(guide.text.split('\n')[0]).toBe(readFileSync(join(guides, name), 'utf8').split('\n')[0])
    }
  })

  test('every link of a served guide points to a served page, and to an existing heading', async () => {
    const names = readdirSync(guides).filter((name) => name.endsWith('.md'))
    const links = new Set<string>()
    for (const name of names) {
      const { text } = await service.get(`/docs/${name}`)
      const found = text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)
      for (const [, target = ''] of found) links.add(new URL(target, `${service.url}/docs/${name}`).href)
    }
    const broken: string[] = []
    for (const link of links) {
      const { origin, pathname, hash } = new URL(link)
      if (origin !== service.url) continue
      const { status, text } = await service.get(pathname)
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title))
      if (status !== 200 || (hash !== '' && !headings.includes(hash.slice(1)))) broken.push(link)
    }

    expect(links.size).toBeGreaterThan(20)
    expect(broken).toEqual([])
  })

  test('no other file is served as a guide, and the reference page stays in place', async () => {
    for (const name of ['nothing.md', '..%2f..%2fREADME.md', '%2e%2e/%2e%2e/README.md', '..%5cREADME.md', '%00.md'])
      expect((await service.get(`/docs/${name}`)).text).not.toContain('# Vitae')
    expect(await service.get('/docs/nothing.md')).toMatchObject({ status: 404, json: { code: 'route_not_found' } })
    expect((await service.get('/docs/')).text).toContain('<html')
  })
})

/** Runs a script of the collection, with the part of Postman's `pm` that it uses. */
function runScript(code: string, { status, json, headers }: TestAnswer, values: Map<string, string>): void {
  const pm = { collectionVariables: values, response: { code: status, json: () => json, headers } }
  runInNewContext(code, { pm })
}

describe('the collection', () => {
  test('works unchanged: every request is answered, and ids are taken from the requests that create them', async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    const { item: folders, variable } = JSON.parse(readFileSync(collectionFile, 'utf8')) as {
      item: { item: Item[] }[]
      variable: { key: string; value: string }[]
    }
    const items = folders.flatMap(({ item }) => item)
    const values = new Map(variable.map(({ key: name, value }) => [name, value]))
    const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => values.get(name) ?? '')

    for (const { name, request, event = [] } of items) {
      const { method, header, url, body } = request
      const sent = header.filter(({ disabled }) => !disabled).map(({ key: of, value }) => [of, value])
      const ids = new Map(url.variable.map(({ key: of, value }) => [of, fill(value)]))
      expect(
        [...ids.values()].filter((id) => !/^[\w-]{8,}$/.test(id)),
        name,
      ).toEqual([])
      const path = url.raw.replace('{{base_url}}', '').replaceAll(/:(\w+)/g, (_all, of: string) => ids.get(of) ?? '')
      const answer = await service.get(path, { ...Object.fromEntries(sent), ApiKey: key }, method, body?.raw)
      const expected = url.variable.length > 0 ? [200, 404] : [200, 201, 202]
      expect(expected, `${name}: ${answer.status} ${answer.text.slice(0, 200)}`).toContain(answer.status)
      for (const { script } of event) runScript(script.exec.join('\n'), answer, values)
    }
    expect(items.length).toBeGreaterThanOrEqual(10)
    expect(values.get('batch_id')).not.toMatch(/^set-by/)
    expect([...values].filter(([, value]) => value === '')).toEqual([])
    const before = [...values]
    const refused = await service.get('/v1/batches', { 'content-type': 'application/json' }, 'POST', '{}')
    for (const { event = [] } of items)
      for (const { script } of event) runScript(script.exec.join('\n'), refused, values)
    expect([...values]).toEqual(before)
    const optional = items.flatMap(({ request }) => [...request.header, ...request.url.query])
    const switches = /^(include_|get_|bypass_|Idempotency-Key|X-Spend-Tag|Cache-Control)/
    expect(optional.filter(({ key: of, value }) => switches.test(of) && value === '')).toEqual([])
  })
})
