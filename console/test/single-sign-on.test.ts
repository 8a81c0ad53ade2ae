import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, openBrowser } from './browser.ts'
import { freePort, TestIssuer } from './issuer.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: single sign-on in a browser, because there is no chromium on the path.')
const ada = { id: 'ada', email: 'ada@team.example', email_verified: true, groups: ['everybody', 'vitae-admins'] }
const hourMs = 3_600_000

describe.skipIf(!chromium)('single sign-on', () => {
  let service: TestService
  let issuer: TestIssuer
  let browser: Browser
  const pages: Page[] = []

  beforeAll(async () => {
    const port = freePort()
    const consoleUrl = `http://127.0.0.1:${port}`
    issuer = new TestIssuer({ consoleUrl, clientId: 'vitae', clientSecret: 'a secret: with signs/+' }, ada)
    await issuer.start('user info')
    service = await startService({
      PORT: String(port),
      VITAE_PUBLIC_URL: consoleUrl,
      VITAE_OIDC_ISSUER: issuer.url,
      VITAE_OIDC_CLIENT_ID: 'vitae',
      VITAE_OIDC_CLIENT_SECRET: 'a secret: with signs/+',
      VITAE_OIDC_SCOPES: 'openid email groups',
      VITAE_OIDC_ROLES: 'vitae-admins=owner,demo-team=operator:demo',
    })
    browser = await openBrowser(chromium ?? '')
  })
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close()
    issuer.person = ada
    service.setClockOffset(0)
  })
  afterAll(async () => {
    await issuer?.stop()
    await service?.close()
  })

  const openConsole = async (hash = ''): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-US', userAgent: 'Browser of a test' })
    const page = await context.newPage()
    pages.push(page)
    await page.goto(`${service.url}/console${hash}`)
    return page
  }
  const enter = async (page: Page): Promise<void> => {
    await page.getByRole('link', { name: 'Sign in with your account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  }
  const cookiesOf = async (page: Page) => (await page.context().cookies()).map(({ name }) => name).toSorted()

  test('a group member gets its role, returns to the page they left, and is named in the audit log', async () => {
    const page = await openConsole('#/audit')

    await enter(page)
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
    const who = await page.locator('.who').textContent()
    const { entries } = await service.admin<{ entries: object[] }>('GET', '/audit?action=session.open&limit=1')
    const session = (await page.context().cookies()).find(({ name }) => name === 'vitae_session')

    expect(who).toBe('ada@team.exampleowner, all projects')
    expect(new URL(page.url()).search).toBe('')
    expect(entries).toMatchObject([
      { actor: 'person:ada@team.example', after: { method: 'single_sign_on', subject: 'ada' } },
    ])
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  })

  test('an address that the identity provider has not verified names nobody in the audit log', async () => {
    issuer.person = { ...ada, id: 'mallory', email_verified: false, preferred_username: ada.email }
    const page = await openConsole()

    await enter(page)
    const { entries } = await service.admin<{ entries: object[] }>('GET', '/audit?action=session.open&limit=1')

    expect(entries).toMatchObject([{ actor: 'person:mallory' }])
  })

  test('a code is useless with another state, in another browser, or a second time', async () => {
    const page = await openConsole()
    const callback = page.waitForRequest(/\/callback\?/)
    await page.getByRole('link', { name: 'Sign in with your account' }).click()
    const request = await callback
    const cookie = (await request.headerValue('cookie')) ?? ''
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const open = (url: string, headers: Record<string, string>) => fetch(url, { headers, redirect: 'manual' })

    const elsewhere = await open(request.url(), {})
    const otherState = await open(request.url().replace(/state=[^&]+/, 'state=guessed'), { cookie })
    const again = await open(request.url(), { cookie })

    expect([elsewhere.status, otherState.status, again.status]).toEqual([400, 400, 403])
    expect(await again.text()).toContain('invalid_grant')
    for (const answer of [elsewhere, otherState, again]) {
      expect(answer.headers.getSetCookie().filter((text) => text.startsWith('vitae_session='))).toEqual([])
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  test('a session expires after the configured hours, and ends at once at sign-out, at the issuer too', async () => {
    const page = await openConsole()
    await enter(page)
    service.setClockOffset(8 * hourMs + 1_000)
    await page.reload()
    await page.getByRole('link', { name: 'Sign in with your account' }).waitFor()
    service.setClockOffset(0)
    const before = issuer.logins

    await enter(page)
    const withoutPassword = issuer.logins - before
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByRole('link', { name: 'Sign in with your account' }).waitFor()
    const left = (await cookiesOf(page)).filter((name) => name.startsWith('vitae'))
    await enter(page)

    expect(withoutPassword).toBe(0)
    expect(left).toEqual([])
    expect(issuer.logins - before).toBe(1)
  })

  test('a person removed from the group sees at the next sign-in which groups were found', async () => {
    issuer.person = { ...ada, groups: ['everybody', '<b>sales</b>'] }
    const page = await openConsole()

    await page.getByRole('link', { name: 'Sign in with your account' }).click()
    await page.getByRole('heading', { name: 'You have no role here' }).waitFor()

    await expect
      .poll(() => page.locator('main').textContent())
      .toContain('Groups seen in groups: everybody, <b>sales</b>.')
    expect(await cookiesOf(page)).not.toContain('vitae_session')
  })

  test('an owner sees all sessions with their addresses, and ends all of a person', async () => {
    issuer.person = { id: 'cleo', email: 'cleo@team.example', email_verified: true, groups: ['demo-team'] }
    const [first, second] = [await openConsole(), await openConsole()]
    for (const page of [first, second]) await enter(page)
    issuer.person = ada
    const page = await openConsole('#/sessions')
    await enter(page)

    const row = page.getByRole('row', { name: /cleo@team\.example/ }).first()
    const text = await row.textContent()
    await row.getByRole('button', { name: 'End all sessions of cleo@team.example' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End all' }).click()
    await row.waitFor({ state: 'detached' })

    expect(text).toMatch(/^cleo@team\.example operator of demosingle sign-on127\.0\.0\.1/)
    for (const ended of [first, second]) {
      await ended.getByRole('link', { name: 'Calls' }).click()
      await ended.getByText('The session has ended. Sign in again.').waitFor()
    }
    await page.getByRole('row', { name: /ada@team\.example this session/ }).waitFor()
  })

  test('a form survives an ended session: signing in opens another tab, and this one continues', async () => {
    const page = await openConsole('#/projects')
    await enter(page)
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByLabel('Name', { exact: true }).fill('typed-before')
    await page.context().clearCookies({ name: 'vitae_session' })
    await page.getByRole('button', { name: 'Make project' }).click()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in with your account' }).click()
    const other = await opened
    await other.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.getByRole('button', { name: 'Make project' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    expect(await service.admin('GET', '/projects/typed-before')).toMatchObject({ name: 'typed-before' })
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('while the issuer is down signed-in users continue; with its new keys others can sign in again', async () => {
    const page = await openConsole()
    await enter(page)
    const late = await openConsole()

    await issuer.stop()
    await page.reload()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await late.getByRole('link', { name: 'Sign in with your account' }).click()
    await late.getByRole('heading', { name: 'The identity provider does not answer' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in with your account' }).waitFor()
    await issuer.start('id token')
    issuer.person = { id: 'ben', email: 'ben@team.example', email_verified: true, groups: ['demo-team'] }
    await late.goto(`${service.url}/console`)
    await enter(late)

    await expect.poll(() => late.locator('.who').textContent()).toBe('ben@team.exampleoperator of demo')
  })
})
