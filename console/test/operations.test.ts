import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: operations in the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('operations', () => {
  let service: TestService
  let browser: Browser
  const folder = mkdtempSync(join(tmpdir(), 'vitae-backups-'))

  beforeAll(async () => {
    service = await startService({ VITAE_BACKUP_DIR: folder, VITAE_CALL_LOG_DAYS: '1' })
    browser = await openBrowser(chromium ?? '')
  })
  afterAll(async () => {
    await service?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('settings can be searched, and show the source of each value; no secret is shown', async () => {
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/operations')
    await page.getByLabel('Name').fill('call_log')
    await expect.poll(() => page.locator('tbody tr').allTextContents()).toEqual(['VITAE_CALL_LOG_DAYS1environment'])
    await page.getByLabel('Name').fill('')
    await page.getByLabel('Only what is set').check()
    await expect.poll(() => page.getByRole('row', { name: /VITAE_ADMIN_TOKEN/ }).textContent()).toContain('(set)')
    expect(await page.locator('main').textContent()).not.toContain(service.ownerToken)
    await close()
  })

  test('the doctor runs on request, and shows problems first', async () => {
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/operations/doctor')
    await page.getByRole('button', { name: 'Run the checks' }).click()
    await page.getByRole('row', { name: /^retention/ }).waitFor()

    const states = await page.locator('tbody .badge').allTextContents()
    expect(states).toEqual(states.toSorted((a, b) => Number(a === 'ok') - Number(b === 'ok')))
    await close()
  })

  test("the doctor's findings link to the remedy, and name no terminal command", async () => {
    const place = { project: 'demo', environment: 'production' }
    const hook = { ...place, url: 'https://hooks.example/', events: ['credits.low'] }
    const { id } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
    await service.admin('PATCH', `/webhooks/${id}`, { state: 'paused' })
    await service.admin('POST', '/providers/directory/pause', { reason: 'a test' })
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/operations/doctor')
    await page.getByRole('button', { name: 'Run the checks' }).click()
    await page.getByRole('link', { name: 'To the providers' }).waitFor()
    const said = await page.locator('main').textContent()
    await page.getByRole('link', { name: 'To the webhooks' }).click()
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    await service.admin('POST', '/providers/directory/resume', {})
    await service.admin('DELETE', `/webhooks/${id}`)

    expect(said).toContain('It is paused, so nothing new is fetched from it')
    expect(said).not.toMatch(/vitae [a-z]/)
    await close()
  })

  test('a backup is made, verified and downloaded; a damaged one is detected, all is audited, and an ended session is reported', async () => {
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/operations/backups')
    await page.getByRole('button', { name: 'Make a backup' }).click()
    await page.getByText('is made and verified').waitFor()
    const [name = ''] = readdirSync(folder)
    await page.getByRole('button', { name: `Verify ${name}` }).click()
    await page.getByText(/is sound: 0 records, \d+ ledger/).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: `Download ${name}` }).click()
    expect((await download).suggestedFilename()).toBe(name)
    await (await download).path()

    writeFileSync(join(folder, name), 'SQLite format 3\0 and nothing else')
    await page.getByRole('button', { name: `Verify ${name}` }).click()
    await page.locator('.notice.danger').waitFor()
    expect(readdirSync(folder)).toEqual([name])
    const { entries } = await service.admin<{ entries: { action: string }[] }>('GET', '/audit?limit=20')
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['store.backup', 'store.backup_verify', 'store.backup_download']),
    )
    await page.context().clearCookies()
    await page.getByRole('button', { name: `Download ${name}` }).click()
    await page.getByText('The session has ended. Sign in again.').waitFor()
    await close()
  })

  test('only a backup in the backup folder can be requested', async () => {
    writeFileSync(join(folder, 'other.db'), 'not a backup')
    const headers = { authorization: `Bearer ${service.ownerToken}` }
    for (const name of ['other.db', '..%2Fvitae.db', '%2Fetc%2Fhostname'])
      expect((await fetch(`${service.url}/admin/v1/backups/${name}/file`, { headers })).status, name).toBe(404)
    rmSync(join(folder, 'other.db'))
  })

  test('retention shows its plan and runs after a confirmation word', async () => {
    service.setClockOffset(-5 * 86_400_000)
    await service.lookup('people', 'nobody-at-all', service.demo.live_key)
    await service.admin('GET', '/calls')
    service.setClockOffset(0)
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/operations/retention')
    const due = page.getByRole('row', { name: /^Calls of the log/ })
    await expect.poll(() => due.textContent()).toBe('Calls of the log1')
    await page.getByRole('button', { name: 'Remove now', exact: true }).click()
    await page.getByLabel('Type remove to confirm').fill('remove')
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(/rows were removed/).waitFor()
    await page.getByRole('row', { name: 'Calls of the log 0' }).waitFor()
    await close()
  })

  test('a token is created, shown once and also after Escape, listed and revoked', async () => {
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/operations/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Label').fill('nightly report')
    await page.getByRole('button', { name: 'Make token' }).click()
    const token = (await page.getByRole('region', { name: 'the token' }).textContent()) ?? ''
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    const asViewer = () => fetch(`${service.url}/admin/v1/settings`, { headers: { authorization: `Bearer ${token}` } })
    expect((await asViewer()).status).toBe(200)
    await page.getByRole('button', { name: 'Revoke nightly report' }).click()
    await page.getByLabel('Type revoke to confirm').fill('revoke')
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByLabel('State').selectOption('Revoked')
    await page.getByRole('row', { name: /nightly report.*revoked/ }).waitFor()
    expect((await asViewer()).status).toBe(401)
    await close()
  })
})
