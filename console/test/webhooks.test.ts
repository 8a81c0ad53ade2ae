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
    browser = await openBrowser(chromium ?? '')
    url = await receiver.listen()
  })
  afterAll(async () => {
    await service?.close()
    await receiver.close()
  })

  test("a webhook is created, its secret shown once, tested and paused; the receiver's answer is only text", async () => {
    await service.admin('POST', '/projects', { name: 'hooked', environments: ['production'] })
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
})
