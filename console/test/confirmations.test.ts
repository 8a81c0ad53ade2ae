import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: confirmations of the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('a change is confirmed, with a way back', () => {
  let service: TestService
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService()
    watched = await signedIn(await openBrowser(chromium ?? ''), service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const toast = () => page.locator('.toast')
  const undo = () => toast().getByRole('button', { name: 'Undo' })

  test('a grant can be taken back, and the confirmation leads to the ledger', async () => {
    const where = 'project=demo&environment=production'
    const balance = async () => (await service.admin<{ balance: number }>('GET', `/credits/balance?${where}`)).balance
    const before = await balance()
    await goTo(page, '#/projects/in/demo/production')
    await page.getByRole('button', { name: 'Grant credits' }).click()
    await page.getByLabel('Amount').fill('250')
    await page.getByRole('dialog').getByRole('button', { name: 'Grant credits' }).click()

    await expect.poll(() => toast().textContent()).toContain('250 credits added to demo/production.')
    expect(await toast().getByRole('link', { name: 'Ledger' }).getAttribute('href')).toBe(
      '#/projects/in/demo/production?only=grants',
    )
    expect(await balance()).toBe(before + 250)
    await undo().click()
    await expect.poll(() => toast().textContent()).toContain('Undone: 250 credits')
    expect(await balance()).toBe(before)
    await page.locator('.table').getByText('Undo of an action in the console').waitFor()
  })

  test('a raised ceiling is saved, can be undone, and no dialog opens again on reload', async () => {
    const { id } = await service.admin<{ id: string }>('POST', '/keys', {
      ...{ project: 'demo', environment: 'production', mode: 'live', label: 'small', ceiling: 10 },
    })
    const ceiling = async () => (await service.admin<{ ceiling: number }>('GET', `/keys/${id}`)).ceiling
    await page.evaluate((hash) => (location.hash = hash), `#/projects/key/${id}?do=edit`)
    await page.getByRole('dialog').getByLabel('Monthly ceiling').fill('500')
    expect(page.url()).not.toContain('do=')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()

    await expect.poll(() => toast().textContent()).toContain('small: saved.')
    expect(await ceiling()).toBe(500)
    await undo().click()
    await expect.poll(() => toast().textContent()).toContain('Undone: small')
    expect(await ceiling()).toBe(10)
    await page.reload()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('a budget and a pause are undone, sending is confirmed, and each message can be closed', async () => {
    await goTo(page, '#/projects/in/demo/production')
    await page.getByRole('button', { name: 'Change the budget' }).click()
    await page.getByLabel('Credits per month').fill('77')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => toast().textContent()).toContain('Budget of demo/production: saved.')
    await page.getByText('77 credits for all its keys').waitFor()
    await undo().click()
    await page.getByText('none: its keys may spend all').waitFor()

    const hook = { project: 'demo', url: 'https://receiver.example/hook', events: ['credits.low'] }
    const { id } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
    await goTo(page, `#/webhooks/${id}`)
    await page.getByRole('button', { name: 'Send test' }).click()
    await expect.poll(() => toast().textContent()).toContain('A test event is sent.')
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => toast().textContent()).toContain('The webhook is paused.')
    await undo().click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await toast().getByRole('button', { name: 'Close the message' }).click()
    await toast().waitFor({ state: 'detached' })
  })
})
