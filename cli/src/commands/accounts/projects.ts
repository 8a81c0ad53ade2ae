import type { Project } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { plainCommand, reasonOption } from '../../plain-command.ts'
import { card, print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

const states = [
  ['suspend', { suspended: true }, 'refuse every call of a project with 403'],
  ['resume', { suspended: false }, 'let a suspended project call again'],
  ['block-billing', { billing_blocked: true }, 'refuse every call of a project until its billing is settled'],
  ['unblock-billing', { billing_blocked: false }, 'let a project call again after its billing was settled'],
] as const

/** `vitae projects ...` */
export function projectCommands(program: Command): void {
  const projects = program.command('projects').description('projects and their environments')

  projects
    .command('create <name>')
    .description('make a project')
    .option('--environment <names...>', 'environments to make with it', ['production'])
    .addHelpText('after', '\nExamples:\n  $ vitae projects create acme --environment production staging')
    .action(
      withAdmin<{ environment: string[] }, [string]>(async ({ admin, options, json }, name) => {
        const made = await admin.ask('POST /projects', { body: { name, environments: options.environment } })
        print(json, made, () => describe(made))
      }),
    )
  projects
    .command('list')
    .description('list projects with their balances')
    .addHelpText('after', '\nExamples:\n  $ vitae projects list --json')
    .action(
      withAdmin(async ({ admin, json }) => {
        const list = await admin.ask('GET /projects')
        print(json, list.projects, () => overview(list.projects))
      }),
    )
  plainCommand(projects, {
    command: 'show <name>',
    description: 'show a project',
    route: 'GET /projects/:project',
    text: (project) => overview([project]),
    examples: ['vitae projects show acme'],
  })
  plainCommand(projects, {
    command: 'delete <name>',
    description: 'delete an empty project: no working key, no call, no ledger entry',
    route: 'DELETE /projects/:project',
    options: [reasonOption()],
    text: ({ deleted }) => `Deleted ${deleted}.`,
    examples: ['vitae projects delete acmee --reason "a typo"'],
  })
  routeCommand(projects)
  for (const [verb, change, description] of states) {
    projects
      .command(`${verb} <name>`)
      .description(description)
      .option('--reason <text>', 'why, for the audit log')
      .addHelpText('after', `\nExamples:\n  $ vitae projects ${verb} acme --reason "invoice 17"`)
      .action(
        withAdmin<{ reason?: string }, [string]>(async ({ admin, options, json }, name) => {
          const body = { ...change, ...(options.reason ? { reason: options.reason } : {}) }
          const project = await admin.ask('PATCH /projects/:project', { params: [name], body })
          print(json, project, () => describe(project))
        }),
      )
  }
}

function routeCommand(projects: Command): void {
  projects
    .command('route')
    .description('limit an environment to some providers, in the order in which they are asked')
    .requiredOption('--project <name>', 'the project')
    .requiredOption('--environment <name>', 'its environment')
    .requiredOption(
      '--providers <names|all>',
      'names from VITAE_UPSTREAM with commas between them; all takes the limit away',
    )
    .option('--reason <text>', 'why, for the audit log')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae projects route --project acme --environment production --providers harvestapi,mirror\n  $ vitae projects route --project acme --environment production --providers all',
    )
    .action(
      withAdmin<{ project: string; environment: string; providers: string; reason?: string }, []>(
        async ({ admin, options, json }) => {
          const { project, environment, reason } = options
          const names = options.providers.split(',').map((name) => name.trim())
          const body = {
            environment,
            providers: options.providers === 'all' ? null : names,
            ...(reason ? { reason } : {}),
          }
          const changed = await admin.ask('POST /projects/:project/route', { params: [project], body })
          print(json, changed, () => overview([changed]))
        },
      ),
    )
}

function describe({ environments, ...project }: Project): string {
  return card({ ...project, environments: environments.map((environment) => environment.name) })
}

function overview(projects: readonly Project[]): string {
  const rows = projects.flatMap((project) =>
    project.environments.map((environment) => ({
      project: project.name,
      environment: environment.name,
      available: environment.available,
      held: environment.held,
      keys: environment.keys,
      providers: environment.providers?.join(', ') ?? 'all',
      state: project.suspended ? 'suspended' : project.billing_blocked ? 'billing blocked' : 'active',
    })),
  )
  const columns = ['project', 'environment', 'available', 'held', 'keys', 'providers', 'state']
  return table(rows, columns, 'There are no projects yet. "vitae projects create NAME" makes one.')
}
