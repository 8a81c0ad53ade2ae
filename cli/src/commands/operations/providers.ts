import type { Provider } from '@vitae/contract/admin'
import { buffer } from 'node:stream/consumers'
import { Argument, type Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { reasonOption } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { type Row, card, outline, print } from '../../terminal/output.ts'
import { checkFile, confirmCommand, fileEnding, newFileCommand } from './provider-files.ts'
import { testProviderCommand } from './test-provider.ts'
import { scorecardCommand } from './scorecard.ts'
import { withAdmin, type GlobalOptions } from '../../admin/with-admin.ts'

const kinds = { person: 'people', company: 'companies' } as const

/** `vitae providers ...` */
export function providerCommands(program: Command): void {
  const providers = program.command('providers').description('where records come from')

  plainCommand(providers, {
    command: 'list',
    description: 'list providers: configuration, what they supply, state, budget',
    route: 'GET /providers',
    list: {
      of: 'providers',
      columns: 'name configured in_chain people companies breaker paused this_month last_fault'.split(' '),
      rows: row,
      empty: '',
      whole: true,
    },
    examples: ['vitae providers list', 'vitae providers list --json'],
  })
  const check = providers
    .command('check <name>')
    .description('ask a provider one cheap question, or check a provider file; exit code 1 when it cannot be used')
    .action(async (name: string, ...rest: [object, Command]) => {
      if (name.endsWith(fileEnding)) return checkFile(name, rest[1].optsWithGlobals<GlobalOptions>().json)
      return askOne(name, ...rest)
    })
  const askOne = withAdmin<object, [string]>(async ({ admin, json }, name) => {
    const result = await admin.ask('POST /providers/:name/check', { params: [name] })
    print(json, result, () => card(result))
    if (!result.ok) throw new CommandError(`${name} cannot be used: ${result.verdict}. ${result.detail}`)
  })
  examples(check, 'vitae providers check coresignal', 'vitae providers check ./acmedata.provider.yaml')
  for (const [verb, description] of [
    ['pause', 'stop asking a provider; stored records are still served'],
    ['resume', 'ask a paused provider again'],
  ] as const)
    plainCommand(providers, {
      command: `${verb} <name>`,
      description,
      route: `POST /providers/:name/${verb}`,
      options: [reasonOption()],
      text: (provider) => card(row(provider)),
      examples: [`vitae providers ${verb} coresignal --reason "contract under review"`],
    })
  scorecardCommand(providers)
  projectCommand(providers)
  testProviderCommand(providers)
  newFileCommand(providers)
  confirmCommand(providers)
}

function row(provider: Provider): Row {
  const { name, configured, in_chain: inChain, supplies, breaker, paused, budget, last_fault: fault } = provider
  return {
    name,
    configured,
    in_chain: inChain,
    people: `${supplies.people.length} fields`,
    companies: `${supplies.companies.length} fields`,
    breaker,
    paused,
    this_month: budget.limit === null ? String(budget.calls) : `${budget.calls} of ${budget.limit}`,
    last_fault: fault && `${fault.kind} ${fault.at}`,
  }
}

/** Maps a payload with the provider's own projector. It needs no key, store or service. */
function projectCommand(providers: Command): void {
  const command = providers
    .command('project')
    .description('print the record that a payload on standard input becomes; exit code 1 when it cannot be mapped')
    .argument('<name>', 'the provider')
    .addArgument(new Argument('<kind>', 'what the payload is about').choices(['person', 'company']))
    .action(async (name: string, kind: keyof typeof kinds, _options: object, command: Command) => {
      const { json } = command.optsWithGlobals<GlobalOptions>()
      const { findProjector, projectPayload, providerNames } = await import('@vitae/service/projectors')
      const { loadProviderModules } = await import('@vitae/service/provider-modules')
      await loadProviderModules()
      const projector = findProjector(name)
      if (!projector)
        throw new CommandError(`There is no provider ${name}; there are ${providerNames().join(', ')}.`, {
          exitCode: 2,
        })
      const result = projectPayload(projector, kinds[kind], await buffer(process.stdin))
      if ('reason' in result) throw new CommandError(`This payload cannot be mapped: ${result.reason}`)
      const { record } = result.projection
      print(json, record, () => outline(record))
    })
  examples(command, 'vitae providers project coresignal person < payload.json')
}
