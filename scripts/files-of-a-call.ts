/**
 * Lists the files of the service that run for a store answer and for a fetch, on all threads: `npm run call-files [--
 * --list]`. V8 counts them on the embedded engine, from the sources, in a warm service.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startFakeProvider } from '../service/fake-provider/start-fake-provider.ts'

const source = join(import.meta.dirname, '../service/src')
const folder = mkdtempSync(join(tmpdir(), 'vitae-call-files-'))
const provider = await startFakeProvider({ provider: 'enrichlayer', key: 'secret' })
const program = `import(${JSON.stringify(join(source, 'main.ts'))}).then(({ serve }) => serve({ demo: true }))`
const service = spawn(
  process.execPath,
  ['--import', join(import.meta.dirname, 'reliability/count-executed.ts'), '-e', program],
  {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'error',
      COUNT_FOLDER: folder,
      VITAE_DATA_DIR: join(folder, 'data'),
      VITAE_UPSTREAM: 'enrichlayer',
      VITAE_ENRICHLAYER_URL: provider.url,
      VITAE_ENRICHLAYER_KEY: 'secret',
    },
  },
)

try {
  const { url, key } = await ready()
  const call = (id: string) => fetch(`${url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: key } })
  for (const id of ['warm-one', 'warm-one', 'warm-two', 'warm-two']) await (await call(id)).arrayBuffer()
  await ranSince('warm')
  const miss = await filesOf('miss', call)
  const hit = await filesOf('hit', call)
  const all = globSync('**/*.ts', { cwd: source }).map((file) => readFileSync(join(source, file), 'utf8'))
  const lines = all.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  console.log(`service/src: ${all.length} files, ${lines} lines`)
  for (const [name, files] of Object.entries({ hit, miss })) {
    console.log(`${name}: ${files.length} files in ${new Set(files.map((file) => dirname(file))).size} folders`)
    if (process.argv.includes('--list')) console.log(files.map((file) => `  ${file}`).join('\n'))
  }
} finally {
  service.kill()
  await once(service, 'exit')
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
}

/** The URL and the live key that a demo prints. */
async function ready(): Promise<{ url: string; key: string }> {
  let text = ''
  for await (const part of service.stdout?.setEncoding('utf8') ?? []) {
    text += String(part)
    const [url, key] = [/http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0], /vt_live_\w+/.exec(text)?.[0]]
    if (url && key) return { url, key }
  }
  throw new Error(`the service did not start: ${text}`)
}

/** The files that ran for all of three calls, which excludes background work. */
async function filesOf(name: string, call: (id: string) => Promise<Response>): Promise<string[]> {
  const ran: string[][] = []
  for (const id of ['ada-example', 'bea-example', 'cyd-example']) {
    const answer = await call(id)
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`)
    ran.push(await ranSince(`${name}-${id}`))
  }
  return ran[0]?.filter((file) => ran.every((files) => files.includes(file))) ?? []
}

async function ranSince(name: string): Promise<string[]> {
  service.send(name)
  const files = () => globSync(`${name}.*.json`, { cwd: folder })
  while (files().length < 2) await new Promise((done) => setTimeout(done, 100))
  const urls = files().flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as string[])
  const ours = urls.filter((url) => url.startsWith('file:')).map((url) => relative(source, fileURLToPath(url)))
  return [...new Set(ours)].filter((file) => !file.startsWith('..')).sort()
}
