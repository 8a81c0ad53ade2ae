import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { ProviderModule, Send } from '@vitae/provider'
import type { Finding, Payload } from '@vitae/provider/conformance'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { print } from '../../terminal/output.ts'
import { fileEnding } from './provider-files.ts'
import type { GlobalOptions } from '../../admin/with-admin.ts'

const kinds = ['people', 'companies'] as const
const liveTimeoutMs = 60_000

/** `vitae providers test`: needs no store and no service, and a key only for a live call. */
export function testProviderCommand(providers: Command): void {
  const command = providers
    .command('test')
    .description(
      'test the file or module of a provider against its agreement with the service; exit code 1 with findings',
    )
    .argument('<provider>', 'a provider file, the path of a module, or a package that is installed here')
    .requiredOption('--payloads <folder>', 'answers of the provider: people/*.json and companies/*.json in it')
    .option('--live <id>', 'also ask for this person, with VITAE_<NAME>_KEY; this may cost')
    .action(async (specifier: string, options: { payloads: string; live?: string }, command: Command) => {
      const { json } = command.optsWithGlobals<GlobalOptions>()
      const module = await load(specifier)
      const payloads = readPayloads(options.payloads)
      const { testProvider } = await import('@vitae/provider/conformance')
      const { live } = options
      const result = await testProvider(module, payloads, live === undefined ? undefined : () => askLive(module, live))
      const findings = [...result.findings, ...(await unusedIn(specifier, payloads))]
      const ok = findings.length === 0
      const { mapped, refused, mutations } = result
      print(json, { ok, provider: module.name, mapped, refused, mutations, findings }, () =>
        [
          ...findings.map(({ where, what }) => `✗ ${where}: ${what}`),
          `${module.name}: ${mapped} payloads mapped, ${refused} refused, ${mutations} changed ones tried, ${findings.length} findings`,
        ].join('\n'),
      )
      if (!ok) process.exitCode = 1
    })
  examples(
    command,
    'vitae providers test ./acme.provider.yaml --payloads ./payloads',
    'vitae providers test ./acme.ts --payloads ./payloads',
    'vitae providers test @team/vitae-acme --payloads ./payloads --live ada-example --json',
  )
}

/** The paths of a provider file that occur in no payload. */
async function unusedIn(specifier: string, payloads: readonly Payload[]): Promise<Finding[]> {
  if (!specifier.endsWith(fileEnding)) return []
  const { unusedPaths } = await import('@vitae/provider/files')
  const unused = unusedPaths(specifier, readFileSync(specifier, 'utf8'), payloads)
  return unused.map((path) => ({ where: 'mapping', what: `no payload has the path ${path}` }))
}

async function load(specifier: string): Promise<ProviderModule> {
  const { loadProviderModule } = await import('@vitae/service/provider-modules')
  return loadProviderModule(specifier).catch((error: unknown) => {
    throw new CommandError(`✗ ${specifier}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  })
}

function readPayloads(folder: string): Payload[] {
  const payloads = kinds.flatMap((kind) =>
    filesIn(join(folder, kind)).map((name) => ({
      name: `${kind}/${name}`,
      kind,
      body: readFileSync(join(folder, kind, name)),
    })),
  )
  if (payloads.length === 0)
    throw new CommandError(`There are no payloads in ${folder}: give it people/*.json and companies/*.json`, {
      exitCode: 2,
    })
  return payloads
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
  } catch {
    return []
  }
}

/** Makes one real call, without the service's retries and circuit breaker. */
async function askLive(module: ProviderModule, id: string): Promise<Finding[]> {
  const prefix = `VITAE_${module.name.toUpperCase()}`
  const key = process.env[`${prefix}_KEY`]
  if (!key) throw new CommandError(`--live needs ${prefix}_KEY`, { exitCode: 2 })
  const { asProvider, gated } = await import('@vitae/provider')
  const { projectionFaults } = await import('@vitae/provider/conformance')
  const identifier = { kind: 'people', type: 'slug', value: id } as const
  const { signal } = new AbortController()
  try {
    const settings = { url: process.env[`${prefix}_URL`] ?? module.defaultUrl, key }
    const provider = gated(
      asProvider(module.name, () => module.create(settings)),
      { totalMs: liveTimeoutMs },
    )
    const ask = { identifier, fresh: false, maxAgeDays: 7, idempotencyKey: crypto.randomUUID(), signal }
    const { outcome, answer } = await provider.ask(ask, send)
    if (outcome === 'not_found') return [{ where: 'live', what: `${id} is not found: name someone the provider knows` }]
    const projection = provider.project('people', answer.body)
    return projectionFaults('people', projection, provider.supplies).map((what) => ({ where: 'live', what }))
  } catch (error) {
    return [{ where: 'live', what: error instanceof Error ? error.message : String(error) }]
  }
}

const send: Send = async ({ url, method, headers, body }, signal) => {
  const response = await fetch(url, {
    method,
    headers,
    signal,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes, receivedAt: Date.now() }
}
