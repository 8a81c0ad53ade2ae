import { expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn } from './browser.ts'
import { startService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: spikes in the console, because there is no chromium on the path.')

test.skipIf(!chromium)(
  'a spike leads from the inbox to its calls, and an attempt and what is billed are explained on hover and on focus',
  async ({ onTestFinished }) => {
    const service = await startService()
    onTestFinished(() => service.close())
    const { live_key: key } = service.demo
    for (let call = 0; call < 12; call++) await service.lookup('people', '', key)
    await service.lookup('people', 'amara-okafor', key)
    const { page, close } = await signedIn(await openBrowser(chromium ?? ''), service)
    onTestFinished(close)

    const item = page.getByRole('listitem').filter({ hasText: 'demo/production' })
    await expect
      .poll(() => item.textContent())
      .toMatch(/12 of 13 calls failed in the last hour \(92 %\)\. It began at \d\d:\d\d UTC\./)
    await item.getByRole('link', { name: 'See the calls' }).click()
    await expect.poll(() => page.locator('main:not(:has(.loading)) tbody tr').count()).toBe(12)
    expect(page.url()).toContain('time=hour')

    await goTo(page, '#/providers')
    const panel = page.locator('.panel', { hasText: 'Directory of files' })
    await expect.poll(() => panel.locator('dd').first().textContent()).toMatch(/^1 attempt, 0 failed/)
    await expect.poll(() => panel.textContent()).toContain('1 billable attempt, no limit')
    const tip = page.getByRole('tooltip')
    await panel.getByText('attempt', { exact: true }).hover()
    await expect.poll(() => tip.textContent()).toMatch(/A retry is one more attempt/)
    const [shown, word] = await Promise.all([
      tip.boundingBox(),
      panel
        .getByText(/^attempt/)
        .first()
        .boundingBox(),
    ])
    expect(Math.abs((shown?.x ?? 0) - (word?.x ?? 0))).toBeLessThan(2)
    expect(shown?.y ?? 0).toBeGreaterThan((word?.y ?? 0) + 10)
    await panel.getByText('billable attempt').focus()
    await expect.poll(() => tip.last().textContent()).toMatch(/that this provider may bill/)
    await page.keyboard.press('Escape')
  },
)
