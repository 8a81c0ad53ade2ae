import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { ChildService, serveDemo } from '../../../service/test/harness/child-service.ts'
import { root, runScript, writePrograms } from './guide-text.ts'

/** A reader of the guides: a fresh checkout, the demo service, and values for "..." in the pages. */
export interface Reader {
  folder: string
  data: string
  url: string
  testKey: string
  /** Runs commands of a page unchanged, in the checkout. */
  run(script: string): Promise<string>
  close(): Promise<void>
}

/** Opens a reader in a new folder. Commands there do not change this checkout. */
export async function openReader(): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-guides-'))
  copyCheckout(folder)
  const data = join(folder, 'data')
  const service = new ChildService(serveDemo, { VITAE_DATA_DIR: data })
  const url = await service.url
  mkdirSync(join(folder, 'backup'))
  const keys = JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as Record<string, string>
  const { test_key: testKey = '', live_key: liveKey = '' } = keys
  const env = {
    PATH: machinePath(folder),
    HOME: folder,
    CURL_HOME: folder,
    LOG_LEVEL: 'silent',
    URL: url,
    KEY: testKey,
  }
  // Uses the pinned Node directly, because finding it takes as long as a command. launcher.test.ts tests that.
  const vitae = `alias vitae="${process.execPath} $PWD/node_modules/.bin/vitae"`
  const run = (script: string) => runScript(`shopt -s expand_aliases; ${vitae}\n${script}`, { cwd: folder, env })
  await run(`curl -H 'ApiKey: ${liveKey}' '${url}/v1/people/profile?profile_id=tobias-lindqvist'`)
  const made = async (command: string) => (JSON.parse(await run(`vitae ${command} --json`)) as { id: string }).id
  const written: [text: string, here: string][] = [
    ['http://127.0.0.1:8080', url],
    ['vt_test_...', testKey],
    ['key_...', await made('keys create --project acme --environment production --mode live')],
    ['tok_4a1f...', await made('tokens create --role viewer --label guides')],
    ['/mnt/backup', join(folder, 'backup')],
    ['/var/lib/vitae', join(folder, 'restored')],
    ['/root/vitae-secret-key', join(data, 'secret-key')],
  ]
  return {
    ...{ folder, data, url, testKey },
    run: (script) => run(written.reduce((text, [placeholder, here]) => text.replaceAll(placeholder, here), script)),
    async close() {
      await service.stop('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Copies the tracked and staged files, with the dependencies of this checkout. */
function copyCheckout(folder: string): void {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of list.trim().split('\n')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file), { force: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** The machine's own programs and Node, as a reader has them, not those that npm put first for this run. */
function machinePath(folder: string): string {
  const own = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  return [writePrograms(folder), ...own].join(delimiter)
}
