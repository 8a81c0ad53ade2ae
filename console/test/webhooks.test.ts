import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Receiver } from '../../service/test/events/webhooks/webhook-fixture.ts'
import { findChromium, goTo, openBrowser, signedIn } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: webhooks in the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('webhooks', () => {
  let service: TestService
  let browser: Browser
  const receiver = new Receiver()
  let url = ''

  beforeAll(async () => {
    service = await startService({ VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' })
    await service.admin('POST', '/projects', { name: 'hooked', environments: ['production'] })
    browser = await openBrowser(chromium ?? '')
    url = await receiver.listen()
  })
  afterAll(async () => {
    await service?.close()
    await receiver.close()
  })

  test("a webhook is created, its secret shown once, tested and paused; the receiver's answer is only text", async () => {
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill(url)
    await page.getByRole('dialog').getByLabel('Project').selectOption('hooked')
    await page.getByLabel('person.job_changed').check()
    await page.getByRole('button', { name: 'Make webhook' }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: url }).click()

    receiver.respond = (response) => response.writeHead(418).end('<b>teapot</b>')
    await page.getByRole('button', { name: 'Send test' }).click()
    const row = page.getByRole('row', { name: /webhook\.test/ })
    await row.waitFor()
    await expect.poll(() => row.textContent()).toContain('418')
    await expect.poll(() => row.textContent()).toContain('<b>teapot</b>')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('paused by an operator').waitFor()
    await page.getByRole('button', { name: 'Resume' }).waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('person.promoted').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('person.job_changed, person.promoted, as json').waitFor()
    await page.getByText('Nothing waits for this receiver.').waitFor()
    await close()
  })

  test('the page says in words when waiting events are sent next, as the sender decides it; a viewer sees no secret URL', async () => {
    const origin = 'https://hooks.example.com'
    const { id } = await service.admin<{ id: string }>('POST', '/webhooks', {
      ...{ project: 'hooked', url: `${origin}/a-secret-path`, events: ['credits.low'] },
    })
    // The receiver was down for a while: the event's own pause has passed, that of the endpoint has not.
    const [now, minute] = [Date.now(), 60_000]
    const store = new DatabaseSync(join(service.folder, 'vitae.db'), { timeout: 300_000 })
    store
      .prepare('update webhooks set attempts = 6, failing_since = ?, next_attempt_at = ? where id = ?')
      .run(now - minute, now + 30 * minute, id)
    store
      .prepare(`insert into webhook_retries
        (webhook_id, event_id, event_type, attempts, failing_since, next_attempt_at, problem)
        values (?, 'evt_1', 'credits.low', 3, ?, ?, 'the receiver answered 503')`)
      .run(id, now - 20 * minute, now - 14 * minute)
    store.close()
    const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'viewer' })

    const operator = await signedIn(browser, service)
    await goTo(operator.page, `#/webhooks/${id}`)
    const viewer = await signedIn(browser, service, { token })
    await goTo(viewer.page, `#/webhooks/${id}`)

    await operator.page.getByText('1 event failed and will be sent again').waitFor()
    const next = operator.page.getByRole('row', { name: /credits\.low/ }).first()
    await expect.poll(() => next.textContent()).toMatch(/in (2\d|30) min/)
    const facts = operator.page.locator('dl.facts')
    await expect.poll(() => facts.textContent()).toMatch(/Next attempt.*in (2\d|30) min/)
    const seen = viewer.page.locator('main')
    await expect.poll(() => seen.textContent()).toContain(`${origin}/…`)
    expect(await seen.textContent()).not.toContain('a-secret-path')
    expect(await viewer.page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    const search = `${service.url}/admin/v1/webhooks?text=a-secret`
    const found = await fetch(search, { headers: { authorization: `Bearer ${token}` } })
    expect(await found.json()).toMatchObject({ webhooks: [] })
    await operator.close()
    await viewer.close()
  })
})
