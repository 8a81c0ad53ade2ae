import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Receiver } from '../../service/test/events/webhooks/webhook-fixture.ts'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the inbox of the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('the inbox of the overview', () => {
  let service: TestService
  let watched: Watched
  let page: Page
  const receiver = new Receiver()
  const backups = mkdtempSync(join(tmpdir(), 'vitae-backups-'))

  beforeAll(async () => {
    service = await startService({ VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8', VITAE_BACKUP_DIR: backups })
    const browser: Browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
    await receiver.close()
    rmSync(backups, { recursive: true, force: true })
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

  /** Presses the button of an item, and waits until the item is gone. */
  const repair = async (text: string | RegExp, button: RegExp, then?: () => Promise<void>) => {
    await openList()
    await item(text).waitFor()
    await item(text)
      .getByRole('button', { name: button })
      .or(item(text).getByRole('link', { name: button }))
      .click()
    await then?.()
    await openList()
    await item(text).waitFor({ state: 'detached' })
  }

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
    for (const [text, button, then] of remedies) await repair(text, button, then)
    expect(watched.complaints.filter((text) => !text.includes('402'))).toEqual([])
  })

  test('webhooks that fail or gave up, paused batches, a late backup and a finding of the doctor are repaired too', async () => {
    const place = { project: 'busy', environment: 'production' }
    const { key } = await makeKey('busy')
    const makeHook = async (url: string) =>
      (await service.admin<{ id: string }>('POST', '/webhooks', { ...place, url, events: ['credits.low'] })).id
    const failing = await makeHook(await receiver.listen())
    const parked = await makeHook('https://gave-up.example/path')
    const submit = (name: string, more = '') =>
      fetch(`${service.url}/v1/batches?kind=people&name=${name}${more}`, {
        method: 'POST',
        headers: { ApiKey: key, 'content-type': 'text/csv' },
        body: 'id\namara-okafor\nsalma-idrissi\n',
      })
    await submit('without-credits')
    const store = new DatabaseSync(join(service.folder, 'vitae.db'), { timeout: 30_000 })
    store
      .prepare(`update webhooks set problem = 'the receiver answered 503', failing_since = ? where id = ?`)
      .run(Date.now(), failing)
    store
      .prepare(`insert into webhook_retries
        (webhook_id, event_id, event_type, attempts, failing_since, next_attempt_at, parked_at, problem)
        values (?, 'evt_1', 'credits.low', 17, 0, 0, 0, 'refused')`)
      .run(parked)
    store.close()
    await service.admin('GET', '/doctor')

    receiver.respond = (response) => response.writeHead(503).end()
    await openList()
    await item(/^127.*fails/)
      .getByRole('button', { name: /^Send a test/ })
      .click()
    await page.locator('.toast', { hasText: 'The test event was not accepted: the receiver answered 503.' }).waitFor()
    receiver.respond = (response) => response.end()
    await repair(/^127.*fails/, /^Send a test/)
    await repair('gave-up.example', /^Send them again/)
    await item('without-credits').waitFor()
    await grant('busy', 100)
    // Not read again before, because the batch also resumes by itself.
    await item('without-credits')
      .getByRole('button', { name: /^Resume/ })
      .click()
    await openList()
    await item('without-credits').waitFor({ state: 'detached' })
    await submit('limited', '&max_credits=1')
    await expect.poll(async () => (await openList(), item('limited').count())).toBe(1)
    await repair('limited', /^Raise the limit/, async () => {
      await save('Resume')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })
    await repair(/^Backup/, /^Make a backup/)
    await repair('Doctor: backups', /^Run the doctor again/)
    expect(receiver.requests).toHaveLength(2)
  })

  test('has one line per kind with its total, worst first, in a third of the first screen of a desk and of a phone', async () => {
    for (let number = 1; number <= 24; number += 1) await makeKey(`empty-${number}`)
    const demo = { project: 'demo', environment: 'production' }
    await service.admin('POST', '/alerts', { ...demo, credits_below: 10_000_000 })
    const { key } = await makeKey('demo', { ceiling: 1 })
    await service.lookup('people', 'amara-okafor', key)
    await service.admin('POST', '/credits/budgets', { ...demo, monthly: 1 })
    const hook = { ...demo, url: 'https://paused.example/path', events: ['credits.low'] }
    const { id: webhook } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
    await service.admin('PATCH', `/webhooks/${webhook}`, { state: 'paused' })
    await service.admin('POST', '/providers/directory/pause')
    const heightOf = async () => (await page.locator('.attention').boundingBox())?.height
    await page.setViewportSize({ width: 390, height: 844 })
    await reload()
    await item('24 environments have no credits left').waitFor()
    const onPhone = await heightOf()
    await page.setViewportSize({ width: 1_280, height: 800 })
    await reload()

    await item('24 environments have no credits left').waitFor()
    const levels = await page.locator('.attention li').evaluateAll((lines) => lines.map((line) => line.className))
    const height = await heightOf()
    await page.getByRole('button', { name: /^Show \d+ more$/ }).waitFor()
    await page.getByRole('button', { name: 'List: 24 environments have no credits left' }).click()
    await item('empty-24/production').waitFor()

    expect(levels).toContain('warning')
    expect(levels.lastIndexOf('danger')).toBeLessThan(levels.indexOf('warning'))
    expect(height).toBeLessThanOrEqual(800 / 3)
    expect(onPhone).toBeLessThanOrEqual(844 / 3)
    await expect.poll(() => item('It has no credits left.').count()).toBe(24)
  })
})
