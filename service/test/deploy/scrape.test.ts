import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { openTestService } from '../harness/test-service.ts'

const folder = join(import.meta.dirname, '../../../deploy/prometheus')
const text = readFileSync(join(folder, 'scrape.yaml'), 'utf8')

interface Scrape {
  scrape_configs: { job_name: string; authorization?: unknown; static_configs: { targets: string[] }[] }[]
  rule_files: string[]
}

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
const label = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`
const number = String.raw`[+-]?(?:Inf|NaN|\d+(?:\.\d+)?(?:e[+-]?\d+)?)`
const sample = new RegExp(String.raw`^([a-zA-Z_:][\w:]*)(?:\{(?:${label}(?:,${label})*,?)?\})? ${number}$`)
const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/

test('the scrape example works unchanged, on the machine of a service with the default port', async () => {
  const { scrape_configs: jobs, rule_files: rules } = parse(text) as Scrape
  const [port] = /(?<=^# PORT=)\d+/m.exec(readFileSync(join(folder, '../../.env.example'), 'utf8')) ?? []
  const targets = jobs.flatMap(({ static_configs: configs }) => configs.flatMap((config) => config.targets))

  expect(targets).toEqual([`127.0.0.1:${port}`])
  // Prometheus would not scrape while the token file is missing.
  expect(jobs.map(({ authorization }) => authorization)).toEqual([undefined])
  expect(rules.filter((file) => !existsSync(join(folder, file)))).toEqual([])
})

test('a scrape has the format of Prometheus, with and without the token of the example', async () => {
  const service = await openTestService()
  await service.person('ada')
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'viewer', label: 'scrape' })

  for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
    const { status, headers: sent, text: body } = await service.get('/metrics', headers)
    const lines = body.split('\n').filter((line) => line !== '')

    expect([status, sent.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')])
    expect(body.endsWith('\n')).toBe(true)
    expect(lines.filter((line) => !sample.test(line) && !comment.test(line))).toEqual([])
    const typed = [...body.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] ?? '')
    const names = lines.flatMap((line) => sample.exec(line)?.[1] ?? [])
    expect(new Set(typed).size).toBe(typed.length)
    expect(
      names.filter((name) => !typed.includes(name) && !typed.includes(name.replace(/_(bucket|sum|count)$/, ''))),
    ).toEqual([])
    expect(names).toContain('vitae_call_seconds_count')
  }
})
