import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { program } from './vitae.ts'

const nobody = 65_534
const isRoot = process.getuid?.() === 0
let folder = ''
/** A store created by root, and a folder of the service's user. */
let rootsData = ''
let home = ''

function vitae(args: readonly string[], dataDir: string, user: { uid?: number; gid?: number } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', VITAE_DATA_DIR: dataDir, HOME: folder },
    cwd: folder,
    encoding: 'utf8',
    input: '',
    ...user,
  })
  return { status, stdout, stderr }
}

/** A folder that belongs to the service's user. */
function folderOfNobody(name: string): string {
  const path = join(home, name)
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, nobody, nobody)
  return path
}

const owners = (path: string) => new Set(readdirSync(path).map((name) => statSync(join(path, name)).uid))
const makeKey = ['keys', 'create', '--project', 'acme', '--environment', 'production', '--mode', 'live']

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitae-files-'))
  chmodSync(folder, 0o755)
  rootsData = join(folder, 'data')
  home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(folder, 'locked'), 'x\n', { mode: 0o600 })
  writeFileSync(join(folder, 'leads.csv'), 'id\nada\n')
  if (isRoot) chownSync(home, nobody, nobody)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!isRoot)('files that root creates', () => {
  test('in a folder of the service user can be opened by that user: a key, a token, a restored store', () => {
    const [kept, restored] = [folderOfNobody('kept'), folderOfNobody('restored')]
    const backup = join(folder, 'backup.db')

    expect(vitae(makeKey, kept)).toMatchObject({ status: 0, stderr: '' })
    expect(vitae(['backup', backup], kept)).toMatchObject({ status: 0 })
    expect(vitae(['restore', backup], restored)).toMatchObject({ status: 0 })

    expect(readdirSync(restored)).toContain('vitae.db')
    expect([owners(kept), owners(restored)]).toEqual([new Set([nobody]), new Set([nobody])])
  })

  test("in root's own folder come with one line that says what to chown", () => {
    const { status, stderr } = vitae(makeKey, rootsData)

    expect(status).toBe(0)
    expect(stderr).toMatch(
      new RegExp(`^vitae: the files in ${rootsData} belong to root\\..*chown -R USER: ${rootsData}\\n$`),
    )
    expect(vitae(['keys', 'list'], rootsData).stderr).toBe('')
  })
})

/** Expects one line on standard error, and a failing exit code. */
function expectOneLine({ status, stderr }: ReturnType<typeof vitae>): void {
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).not.toMatch(/Internal error|node:internal/)
  expect([1, 2]).toContain(status)
}

const enrich = ['--column', 'id', '--key', 'k', '--url', 'http://127.0.0.1:1', '--yes']

test('a folder in place of a file is reported in one line', () => {
  const data = join(folder, 'wrong')
  mkdirSync(data)

  for (const args of [
    ['records', 'import', '.', '--from', 'directory'],
    ['backup', join('leads.csv', 'x.db')],
    ['enrich', 'people', 'leads.csv', '--out', '.', ...enrich],
  ])
    expectOneLine(vitae(args, data))
  for (const args of [
    ['restore', '.'],
    ['restore', '--suppressions', '.'],
  ])
    expectOneLine(vitae(args, join(folder, 'nothing-yet')))
})

/** Whether the service user can read this checkout at all. */
const canBeNobody = isRoot && spawnSync('test', ['-r', program], { uid: nobody, gid: nobody }).status === 0
if (!canBeNobody) console.warn('NOT RUN: commands as another user, which need root and a checkout that others can read')

test.skipIf(!canBeNobody)('a file that the user may not open is reported in one line, by every command', () => {
  const as = { uid: nobody, gid: nobody }
  const locked = join(folder, 'locked')
  const own = folderOfNobody('own')
  const halfOwned = folderOfNobody('half-owned')
  expect(vitae(makeKey, halfOwned).status).toBe(0)
  chownSync(join(halfOwned, 'secret-key'), 0, 0)

  for (const args of [
    ['records', 'import', locked, '--from', 'directory'],
    ['backup', join(folder, 'refused.db')],
    ['enrich', 'people', 'leads.csv', '--out', join(folder, 'out.csv'), ...enrich],
  ])
    expectOneLine(vitae(args, own, as))
  expectOneLine(vitae(['restore', locked], join(home, 'empty'), as))
  for (const args of [['keys', 'list'], ['serve']]) expectOneLine(vitae(args, halfOwned, as))
  expectOneLine(vitae(['keys', 'list'], join(folder, 'made'), as))
})
