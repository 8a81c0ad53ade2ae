import { expect, vi } from 'vitest'
import type { FailureCode } from '../../contract/src/index.ts'
import { openTestService, type TestCaller, type TestService } from '../../service/test/harness/test-service.ts'
import type { ClientOptions, Fetch, VitaeClient, VitaeError } from '../src/index.ts'
import { openClient, rejection } from './test-client.ts'

/** Creates a client in a new project, and a slug that was never requested. */
type NewClient = (
  wish?: Record<string, unknown>,
  options?: Partial<ClientOptions>,
  credits?: number,
) => Promise<TestCaller & { client: VitaeClient; slug: string }>

type FailingCalls = Partial<Record<FailureCode, () => Promise<unknown>>>

const changing =
  (change: (init: Parameters<Fetch>[1]) => unknown): Fetch =>
  (url, init) =>
    fetch(url, { ...init, ...(change(init) as object) })

/** A reserved address that plays a situation for test keys. */
const heldBy = (situation: string) => ({ email: `sample-${situation}@example.com` })

/** A way to provoke each failure at a real service. */
export function failingCalls(service: () => TestService, newClient: NewClient): FailingCalls {
  async function failUpstream(fault: Parameters<TestService['upstream']['setFault']>[0]): Promise<VitaeError> {
    const { client, slug } = await newClient()
    await service().upstream.setFault(fault)
    return (await rejection(client.people.profile(slug))) as VitaeError
  }

  async function failWith(wish: Record<string, unknown>, credits = 10, options = {}): Promise<VitaeError> {
    const { client, slug } = await newClient(wish, {}, credits)
    return (await rejection(client.people.profile(slug, options))) as VitaeError
  }

  /** Sends a body that no method of the client sends. */
  async function failAtWatches(type: Record<string, string>, body: string): Promise<unknown> {
    const sending: Fetch = (_url, init) =>
      fetch(`${service().url}/v1/watches`, { ...init, method: 'POST', headers: { ...init.headers, ...type }, body })
    return rejection((await newClient({}, { fetch: sending })).client.people.profile('ada'))
  }

  return {
    missing_api_key: async () => {
      const without = changing(({ headers: { ApiKey: _key, ...headers } }) => ({ headers }))
      return rejection((await newClient({}, { fetch: without })).client.people.profile('ada'))
    },
    invalid_api_key: async () =>
      rejection((await newClient({}, { apiKey: 'vt_live_nonsense' })).client.people.profile('ada')),
    revoked_api_key: async () => {
      const { client, keyId, slug } = await newClient()
      await service().admin('POST', `/keys/${keyId}/revoke`, {})
      return rejection(client.people.profile(slug))
    },
    expired_api_key: async () => {
      const { client, slug } = await newClient({ expires_at: new Date(service().clock.now() + 1_000).toISOString() })
      service().clock.advance({ seconds: 1 })
      return rejection(client.people.profile(slug))
    },
    credit_ceiling_reached: () => failWith({ ceiling: 0 }),
    out_of_credits: () => failWith({}, 0),
    project_suspended: async () => {
      const { client, project, slug } = await newClient()
      await service().admin('PATCH', `/projects/${project}`, { suspended: true })
      return rejection(client.people.profile(slug))
    },
    billing_blocked: async () => {
      const { client, project, slug } = await newClient()
      await service().admin('PATCH', `/projects/${project}`, { billing_blocked: true })
      return rejection(client.people.profile(slug))
    },
    endpoint_not_allowed: () => failWith({ endpoints: ['companies'] }),
    part_not_allowed: () => failWith({ parts: ['network'] }, 10, { includeContactInfo: true }),
    address_not_allowed: () => failWith({ networks: ['10.1.0.0/16'] }),
    rate_limit_exceeded: async () => {
      const { client, slug } = await newClient({ rate: '1/60s' })
      await client.people.profile(slug)
      return rejection(client.people.profile(slug))
    },
    upstream_allowance_exceeded: async () => {
      const strict = await openTestService({ generate: false, env: { VITAE_NOT_FOUND_RATE: '1/1h' } })
      const { client } = openClient(strict.url, { apiKey: strict.liveKey, maxRetries: 0 })
      await rejection(client.people.profile('nobody'))
      return rejection(client.people.profile('nobody-else'))
    },
    invalid_request: async () => rejection((await newClient()).client.people.profile('https://example.org/in/ada')),
    not_found: async () => rejection((await newClient()).client.people.profile('nobody')),
    route_not_found: async () => {
      const { key } = await newClient()
      return rejection(
        openClient(`${service().url}/elsewhere`, { apiKey: key, maxRetries: 0 }).client.people.profile('ada'),
      )
    },
    method_not_allowed: async () =>
      rejection((await newClient({}, { fetch: changing(() => ({ method: 'POST' })) })).client.people.profile('ada')),
    request_in_progress: async () => {
      const { client, slug } = await newClient()
      service().upstream.latencyMs = 1_000
      const asked = service().upstream.requests.length
      const first = client.people.profile(slug, { idempotencyKey: 'slow-1' })
      await vi.waitFor(() => expect(service().upstream.requests.length).toBeGreaterThan(asked), { timeout: 300_000 })
      const error = await rejection(client.people.profile(slug, { idempotencyKey: 'slow-1' }))
      expect((await first).replayed).toBe(false)
      return error
    },
    too_many_batches: async () => {
      const { client, slug } = await newClient({}, {}, 0)
      await client.batches.create({ kind: 'people', ids: [slug] })
      return rejection(client.batches.create({ kind: 'people', ids: [slug] }))
    },
    required_fields_missing: () => failWith({}, 10, { require: ['experience.company_logo_url'] }),
    no_match: async () => rejection((await newClient({ mode: 'test' })).client.people.match(heldBy('not-found'))),
    ambiguous_match: async () =>
      rejection((await newClient({ mode: 'test' })).client.people.match(heldBy('ambiguous'))),
    identity_mismatch: async () =>
      rejection((await newClient({ mode: 'test' })).client.people.match(heldBy('mismatch'))),
    body_too_large: () => failAtWatches({ 'content-type': 'application/json' }, JSON.stringify('x'.repeat(2_000_000))),
    unsupported_media_type: () => failAtWatches({ 'content-type': 'image/png' }, 'x'),
    uri_too_long: async () => rejection((await newClient()).client.people.profile('a'.repeat(9_000))),
    idempotency_key_reused: async () => {
      const { client, slug } = await newClient()
      await client.people.profile(slug, { idempotencyKey: 'order-1' })
      return rejection(client.people.profile(`${slug}-other`, { idempotencyKey: 'order-1' }))
    },
    headers_too_large: async () => {
      const swollen = changing(({ headers }) => ({ headers: { ...headers, 'X-Filler': 'x'.repeat(40_000) } }))
      return rejection((await newClient({}, { fetch: swollen })).client.people.profile('ada'))
    },
    upstream_invalid: () => failUpstream('malformed'),
    upstream_unavailable: () => failUpstream(500),
    upstream_timeout: () => failUpstream('hang'),
    overloaded: async () => {
      const small = await openTestService({ fixed: { maxInFlight: 1 } })
      const { client } = openClient(small.url, { apiKey: small.liveKey, maxRetries: 0 })
      small.upstream.latencyMs = 1_000
      const first = client.people.profile('slow-one')
      await vi.waitFor(() => expect(small.upstream.requests.length).toBeGreaterThan(0), { timeout: 300_000 })
      const error = await rejection(client.people.profile('another-one'))
      await first
      return error
    },
    not_stored: async () => {
      const { client, slug } = await newClient()
      return rejection(client.people.profile(slug, { onlyStored: true }))
    },
  }
}
