import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as WorkflowParser from '@actions/workflow-parser'
import { rolldown } from 'rolldown'
import { parse } from 'yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'

let parser: typeof WorkflowParser
let bundled = ''

/** GitHub's parser imports JSON in a way that only bundlers accept. */
beforeAll(async () => {
  bundled = mkdtempSync(join(tmpdir(), 'vitae-workflows-'))
  const input = fileURLToPath(import.meta.resolve('@actions/workflow-parser'))
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' })
  await bundle.write({ file: join(bundled, 'parser.mjs'), codeSplitting: false })
  await bundle.close()
  parser = (await import(pathToFileURL(join(bundled, 'parser.mjs')).href)) as typeof parser
})
afterAll(() => rmSync(bundled, { recursive: true, force: true }))

const folder = join(import.meta.dirname, '../../../.github/workflows')
const files = readdirSync(folder)
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
}
interface Job {
  uses?: string
  steps?: Step[]
  permissions?: Record<string, string>
  strategy?: { matrix: Record<string, unknown[]> }
}
const jobsOf = (name: string) => (parse(read(name)) as { jobs: Record<string, Job> }).jobs
const stepsOf = (name: string) => Object.values(jobsOf(name)).flatMap((job) => job.steps ?? [])
const scriptsOf = (name: string) => stepsOf(name).flatMap(({ run }) => run ?? [])

/** The complaints of GitHub's own parser about a workflow: its schema, and the names in its expressions. */
async function complaints(name: string, content: string): Promise<string[]> {
  const { context, value } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
  if (value) await parser.convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

test.each(files)("%s is valid by GitHub's own schema", async (name) => {
  expect(await complaints(name, read(name))).toEqual([])
})

test('a misspelled key and an unknown context are found', async () => {
  const step = '      - run: echo ${{ nowhere.x }}\n        shel: bash\n'
  const wrong = await complaints('wrong.yml', `on: push\njobs:\n  one:\n    runs-on: x\n    steps:\n${step}`)

  for (const part of ['shel', 'nowhere']) expect(wrong.join('\n')).toContain(part)
})

test.each(files)('bash parses the scripts of %s, and every action has a version', (name) => {
  for (const script of scriptsOf(name))
    expect(
      spawnSync('bash', ['-n'], { input: script.replaceAll(/\$\{\{.*?\}\}/g, 'x'), encoding: 'utf8' }).stderr,
    ).toBe('')
  for (const { uses } of stepsOf(name)) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/)
})

test('CI runs both commands on both processors', () => {
  const jobs = Object.values(jobsOf('ci.yml'))

  expect(scriptsOf('ci.yml').join('\n')).toMatch(/npm ci\nnpm start .*[\s\S]*npm ci && npm test/)
  for (const { strategy } of jobs) expect(strategy?.matrix['runner']).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm'])
})

test('fresh seeds are played every hour on both engines, the campaign every night, and a failure opens an issue', () => {
  const { hourly, nightly } = jobsOf('proof.yml')
  const { on, permissions } = parse(read('proof.yml')) as { on: { schedule: { cron: string }[] }; permissions: object }

  expect(on.schedule.map(({ cron }) => cron.split(' ').filter((part) => part === '*').length)).toEqual([4, 3])
  expect(permissions).toMatchObject({ issues: 'write' })
  expect(hourly?.strategy?.matrix['include']).toMatchObject([
    { what: 'simulator', engine: 'sqlite' },
    { what: 'simulator', engine: 'postgres' },
    { what: 'simulator', engine: 'both' },
    { what: 'world' },
  ])
  for (const job of [hourly, nightly]) expect(job?.steps?.at(-1)?.run).toMatch(/npm run prove -- .*--issue/)
})

test('a release is tested first; packages and image have provenance, a bill of materials and signatures', () => {
  const { ci, ...others } = jobsOf('release.yml')
  const scripts = scriptsOf('release.yml').join('\n')
  const image = stepsOf('release.yml').find(({ uses }) => uses?.startsWith('docker/build-push-action@'))

  expect(ci?.uses).toBe('./.github/workflows/ci.yml')
  for (const job of Object.values(others))
    expect(job).toMatchObject({ needs: 'ci', permissions: { 'id-token': 'write', attestations: 'write' } })
  expect(scripts).toMatch(/npm publish .*--provenance/)
  expect(scripts).toMatch(/sha256sum .*> SHA256SUMS\ncosign sign-blob/)
  expect(image?.with).toMatchObject({ platforms: 'linux/amd64,linux/arm64', sbom: true, provenance: 'mode=max' })
})
