import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { openRunning } from '../../admin/admin-client.ts'
import { examples } from '../../examples.ts'
import { card, counted, print, table } from '../../terminal/output.ts'
import type { GlobalOptions } from '../../admin/with-admin.ts'

type Shown = Omit<AdminAnswer<'readSettings'>, 'settings'> & { settings: object }

/** `vitae config check` and `vitae config show`. */
export function configCommands(program: Command): void {
  const config = program.command('config').description('the configuration of the service')
  const check = config
    .command('check')
    .description(
      'what each variable that is set means, and everything that is wrong, without starting; exit code 1 for errors',
    )
    .action(checkAction)
  examples(check, 'vitae config check', 'vitae --env-file production.env config check --json')
  const show = config
    .command('show')
    .description(
      'the values in effect and their sources, secrets masked: of the running service, or else of this environment',
    )
    .action(showAction)
  examples(show, 'vitae config show', 'vitae config show --url https://vitae.example.com --json')
}

async function checkAction(_options: object, command: Command): Promise<void> {
  const { json, url, loaded } = command.optsWithGlobals<GlobalOptions>()
  const { checkConfig } = await import('@vitae/service/config')
  await loadModules()
  const { checkMachine } = await import('@vitae/service/check-machine')
  const { values, origin, errors: wrong } = checkConfig(process.env, { envFile: loaded })
  const errors = [...wrong, ...(await checkMachine(values))]
  const finding = (level: string) => (message: string) => ({ level, name: message.split(' ')[0], message })
  const warnings = [...origin.warnings, ...(await brokenRoutes(url, values.upstream.chain))]
  const findings = [...errors.map(finding('error')), ...warnings.map(finding('warning'))]
  const ok = errors.length === 0
  const { explainSettings } = await import('@vitae/service/explain-settings')
  const explain = explainSettings()
  const set = origin.variables
    .filter(({ source }) => source !== 'default')
    .map((variable) => ({ ...variable, meaning: explain(variable.name) }))
  print(json, { ok, env_file: origin.envFile, findings, variables: set }, () =>
    [
      ...set.map(({ name, value, source, meaning }) => `${name}=${value} (${source})\n    ${meaning ?? ''}`),
      ...findings.map(({ level, message }) => `${level === 'error' ? '✗' : '!'} ${message}`),
      ok
        ? `The configuration is fine${fromFile(origin.envFile)}.`
        : `${counted(errors.length, 'error')}${fromFile(origin.envFile)}.`,
    ].join('\n'),
  )
  if (!ok) process.exitCode = 1
}

/** Environments of the running service whose route names a provider that this configuration lacks. */
async function brokenRoutes(url: string | undefined, chain: readonly string[]): Promise<string[]> {
  const admin = await openRunning({ url }).catch(() => null)
  if (!admin) return []
  const { projects } = await admin.ask('GET /projects')
  return projects.flatMap((project) =>
    project.environments.flatMap(({ name, providers = [] }) => {
      const gone = providers.filter((provider) => !chain.includes(provider))
      if (gone.length === 0) return []
      return `VITAE_UPSTREAM does not name ${gone.join(', ')}, but ${project.name}/${name} may be answered by ${providers.join(', ')} alone: see "vitae projects route"`
    }),
  )
}

async function showAction(_options: object, command: Command): Promise<void> {
  const { json, url, loaded } = command.optsWithGlobals<GlobalOptions>()
  const admin = await openRunning({ url })
  if (admin) {
    const running = await admin.ask('GET /settings')
    return show(json, { ...running, service: admin.url })
  }
  const { readConfig } = await import('@vitae/service/config')
  await loadModules()
  const { publicSettings } = await import('@vitae/service/explain-settings')
  const config = readConfig(process.env, { envFile: loaded })
  const { variables, envFile } = config.origin
  show(json, {
    version: rootOf(command).version() ?? '',
    settings: publicSettings(config),
    variables,
    service: null,
    env_file: envFile,
  })
}

async function loadModules(): Promise<void> {
  const { loadProviderModules } = await import('@vitae/service/provider-modules')
  await loadProviderModules()
}

function show(json: boolean, shown: Shown & { service: string | null; env_file?: string | null }): void {
  const rows = shown.variables.map(({ name, value, source }) => ({ name, value: value ?? '-', source }))
  print(json, shown, () => {
    const where = shown.service === null ? `Nothing runs: this environment${fromFile(shown.env_file)}` : shown.service
    return [card({ service: where, version: shown.version }), '', table(rows, ['name', 'value', 'source'], '')].join(
      '\n',
    )
  })
}

function fromFile(path: string | null | undefined): string {
  return path ? `, with ${path}` : ''
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}
