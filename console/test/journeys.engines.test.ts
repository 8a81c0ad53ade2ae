import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { onPostgres, openOwnDatabase, type OwnDatabase } from '../../service/test/harness/engines.ts'
import { findChromium, goTo, openBrowser, openPage, signedIn, type Watched } from './browser.ts'
import { importJobChange } from './lived-in.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the journeys through the console, because there is no chromium on the path.')
const dayMs = 86_400_000

const engine = onPostgres ? 'postgres' : 'embedded'

describe.skipIf(!chromium)(`the console on the ${engine} engine`, () => {
  let service: TestService
  let browser: Browser
  let database: OwnDatabase | null = null
  const opened: Watched[] = []

  beforeAll(async () => {
    database = onPostgres ? await openOwnDatabase() : null
    service = await startService(database ? { DATABASE_URL: database.url } : {})
    browser = await openBrowser(chromium ?? '')
  })
  afterEach(async () => {
    for (const watched of opened.splice(0)) {
      expect(watched.complaints).toEqual([])
      await watched.close()
    }
  })
  afterAll(async () => {
    await service?.close()
    await database?.drop()
  })

  const enter = async (token?: string): Promise<Page> => {
    const watched = await signedIn(browser, service, token ? { token } : {})
    opened.push(watched)
    return watched.page
  }
  const statusOf = async (id: string, key: string) => {
    const answer = await service.lookup('people', id, key)
    return `${answer.status} ${answer.ok ? '' : await answer.text()}`.trim()
  }

  test('signing out ends the session, even for the cookie', async () => {
    const page = await enter()
    const cookies = await page.context().cookies()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Admin token').waitFor()
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const after = await fetch(`${service.url}/admin/v1/projects`, { headers: { cookie } })

    expect(cookies[0]).toMatchObject({ name: 'vitae_session', httpOnly: true, sameSite: 'Strict' })
    expect(after.status).toBe(401)
    expect(await page.context().cookies()).toEqual([])
  })

  test.skipIf(onPostgres)(
    'a reload keeps the session, and a wrong token shows an error with a request id',
    async () => {
      const page = await enter()
      await page.reload()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()

      const visitor = await openPage(browser, `${service.url}/console`)
      await visitor.page.getByLabel('Admin token').fill('not-the-token')
      await visitor.page.getByRole('button', { name: 'Sign in' }).click()
      const alert = await visitor.page.getByRole('alert').textContent()
      await visitor.close()

      expect(alert).toMatch(/not valid.*Request [\da-f-]{36}/)
      expect(visitor.complaints).toEqual([expect.stringContaining('401')])
    },
  )

  test('a key is created, works, visibly reaches its ceiling, and stops when it is revoked', async () => {
    const page = await enter()
    await goTo(page, '#/projects')
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Project').selectOption('A new project…')
    await dialog.getByLabel('Name of the new project').fill('journey')
    await dialog.getByLabel('Mode').selectOption('live')
    await dialog.getByLabel('Label').fill('one call only')
    await dialog.getByLabel('Monthly ceiling').fill('1')
    await dialog.getByRole('button', { name: 'Make key' }).click()
    const key = await page.getByRole('region', { name: 'the key' }).textContent()
    const curl = await page.getByRole('region', { name: 'curl command' }).textContent()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    if (!key) throw new Error('no key was shown')
    expect(curl).toContain(key)

    const panel = page.locator('section.panel', { has: page.getByRole('heading', { name: 'journey' }) })
    await panel.getByRole('button', { name: 'Grant credits to production' }).click()
    await dialog.getByLabel('Amount').fill('5')
    await dialog.getByRole('button', { name: 'Grant credits' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await statusOf('amara-okafor', key)).toBe('200')
    expect(await statusOf('salma-idrissi', key)).toBe('402 credit_ceiling_reached')

    await page.reload()
    await panel.getByText('ceiling reached').waitFor()
    await panel.getByText('1 of 1').waitFor()
    await panel.getByRole('link', { name: 'one call only' }).click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    const confirm = dialog.getByRole('button', { name: 'Revoke key' })
    await expect.poll(() => confirm.isDisabled()).toBe(true)
    await dialog.getByLabel(/^Type /).fill(key.slice(-4))
    await confirm.click()
    await page.getByText('revoked', { exact: true }).waitFor()
    expect(await statusOf('salma-idrissi', key)).toBe('401 revoked_api_key')
    expect(await page.content()).not.toContain(key)
  })

  test('a rotated key has a successor, and works during the overlap', async () => {
    const old = await service.admin<{ id: string; key: string }>('POST', '/keys', {
      project: 'turning',
      environment: 'production',
      mode: 'test',
      label: 'to be rotated',
    })
    const page = await enter()
    await goTo(page, `#/projects/key/${old.id}`)

    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByLabel('The old key').selectOption('1h')
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const next = await page.getByRole('region', { name: 'the key' }).textContent()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: old.id }).waitFor()

    expect(await statusOf('sample-complete', next ?? '')).toBe('200')
    expect(await statusOf('sample-complete', old.key)).toBe('200')
  })

  test('an edit changes only the edited fields, and an emptied field removes the limit', async () => {
    const body = { project: 'editing', environment: 'production', mode: 'test' }
    const { id } = await service.admin<{ id: string }>('POST', '/keys', { ...body, ceiling: 7, rate: '5/60s' })
    const page = await enter()
    await goTo(page, `#/projects/key/${id}`)

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Label').fill('renamed')
    await page.getByLabel('Monthly ceiling').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'renamed', level: 1 }).waitFor()

    expect(await service.admin('GET', `/keys/${id}`)).toMatchObject({ label: 'renamed', ceiling: null, rate: '5/60s' })
  })

  test('a person is found by name, and the history shows the new job', async () => {
    await importJobChange(service, { before: -20 * dayMs, after: -10 * dayMs })
    const page = await enter()
    await goTo(page, '#/records')
    await page.getByRole('searchbox', { name: 'Find' }).fill('amara')
    await page.getByRole('searchbox', { name: 'Find' }).press('Enter')
    await page.getByRole('link', { name: 'Amara Okafor' }).click()
    await page.getByRole('heading', { name: 'Experience' }).waitFor()
    await page.getByText('promotion').first().waitFor()

    await page.getByRole('link', { name: 'History' }).click()
    await page
      .getByLabel(/Compare from version/)
      .last()
      .check()
    const changes = page.getByRole('table', { name: 'Changes between the two versions' })
    const job = changes.getByRole('row').filter({ hasText: 'job change' })

    await expect.poll(() => job.locator('.before').textContent()).toContain('Harbour Lights Power')
    await expect.poll(() => job.locator('.after').textContent()).toContain('Tidewater Robotics')
    await page.getByRole('link', { name: 'Record JSON' }).click()
    await page.getByRole('region', { name: 'record as JSON' }).waitFor()
    await page.getByRole('link', { name: 'Raw payloads' }).click()
    await page
      .getByRole('button', { name: /Show payload/ })
      .first()
      .click()
    await page.getByRole('region', { name: /raw payload/ }).waitFor()
  })

  test('a refresh fetches a new version without a charge', async () => {
    await service.lookup('people', 'ingrid-solheim', service.demo.live_key)
    const before = await service.admin<{ balance: number }>(
      'GET',
      '/credits/balance?project=demo&environment=production',
    )
    const page = await enter()
    await goTo(page, '#/records/people/ingrid-solheim')

    const answered = page.waitForResponse((response) => response.url().endsWith('/refresh'))
    await page.getByRole('button', { name: 'Refresh' }).click()

    expect((await answered).status()).toBe(200)
    expect(await service.admin('GET', '/credits/balance?project=demo&environment=production')).toEqual(before)
  })

  test('an erased person is gone, and stays suppressed', async () => {
    await service.lookup('people', 'rohan-kulkarni', service.demo.live_key)
    const page = await enter()
    await goTo(page, '#/records/people/rohan-kulkarni')
    await page.getByRole('button', { name: 'Erase' }).click()
    const confirm = page.getByRole('button', { name: 'Erase for good' })
    await page.getByLabel('Reason').fill('asked for it by letter')
    await expect.poll(() => confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type rohan-kulkarni to confirm').fill('rohan-kulkarni')
    await confirm.click()
    await page.getByRole('button', { name: 'To the records' }).click()

    expect(await statusOf('rohan-kulkarni', service.demo.live_key)).toMatch(/^404/)
    await goTo(page, '#/suppressions')
    await page.getByLabel('Slug, URL or id').fill('rohan-kulkarni')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('rohan-kulkarni is suppressed.').waitFor()
    await page.getByText('asked for it by letter').first().waitFor()
  })

  test('new calls are counted above the list, which updates on request, and a receipt shows the cost', async () => {
    await service.lookup('people', 'salma-idrissi', service.demo.live_key, '&max_age_days=0')
    const page = await enter()
    await goTo(page, '#/calls?project=demo&source=live')

    const answer = await service.lookup('people', 'dashiell-whitlock', service.demo.live_key)
    const id = answer.headers.get('x-request-id') ?? ''
    const fresh = page.getByRole('button', { name: '1 new call' })
    await fresh.waitFor()
    expect(await page.locator(`a[href="#/calls/${id}"]`).count()).toBe(0)
    await fresh.click()
    await page.locator(`a[href="#/calls/${id}"]`).click()

    await page.getByText('1 credit', { exact: true }).waitFor()
    await page.getByText('capture').first().waitFor()
    expect(page.url()).toContain(id)
  })

  test('a paused provider is not called until it is resumed', async () => {
    const page = await enter()
    await goTo(page, '#/providers')
    await page.getByRole('button', { name: /^Pause / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await page.getByText('paused', { exact: true }).waitFor()

    expect(await statusOf('catalina-fuenzalida', service.demo.live_key)).toMatch(/^503/)

    await page.getByRole('button', { name: /^Resume / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
    await page.getByText('healthy').waitFor()
    expect(await statusOf('catalina-fuenzalida', service.demo.live_key)).toBe('200')
  })

  test('the audit log lists the actions, and its hash chain is intact', async () => {
    const page = await enter()
    await goTo(page, '#/audit?action=key.create')
    await page.locator('main tbody').getByText('key.create').first().waitFor()

    await page.getByRole('button', { name: 'Verify' }).click()

    const verdict = page.getByText(/All [\d,]+ entries follow from each other/)
    await verdict.waitFor()
    await expect.poll(() => verdict.count()).toBe(1)
  })

  test.skipIf(onPostgres)('a viewer sees no forbidden action', async () => {
    const { token } = await service.admin<{ token: string }>('POST', '/tokens', { label: 'eyes', role: 'viewer' })
    await service.lookup('people', 'amara-okafor', service.demo.live_key)
    const page = await enter(token)
    const forbidden =
      /New|Grant|Suspend|Block|Revoke|Rotate|Edit|Refresh|Reproject|Erase|Export|Pause|Check|Suppress$|Remove/

    for (const hash of ['#/projects', '#/records', '#/records/people/amara-okafor', '#/providers', '#/suppressions']) {
      await goTo(page, hash)
      const names = await page.locator('main button, main a.button').allTextContents()
      expect(names.filter((name) => forbidden.test(name))).toEqual([])
    }
  })

  test.each([
    { role: 'operator', project: null, offered: ['New project', 'New key'] },
    { role: 'billing', project: 'demo', offered: ['Block billing', 'Suspend', 'Grant'] },
    { role: 'owner', project: 'demo', offered: ['New key'] },
  ])('$role of $project sees money or key actions as the role allows', async ({ role, project, offered }) => {
    const wish = { label: 'of a team', role, project }
    const { token } = await service.admin<{ token: string }>('POST', '/tokens', wish)
    const page = await enter(token)

    await goTo(page, '#/projects')
    const head = page.locator('.page-head button')
    const panel = page.locator('section.panel', { has: page.getByRole('heading', { name: 'demo' }) })
    // Every role may save what it sees.
    const actions = panel.getByRole('button').filter({ hasNotText: 'as CSV' })
    const shown = async () => [...(await head.allTextContents()), ...(await actions.allTextContents())]

    await expect.poll(shown).toEqual(offered)
  })

  test.skipIf(onPostgres)('a token of one project sees no page about the whole service', async () => {
    const { token } = await service.admin<{ token: string }>('POST', '/tokens', {
      label: 'only demo',
      role: 'operator',
      project: 'demo',
    })
    const page = await enter(token)
    await goTo(page, '#/projects')

    const menu = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')

    await expect
      .poll(() => menu.allTextContents())
      .toEqual(['Overview', 'Projects and keys', 'Watches', 'Batches', 'Calls', 'Spend', 'Webhooks', 'Playground'])
    await expect.poll(() => page.locator('.panel-head h2').allTextContents()).toEqual(['demo'])
  })
})
