import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: batches in the console, because there is no chromium on the path.')

interface Batch {
  id: string
  status: string
  total: number
  credits_spent: number
}

describe.skipIf(!chromium)('a CSV file in the console', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let page: Page
  let keyId = ''

  beforeAll(async () => {
    service = await startService()
    const { keys } = await service.admin<{ keys: { id: string; mode: string }[] }>('GET', '/keys?mode=live')
    keyId = keys[0]?.id ?? ''
    await service.lookup('people', 'salma-idrissi', service.demo.live_key)
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const choose = (name: string, content: string | Buffer) =>
    page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
  const open = () => goTo(page, `#/batches/new?key=${keyId}`)
  const batches = async () => (await service.admin<{ batches: Batch[] }>('GET', '/batches')).batches
  const download = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }

  test('is chosen, its column mapped, its price and stored share shown before paying, followed and downloaded', async () => {
    const known = await batches()
    await goTo(page, '#/batches')
    await page.getByRole('link', { name: 'New batch' }).click()
    await page.getByRole('heading', { name: 'New batch' }).waitFor()
    await choose(
      'guests.csv',
      '\uFEFFname;linkedin_url\r\nSalma;salma-idrissi\r\nHana;hana-minazuki\r\nX;not an id\r\n',
    )
    await expect.poll(() => page.getByLabel('Column with the slugs').inputValue()).toBe('linkedin_url')
    await page.getByLabel('Project', { exact: true }).selectOption('demo')
    await page.getByLabel('Key that pays').selectOption(keyId)
    await page.getByLabel('Name (optional)').fill('guests')
    await page.getByRole('button', { name: 'Show the cost' }).click()
    const cost = async () => (await page.getByLabel('What it costs').innerText()).replaceAll(/\s+/g, ' ').toLowerCase()
    await expect
      .poll(cost)
      .toMatch(
        /rows 3 2 different ids, 1 without an id already in the store 1 1 of them fresh enough to fetch from a provider 1 credits at most 2/,
      )
    expect(await batches()).toHaveLength(known.length)

    await page.getByRole('button', { name: 'Look up for at most 2 credits' }).click()
    await page.getByRole('heading', { name: 'guests', level: 1 }).waitFor()
    await page.getByText('completed', { exact: true }).waitFor()
    const csv = await download('Download as CSV')
    const ndjson = await download('Download as NDJSON')
    const unfound = page.getByRole('table', { name: /^Rows without a record/ })
    await expect.poll(() => unfound.locator('tbody tr').allTextContents()).toHaveLength(1)
    await expect.poll(() => unfound.locator('tbody tr').textContent()).toMatch(/^3Xnot an idinvalid.*(id|URL)/)
    const rest = await download('Download these rows')
    await page.getByRole('link', { name: 'Batches' }).first().click()
    await page.getByRole('link', { name: 'guests' }).waitFor()

    expect(csv.name).toBe('guests-results.csv')
    expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 5).join())).toEqual([
      '\uFEFFname,linkedin_url,row,input,status',
      'Salma,salma-idrissi,1,salma-idrissi,found',
      'Hana,hana-minazuki,2,hana-minazuki,found',
      'X,not an id,3,not an id,invalid',
      '',
    ])
    expect(ndjson.text.trim().split('\n')).toHaveLength(3)
    expect(rest.name).toBe('guests-without-record.csv')
    expect(rest.text).toMatch(/^\uFEFFname,linkedin_url,.*\r\nX,not an id,3,.*invalid/)
    expect((await batches())[0]).toMatchObject({ status: 'completed', total: 3, credits_spent: 2 })
    expect(watched.complaints).toEqual([])
  })

  test('leaves a list of the rows that were not found, with the columns of the file and the reason', async () => {
    await open()
    const file =
      'Row,Company,City,url\n17,"Müller, Söhne",Köln,nobody-knows-them\n18,Tide,Rye,amara-okafor\n19,,Ulm,nobody-else\n'
    await choose('guests.csv', file)
    await page.getByRole('button', { name: 'Show the cost' }).click()
    await page.getByRole('button', { name: /^Look up for at most/ }).click()
    await page.getByText('completed', { exact: true }).waitFor()
    const list = page.getByRole('table', { name: /^Rows without a record/ })
    const cells = (part: string) =>
      list
        .locator(part)
        .evaluateAll((rows) =>
          rows.map((row) => [...(row as HTMLTableRowElement).cells].map((cell) => cell.innerText.trim())),
        )

    await expect
      .poll(() => cells('tbody tr'))
      .toEqual([
        ['1', '17', 'Müller, Söhne', 'Köln', 'nobody-knows-them', 'not found', 'no provider has it', 'Receipt'],
        ['3', '19', '', 'Ulm', 'nobody-else', 'not found', 'no provider has it', 'Receipt'],
      ])
    expect((await cells('thead tr'))[0]?.slice(0, 5)).toEqual(['Row', 'Row (file)', 'Company', 'City', 'Given'])
    const rest = (await download('Download these rows')).text.split('\r\n')
    expect(rest[0]).toMatch(/^\uFEFFRow,Company,City,url,/)
    expect(rest[1]).toMatch(/^17,"Müller, Söhne",Köln,nobody-knows-them,.*not_found/)
    expect(rest[2]).toMatch(/^19,,Ulm,nobody-else,.*not_found/)
    await list.getByRole('link', { name: 'Receipt' }).first().click()
    await page.getByText('not_found').first().waitFor()
  })

  test('that is hostile stays text, and a binary or empty one, or one without the column, is refused with a message', async () => {
    await open()
    const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    const quoted = `"${script.replaceAll('"', '""')}"`
    await choose('x.csv', `${quoted},url\n${quoted},amara-okafor\n`)
    await page.getByLabel('The first rows of the file').waitFor()
    const inserted = await page.locator('main :is(img, script)').count()
    for (const [content, words] of [
      [Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 255]), 'This is not a text file.'],
      ['', 'The file is empty.'],
      ['url\n', 'The file has no rows'],
      ['url,note\namara-okafor,"a\nb"\nsalma-idrissi,"x"y\n', 'the quotes do not match in line 4, column 2'],
    ] as const) {
      await choose('y.csv', content)
      await page.getByRole('alert').filter({ hasText: words }).waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Show the cost' }).isDisabled()).toBe(true)
    }
    await choose(
      'late.csv',
      Buffer.concat([Buffer.from(`url\n${'amara-okafor\n'.repeat(6_000)}`), Buffer.from([255, 10])]),
    )
    await page.getByRole('button', { name: 'Show the cost' }).click()
    await page.getByRole('alert').filter({ hasText: 'The body is not UTF-8 text: see line 6002.' }).waitFor()
    await choose('latin.csv', Buffer.from('url,name\nm\u00fcller-ag,M\u00fcller\n', 'latin1'))
    await page.getByText('The file is read as windows-1252.').waitFor()

    expect(inserted).toBe(0)
    expect(await page.title()).toBe('New batch · Vitae')
    expect((await batches()).filter(({ total }) => total > 3)).toEqual([])
    watched.complaints.splice(0)
  })

  test('is submitted once, even if the answer is lost and it is sent again; Escape changes nothing', async () => {
    await open()
    await choose('once.csv', 'url\namara-okafor\n')
    await page.getByRole('button', { name: 'Show the cost' }).click()
    const pay = page.getByRole('button', { name: /^Look up for at most/ })
    await pay.waitFor()
    await page.keyboard.press('Escape')
    const known = (await batches()).length
    await page.route(
      '**/admin/v1/batches?*',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await pay.click()
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor()
    await pay.click()
    await page.getByRole('heading', { name: 'once', level: 1 }).waitFor()

    expect(await batches()).toHaveLength(known + 1)
    watched.complaints.splice(0)
  })

  test('that waits for credits shows why and what resumes it; it is resumed with a higher limit, and another is cancelled', async () => {
    await open()
    await choose('limit.csv', 'url\namara-okafor\nsalma-idrissi\n')
    await page.getByLabel('Maximum credits (optional)').fill('1')
    await page.getByLabel('Name (optional)').fill('limited')
    await page.getByRole('button', { name: 'Show the cost' }).click()
    await page.getByRole('button', { name: 'Look up for at most 1 credit' }).click()
    await page.getByText('max_credits_reached').waitFor()
    await page.locator('.notice', { hasText: 'Call resume with a higher max_credits.' }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByLabel('Credits at most').fill('2')
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
    await page.getByText('completed', { exact: true }).waitFor()
    await service.admin('POST', `/providers/directory/pause`, {})
    await open()
    await choose('cancel.csv', 'url\nnobody-knows-this\n')
    await page.getByRole('button', { name: 'Show the cost' }).click()
    await page.getByRole('button', { name: /^Look up for/ }).click()
    await page.getByRole('button', { name: 'Cancel batch' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click()
    await page.getByText('cancelled', { exact: true }).waitFor()
    await service.admin('POST', `/providers/directory/resume`, {})

    expect(watched.complaints).toEqual([])
  })
})
