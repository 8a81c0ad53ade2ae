import { readFileSync } from 'node:fs'
import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: exports of the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('tables as files', () => {
  let service: TestService
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService()
    const key = { project: 'demo', environment: 'production', mode: 'live' }
    for (let number = 0; number < 60; number++)
      await service.admin('POST', '/keys', {
        ...key,
        label: number === 0 ? '=1+1 sync' : `key ${number}`,
        ceiling: 1_500,
      })
    watched = await signedIn(await openBrowser(chromium ?? ''), service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  async function linesOf(download: Download): Promise<string[][]> {
    const text = readFileSync(await download.path(), 'utf8')
    expect(text.startsWith('\uFEFF')).toBe(true)
    const lines = text.slice(1).trimEnd().split('\r\n')
    return lines.map((line) => line.split(','))
  }
  const pressed = async (name: string | RegExp) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    return linesOf(await download)
  }

  test('"This page" has the rows and labels of the table, with plain numbers and times', async () => {
    await goTo(page, '#/projects/keys?order=oldest')
    const [labels = [], ...rows] = await pressed('This page as CSV: Keys')

    expect(labels).toEqual(await page.locator('.table thead th').allTextContents())
    expect(rows).toHaveLength(50)
    const names = rows.map(([name]) => name)
    expect(names.some((name) => name?.startsWith("'=1+1 sync"))).toBe(true)
    expect(rows.flat().some((cell) => /^\d{1,3},\d/.test(cell))).toBe(false)
  })

  test('stand only under tables with more than a handful of rows, and not in dialogs', async () => {
    const buttons = page.getByRole('button', { name: /as CSV/ })
    await goTo(page, '#/projects/keys?text=key%2059')
    await page.locator('tbody tr').first().waitFor()
    await expect.poll(() => buttons.count()).toBe(0)
    await goTo(page, '#/projects/keys?text=key%205')
    await expect.poll(() => buttons.count()).toBe(2)
    const cost = { calls: 1, charged: 1, at_least: 1, at_most: 1 }
    const projects = Array.from({ length: 8 }, (_, number) => ({ project: `project ${number}`, ...cost }))
    await page.route('**/prices/preview', (route) =>
      route.fulfill({ json: { month: '2026-10', ...cost, projects, more: 0, removed_calls: 0 } }),
    )
    await goTo(page, '#/prices')
    await page.getByRole('button', { name: 'Set prices' }).click()
    await page.getByLabel('Price document').fill(JSON.stringify({ lines: [{ credits: 1 }] }))
    await page.getByRole('button', { name: 'Check' }).click()
    await expect.poll(() => page.getByRole('dialog').locator('tbody tr').count()).toBe(9)
    expect(
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /as CSV/ })
        .count(),
    ).toBe(0)
    await page.keyboard.press('Escape')
  })

  test('"All rows" has every row that fits the filters, and is saved as soon as it is ready', async () => {
    await goTo(page, '#/projects/keys?text=ey%201')
    const [labels = [], ...rows] = await pressed('All rows as CSV')

    expect(rows).toHaveLength(11)
    expect(rows.every((row) => row[labels.indexOf('Monthly ceiling')] === '1500')).toBe(true)
    const tray = page.locator('.toast', { hasText: /^Keys: 11 rows, kept until/ })
    await tray.waitFor()
    await page.reload()
    await expect.poll(() => tray.getByRole('link', { name: /^Download/ }).getAttribute('href')).toMatch(/\/file$/)
    await tray.getByRole('button', { name: 'Close the export: Keys' }).click()
    await tray.waitFor({ state: 'detached' })
  })

  test('a long export shows its progress on every page, and can be cancelled', async () => {
    let state = { state: 'preparing', rows: 12_000 }
    const cancelled: string[] = []
    await page.route('**/admin/v1/exports/*', async (route) => {
      if (route.request().method() === 'DELETE') cancelled.push(route.request().url())
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...state } })
    })
    onTestFinished(() => page.unroute('**/admin/v1/exports/*'))
    await goTo(page, '#/audit')
    await page.getByRole('button', { name: 'All rows as CSV' }).click()
    const tray = page.locator('.toast', { hasText: 'Audit log: the file is being prepared' })
    await expect.poll(() => tray.textContent()).toContain('12,000 rows so far')
    state = { state: 'preparing', rows: 25_000 }
    await goTo(page, '#/webhooks')
    await expect.poll(() => tray.textContent()).toContain('25,000 rows so far')

    await tray.getByRole('button', { name: 'Cancel the export: Audit log' }).click()
    await tray.waitFor({ state: 'detached' })
    expect(cancelled).toHaveLength(1)
  })
})
