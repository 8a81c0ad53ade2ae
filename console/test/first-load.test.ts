import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { distFolder, ensureBuilt } from './built-console.ts'

const limitBytes = 100_000

describe('the built console', () => {
  beforeAll(ensureBuilt)

  test('loads less than 100 kB for the first page', () => {
    const html = readFileSync(join(distFolder, 'index.html'), 'utf8')
    const files = [...html.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, path]) => path ?? '')

    const bytes = ['index.html', ...files].map((path) => gzipSync(readFileSync(join(distFolder, path))).byteLength)

    expect(files.filter((path) => path.endsWith('.js'))).toHaveLength(2)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(limitBytes)
  })

  test('loads less than 15 kB more for any other page, in at most three files', () => {
    const folder = join(distFolder, 'assets')
    const importsOf = (name: string): string[] => {
      const text = readFileSync(join(folder, name), 'utf8')
      const own = [...text.matchAll(/from"\.\/([^"]+\.js)"/g)].map(([, file]) => file ?? '')
      return [name, ...own.filter((file) => !/^(index|shared)-/.test(file)).flatMap(importsOf)]
    }
    const pages = readdirSync(folder).filter((name) => name.endsWith('.js') && !/^(index|shared|landing)-/.test(name))

    expect(pages.length).toBeGreaterThan(10)
    for (const page of pages) {
      const files = [...new Set(importsOf(page))]
      const bytes = files.map((name) => gzipSync(readFileSync(join(folder, name))).byteLength)
      expect(files.length, page).toBeLessThan(4)
      expect(
        bytes.reduce((sum, size) => sum + size, 0),
        page,
      ).toBeLessThan(15_000)
    }
  })

  test.each(['index.html', 'landing.html'])('has no inline script or style in %s, and names no other host', (name) => {
    const html = readFileSync(join(distFolder, name), 'utf8')

    expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/i)
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  })
})
