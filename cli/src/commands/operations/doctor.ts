import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { openAdmin, type AdminClient } from '../../admin/admin-client.ts'
import { fileTrouble } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { counted, print } from '../../terminal/output.ts'
import type { GlobalOptions } from '../../admin/with-admin.ts'

type Finding = AdminAnswer<'runDoctor'>['checks'][number]

const marks = { ok: '✓', warning: '!', error: '✗' } as const

/** `vitae doctor` */
export function doctorCommand(program: Command): void {
  const doctor = program
    .command('doctor')
    .description('find problems and show how to fix them; exit code 1 only for errors, not for warnings')
    .action(async (_options: object, command: Command) => {
      const { json, url } = command.optsWithGlobals<GlobalOptions>()
      const checks = await findings(url)
      const count = (state: Finding['state']) => checks.filter((check) => check.state === state).length
      const [errors, warnings] = [count('error'), count('warning')]
      print(json, { ok: errors === 0, errors, warnings, checks }, () => shown(checks, errors, warnings))
      if (errors > 0) process.exitCode = 1
    })
  examples(doctor, 'vitae doctor', 'vitae doctor --json')
}

/** Collects the findings. A service that cannot be opened is itself a finding. */
async function findings(url: string | undefined): Promise<Finding[]> {
  let admin: AdminClient | null = null
  try {
    admin = await openAdmin({ url })
    const { checks } = await admin.ask('GET /doctor')
    return [whereFrom(admin), ...checks]
  } catch (error) {
    return [...(admin?.url ? [whereFrom(admin)] : []), ...unopened(error)]
  } finally {
    await admin?.close()
  }
}

function whereFrom({ url }: AdminClient): Finding {
  const detail = url ? `It answers at ${url}` : 'No service runs on this data folder: the store was read directly'
  return { name: 'service', state: 'ok', detail, mend: null }
}

const followLine = 'Follow that line, then run "vitae doctor" again.'

function unopened(error: unknown): Finding[] {
  if (!(error instanceof Error)) throw error
  const detail = fileTrouble(error)
  if (detail !== null) return [{ name: 'data folder', state: 'error', detail, mend: followLine }]
  const fixes: Record<string, [name: string, fix: string]> = {
    ConfigError: ['configuration', 'Correct the variable. .env.example lists all of them.'],
    StartError: ['data folder', followLine],
  }
  const [name, mend] = fixes[error.name] ?? ['service', 'See that it runs, and that this machine may reach it.']
  return error.message.split('\n').map((detail) => ({ name, state: 'error', detail, mend }))
}

function shown(checks: readonly Finding[], errors: number, warnings: number): string {
  const width = Math.max(...checks.map((check) => check.name.length))
  const lines = checks.flatMap(({ name, state, detail, mend, hint }) => [
    `${marks[state]} ${name.padEnd(width)}  ${detail}`,
    ...(mend && state !== 'ok' ? [`  ${''.padEnd(width)}  → ${mend}${hint ? ` (${hint})` : ''}`] : []),
  ])
  const verdict =
    errors + warnings === 0 ? 'All is well.' : `${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`
  return [...lines, '', verdict].join('\n')
}
