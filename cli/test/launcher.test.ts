import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Folder } from './enrich/enrich-fixture.ts'
import { program } from './vitae.ts'

// Reports that it was loaded; in the first process it makes the launcher consider its Node too old.
const preload = (version: string) => `
if (process.env.VITAE_TEST_RELAUNCHED) console.error('loaded again by ' + process.version)
else Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })
process.env.VITAE_TEST_RELAUNCHED = '1'`

const tooOld = ['20.0.0', '24.5.9']

test.each(tooOld)(
  'flags of Node %s and NODE_OPTIONS reach the pinned Node, such as --import for tracing',
  async (version) => {
    const sdk = new Folder().write('sdk.mjs', preload(version))
    const { NODE_OPTIONS: _, ...env } = process.env
    const run = (flags: string[], more: Record<string, string>) =>
      promisify(execFile)(process.execPath, [...flags, program, '--version'], { env: { ...env, ...more } })

    const byFlag = await run(['--import', sdk], {})
    const byVariable = await run([], { NODE_OPTIONS: `--import ${sdk}` })

    for (const { stderr } of [byFlag, byVariable]) expect(stderr).toBe(`loaded again by ${process.version}\n`)
  },
)

test('--env-file is an option of vitae, not of the Node that its first line starts', async () => {
  const folder = new Folder()
  const file = folder.write('some.env', 'PORT=9003\n')
  const run = (path: string) =>
    promisify(execFile)(program, ['--env-file', path, 'config', 'check', '--json'], { cwd: folder.path })

  const { stdout } = await run(file)
  const missing = run(folder.at('no.env'))

  expect(JSON.parse(stdout)).toMatchObject({ env_file: file, variables: [{ name: 'PORT', source: file }] })
  await expect(missing).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('no.env cannot be read') })
})
