import type { Project } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { environmentOptions, names, option, reasonOption } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { card, table, type Row } from '../../terminal/output.ts'

const states = [
  ['suspend', { suspended: true }, 'refuse every call of a project with 403'],
  ['resume', { suspended: false }, 'let a suspended project call again'],
  ['block-billing', { billing_blocked: true }, 'refuse every call of a project until its billing is settled'],
  ['unblock-billing', { billing_blocked: false }, 'let a project call again after its billing was settled'],
] as const

const columns = ['project', 'environment', 'available', 'held', 'keys', 'providers', 'state']
const none = 'There are no projects yet. "vitae projects create NAME" makes one.'

/** `vitae projects ...` */
export function projectCommands(program: Command): void {
  const projects = program.command('projects').description('projects and their environments')

  plainCommand(projects, {
    command: 'create <name>',
    description: 'make a project',
    route: 'POST /projects',
    options: [option('--environment <names...>', 'environments to create in it', { usual: ['production'] })],
    named: { environment: 'environments' },
    text: describe,
    examples: ['vitae projects create acme --environment production staging'],
  })
  plainCommand(projects, {
    command: 'list',
    description: 'list projects with their balances',
    route: 'GET /projects',
    list: { of: 'projects', columns, rows: environmentsOf, empty: none },
    examples: ['vitae projects list --json'],
  })
  plainCommand(projects, {
    command: 'show <name>',
    description: 'show a project',
    route: 'GET /projects/:project',
    text: overview,
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
  plainCommand(projects, {
    command: 'route',
    description: 'limit an environment to some providers, in the order in which they are asked',
    route: 'POST /projects/:project/route',
    options: [
      ...environmentOptions('its environment'),
      option(
        '--providers <names|all>',
        'names from VITAE_UPSTREAM with commas between them; all takes the limit away',
        {
          required: true,
          read: (text) => (text === 'all' ? text : names(text)),
        },
      ),
      reasonOption(),
    ],
    text: overview,
    examples: [
      'vitae projects route --project acme --environment production --providers harvestapi,mirror',
      'vitae projects route --project acme --environment production --providers all',
    ],
  })
  for (const [verb, body, description] of states)
    plainCommand(projects, {
      command: `${verb} <name>`,
      description,
      route: 'PATCH /projects/:project',
      options: [reasonOption()],
      body,
      text: describe,
      examples: [`vitae projects ${verb} acme --reason "invoice 17"`],
    })
}

function describe({ environments, ...project }: Project): string {
  return card({ ...project, environments: environments.map((environment) => environment.name) })
}

function overview(project: Project): string {
  return table(environmentsOf(project), columns, none)
}

function environmentsOf(project: Project): Row[] {
  return project.environments.map(({ name, available, held, keys, providers }) => ({
    project: project.name,
    environment: name,
    available,
    held,
    keys,
    providers: providers?.join(', ') ?? 'all',
    state: project.suspended ? 'suspended' : project.billing_blocked ? 'billing blocked' : 'active',
  }))
}
