import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'
import { openWatchedService } from '../harness/watched-service.ts'

const person = '/v1/people/profile?profile_id=ada'
const patience = 180_000

describe('the address of a caller', () => {
  const cases: [trusted: string | null, forwarded: string, inside: boolean][] = [
    [null, '10.1.2.3', false],
    ['192.168.0.0/16', '10.1.2.3', false],
    ['127.0.0.1', '10.1.2.3', true],
    ['127.0.0.0/8,::1', '10.1.2.3', true],
    // A caller's own claim is left of the address that the trusted proxy saw.
    ['127.0.0.1', '10.1.2.3, 203.0.113.9', false],
    ['127.0.0.1', '203.0.113.9, 10.1.2.3', true],
    ['127.0.0.1', 'nonsense', false],
  ]

  test.each(cases)(
    'trusting %s, X-Forwarded-For: %s counts as inside: %s',
    async (trusted, forwarded, inside) => {
      const service = await openTestService({ env: trusted === null ? {} : { VITAE_TRUST_PROXY: trusted } })
      const { key } = await service.makeKey({ mode: 'test', networks: ['10.1.0.0/16'] })

      const answer = await service.get(person, { ApiKey: key, 'X-Forwarded-For': forwarded })

      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual(
        inside ? [200, ''] : [403, 'address_not_allowed'],
      )
    },
    patience,
  )

  test(
    'callers are counted by their own address, and cannot choose it',
    async () => {
      const service = await openTestService({ env: { VITAE_UNAUTHORIZED_RATE: '3/60s' } })
      const statuses: number[] = []
      for (let turn = 0; turn < 6; turn++)
        statuses.push((await service.get(person, { ApiKey: 'x', 'X-Forwarded-For': `203.0.113.${turn}` })).status)

      expect(statuses).toEqual([401, 401, 401, 429, 429, 429])
    },
    patience,
  )
})

/** The parts that two responses must share: everything except ids, times and counters. */
function comparable({ status, headers, text }: TestAnswer) {
  const changing = [
    'date',
    'x-request-id',
    'x-fetched-at',
    'x-ratelimit-remaining',
    'keep-alive',
    'connection',
    'server',
  ]
  const kept = [...headers].filter(([name]) => !changing.includes(name)).map(([name, value]) => [name, value])
  return { status, headers: Object.fromEntries(kept), text: text.replace(/"request_id":"[^"]+"/, '') }
}

test(
  "the fast path and Node's server answer a lookup alike",
  async () => {
    const direct = await openTestService()
    const framed = await openTestService({ fastPath: false })
    const people = '/v1/people/profile'
    const targets = [
      `${people}?profile_id=ada`,
      `${people}?profile_id=ada&include_contact_info=true&max_age_days=3`,
      `${people}?profile_id=ada&profile_id=bob`,
      `${people}?profile_id=ada&unknown=1`,
      `${people}?profile_id=`,
      `${people}?`,
      people,
      `${people}/`,
      `${people}?profile_id=%E0%A4%A`,
      `${people}?profile_id=${'a'.repeat(301)}`,
      `${people}?profile_id=${'a'.repeat(8_200)}`,
      `${people}?profile_id=sample-not-found`,
      `${people}?profile_id=sample-stale`,
      `${people}?profile_id=sample-upstream-down`,
      `${people}?profile_id=a%26b`,
      `${people}?profile_id=ada;max_age_days=x`,
      `${people}#x?profile_id=ada`,
      `/%761/people/profile?profile_id=ada`,
      `/V1/people/profile?profile_id=ada`,
      `/v1/companies/details?company_id=acme`,
      `/v1/companies/details?profile_id=acme`,
    ]
    const ask = async (service: TestService) => {
      const { key } = await service.makeKey({ mode: 'test' })
      const limited = await service.makeKey({ mode: 'test', endpoints: ['companies'] })
      const answers: ReturnType<typeof comparable>[] = []
      for (const target of targets)
        for (const ApiKey of [key, limited.key, 'wrong', ''])
          for (const method of ['GET', 'HEAD', 'POST'])
            answers.push(comparable(await service.get(target, ApiKey === '' ? {} : { ApiKey }, method)))
      return answers
    }

    const [past, through] = await Promise.all([ask(direct), ask(framed)])

    expect(past).toHaveLength(targets.length * 12)
    for (const [index, answer] of past.entries())
      expect(answer, targets[Math.floor(index / 12)]).toEqual(through[index])
  },
  patience,
)

test(
  "with VITAE_ADMIN_PORT operators have their own port, and the callers' port does not serve it",
  async () => {
    const service = await openWatchedService({ VITAE_ADMIN_PORT: '0' })
    const places = JSON.parse(readFileSync(join(service.folder, 'data/service.json'), 'utf8')) as Record<string, string>
    const callers = places['public_url'] ?? ''
    const { key } = await service.makeKey({ mode: 'test' })
    const status = async (base: string, path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${base}${path}`, { headers, redirect: 'manual' })).status
    const authorization = `Bearer ${service.token}`

    expect(callers).not.toBe(service.url)
    for (const path of ['/admin/v1/keys', '/admin/v1/openapi.json', '/console', '/console/', '/metrics', '/%6detrics'])
      expect([path, await status(callers, path, { authorization })]).toEqual([path, 404])
    expect(await status(callers, '/admin/v1/keys')).toBe(401)
    expect(await status(callers, person, { ApiKey: key })).toBe(200)
    expect(await status(callers, '/healthz')).toBe(200)
    expect(await status(service.url, person, { ApiKey: key })).toBe(404)
    expect(await status(service.url, '/docs/')).toBe(404)
    expect(await status(service.url, '/metrics')).toBe(200)
    expect(await status(service.url, '/admin/v1/keys', { authorization })).toBe(200)
    expect(await status(service.url, '/healthz')).toBe(200)
  },
  patience,
)

test(
  '/metrics and the details of /readyz are for loopback and for holders of an admin token',
  async () => {
    const service = await openTestService()
    const token = { authorization: `Bearer ${service.service.admin.ownerToken}` }
    const seen = async (headers: Record<string, string>) => {
      const [metrics, ready] = await Promise.all([service.get('/metrics', headers), service.get('/readyz', headers)])
      return [metrics.status, ready.status, 'checks' in ready.json]
    }

    expect(await seen({})).toEqual([200, 200, true])
    for (const proxied of [
      { 'X-Forwarded-For': '203.0.113.9' },
      { Forwarded: 'for=203.0.113.9' },
      { 'X-Forwarded-For': '127.0.0.1' },
    ]) {
      expect(await seen(proxied)).toEqual([404, 200, false])
      expect(await seen({ ...proxied, authorization: 'Bearer nonsense-nonsense' })).toEqual([404, 200, false])
      expect(await seen({ ...proxied, ...token })).toEqual([200, 200, true])
    }
  },
  patience,
)
