import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the inbox of the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('the inbox of the overview', () => {
  let service: TestService
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService()
    const browser: Browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const makeKey = async (project: string, settings: object = {}) => {
    const body = { project, environment: 'production', mode: 'live', ...settings }
    return service.admin<{ id: string; key: string }>('POST', '/keys', body)
  }
  const grant = (project: string, amount: number) =>
    service.admin('POST', '/credits/grants', { project, environment: 'production', amount })
  const item = (text: string | RegExp) => page.locator('.attention li', { hasText: text })
  const reload = async () => {
    await goTo(page, '#/playground')
    await goTo(page, '#/overview')
  }
  const openList = async () => {
    await reload()
    const open = page.locator('.attention').getByRole('button', { name: /^(Show \d+ more|List: )/ })
    if ((await open.count()) > 0) await open.first().click()
  }
  const save = (name: string) => page.getByRole('dialog').getByRole('button', { name }).click()

  test('every button repairs its item, and the item is gone', async () => {
    const place = { project: 'spent', environment: 'production' }
    await makeKey('poor')
    const { key } = await makeKey('spent')
    await grant('spent', 10_000)
    await service.admin('POST', '/credits/budgets', { ...place, monthly: 10 })
    for (const [label, ceiling] of [
      ['at its ceiling', 5],
      ['near its ceiling', 6],
    ] as const) {
      const { key: own } = await makeKey('spent', { label, ceiling })
      for (let call = 0; call < 5; call += 1) await service.lookup('people', 'amara-okafor', own)
    }
    expect((await service.lookup('people', 'amara-okafor', key)).status).toBe(402)
    const hook = { ...place, url: 'https://receiver.example/path', events: ['credits.low'] }
    const { id: webhook } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
    await service.admin('PATCH', `/webhooks/${webhook}`, { state: 'paused' })
    await service.admin('POST', '/providers/directory/pause')

    const raise = async () => {
      await page.getByRole('dialog').getByLabel('Monthly ceiling').fill('1000')
      await save('Save')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await openList()
    }
    const remedies: [text: string | RegExp, button: RegExp, then?: () => Promise<void>][] = [
      ['poor/production', /^Grant credits/, () => save('Grant credits')],
      [
        'Its budget of 10 credits',
        /^Change the budget/,
        async () => {
          await page.getByRole('dialog').getByLabel('Credits per month').fill('5000')
          await save('Save')
        },
      ],
      [/^at its ceiling/, /^Raise the ceiling/, raise],
      [/^near its ceiling/, /^Raise the ceiling/, raise],
      ['receiver.example', /^Resume/],
      ['It is paused, so nothing new is fetched', /^Resume/],
    ]
    for (const [text, button, then] of remedies) {
      await openList()
      await item(text).waitFor()
      const press = item(text).locator('.button', { hasText: button.source.slice(1) })
      await press.first().click()
      await then?.()
      await item(text).waitFor({ state: 'detached' })
    }
    expect(watched.complaints.filter((text) => !text.includes('402'))).toEqual([])
  })

  test('has one line per kind with its total, worst first, in a third of the first screen', async () => {
    for (let number = 1; number <= 24; number += 1) await makeKey(`empty-${number}`)
    const demo = { project: 'demo', environment: 'production' }
    await service.admin('POST', '/alerts', { ...demo, credits_below: 10_000_000 })
    await page.setViewportSize({ width: 1_280, height: 800 })
    await reload()

    await item('24 environments have no credits left').waitFor()
    const levels = await page.locator('.attention li').evaluateAll((lines) => lines.map((line) => line.className))
    const box = await page.locator('.attention').boundingBox()
    await page.getByRole('button', { name: 'List: 24 environments have no credits left' }).click()
    await item('empty-24/production').waitFor()

    expect(levels).toContain('warning')
    expect(levels.lastIndexOf('danger')).toBeLessThan(levels.indexOf('warning'))
    expect(box?.height).toBeLessThanOrEqual(800 / 3)
    await expect.poll(() => item('It has no credits left.').count()).toBe(24)
  })
})
