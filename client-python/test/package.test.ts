import { spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generatePythonFiles } from '../../scripts/generate-python-types.ts'
import { findPython, pythonEnv } from './python.ts'

const folder = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

function run(python: string, args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(python, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...pythonEnv, ...env },
  })
  return { status, stdout, stderr }
}

test.each(Object.entries(generatePythonFiles()))('%s matches the contract', (name, text) => {
  // To fix: npm run generate
  expect(read(`src/vitae_client/${name}`)).toBe(text)
})

test("the package has the version of all others, in Python's notation", () => {
  const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { version: string }
  const own = version.replace('-rc.', 'rc')

  expect(read('pyproject.toml')).toContain(`\nversion = "${own}"\n`)
  expect(read('src/vitae_client/_version.py')).toContain(`VERSION = "${own}"`)
})

const mypy = findPython('httpx', 'mypy')
if (mypy === null) console.warn('!! mypy is missing: the types of the Python client are SKIPPED.')
test.skipIf(mypy === null)('the package passes mypy strict', () => {
  const cache = mkdtempSync(join(tmpdir(), 'vitae-mypy-'))
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }))

  expect(run(mypy ?? '', ['-m', 'mypy', '--cache-dir', cache])).toMatchObject({ status: 0 })
})

const setuptools = findPython('setuptools', 'wheel')
if (setuptools === null) console.warn('!! setuptools is missing: the build of the Python client is SKIPPED.')
test.skipIf(setuptools === null)('a wheel and an sdist are built with setuptools alone, types included', () => {
  const copy = mkdtempSync(join(tmpdir(), 'vitae-wheel-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true, filter: (path) => path !== join(folder, 'test') })

  const program = `import os; os.chdir(${JSON.stringify(copy)})
from setuptools import build_meta
print(build_meta.build_wheel('dist')); print(build_meta.build_sdist('dist'))
import zipfile, glob
print(sorted(zipfile.ZipFile(glob.glob('dist/*.whl')[0]).namelist()))`
  const built = run(setuptools ?? '', ['-c', program], { PYTHONPATH: '' })

  expect(built).toMatchObject({ status: 0 })
  expect(readdirSync(join(copy, 'dist')).map((name) => name.replace(/-[\d.rc]+/, ''))).toEqual(
    expect.arrayContaining(['vitae_client-py3-none-any.whl']),
  )
  expect(built.stdout).toContain("'vitae_client/py.typed'")
})

const python = findPython('httpx')
describe.skipIf(python === null)('a webhook', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const body = JSON.stringify({ id: 'evt-1', type: 'credits.low', data: {} })
  const program = `import json, sys
from vitae_client import verify_webhook, WebhookVerificationError
for headers, body, secret in json.loads(sys.argv[1]):
    try: print(verify_webhook(headers, body, secret)['id'])
    except WebhookVerificationError as error: print('refused:', error)`
  const verify = (...events: [headers: Record<string, string>, text?: string, key?: string][]) => {
    const all = events.map(([headers, text = body, key = secret]) => [headers, text, key])
    return run(python ?? '', ['-c', program, JSON.stringify(all)])
      .stdout.trim()
      .split('\n')
  }

  function signed(at = Date.now()): Record<string, string> {
    const timestamp = String(Math.floor(at / 1_000))
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`msg-1.${timestamp}.${body}`).digest('base64')
    return { 'Webhook-Id': 'msg-1', 'Webhook-Timestamp': timestamp, 'Webhook-Signature': `v1,other v1,${signature}` }
  }

  test('that the service signed is accepted, any other is refused', () => {
    const said = verify(
      [signed()],
      [signed(), `${body} `],
      [signed(), body, `whsec_${randomBytes(24).toString('base64')}`],
      [signed(Date.now() - 301_000)],
      [{ ...signed(), 'Webhook-Signature': '' }],
    )

    expect(said).toEqual([
      'evt-1',
      expect.stringContaining('refused: no signature'),
      expect.stringContaining('refused: no signature'),
      expect.stringContaining('refused: webhook-timestamp'),
      expect.stringContaining('refused: webhook-signature is missing'),
    ])
  })
})
