import { expect, test } from 'vitest'
import { openTestService } from '../../service/test/harness/test-service.ts'
import { vitae } from './vitae.ts'

test('vitae projects route limits an environment to providers and removes the limit; an unknown name is refused with the known ones', async () => {
  const service = await openTestService()
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const route = (providers: string) =>
    vitae(
      ['projects', 'route', '--project', 'acme', '--environment', 'production', '--providers', providers, '--json'],
      { env },
    )
  const routeOf = ({ json }: Awaited<ReturnType<typeof route>>) =>
    (json.environments as { name: string; providers?: string[] }[]).find(({ name }) => name === 'production')?.providers

  const limited = await route('mirror')
  const wrong = await route('mirror,nobody')
  const unlimited = await route('all')

  expect(routeOf(limited)).toEqual(['mirror'])
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/nobody.*mirror/) })
  expect(routeOf(unlimited)).toBeUndefined()
  const { entries } = await service.admin<{ entries: { action: string }[] }>('GET', '/audit?limit=10')
  expect(entries.filter(({ action }) => action.includes('route'))).toHaveLength(2)
})
