import { Option, type Command } from 'commander'
import type { AdminRoute, AnswerTo } from './admin-client.ts'
import { examples } from './examples.ts'
import { wholeNumber } from './numbers.ts'
import { confirm } from './terminal/confirm.ts'
import { card, print, table, type Row } from './terminal/output.ts'
import { withAdmin } from './with-admin.ts'

/** A command that sends one request of the admin API and shows its answer. */
export interface PlainCommand<Route extends AdminRoute> {
  /** As commander writes it. Its arguments fill the path of the route, in their order. */
  command: string
  description: string
  route: Route
  /** Sent as the query of a GET or DELETE, else as the body, by their names in snake case. */
  options?: readonly Option[]
  /** The question before something is destroyed. */
  confirm?: (id: string) => string
  /** The list of the answer that a table shows; `whole` prints all of the answer as JSON, and not the list alone. */
  list?: { of: keyof AnswerTo<Route> & string; columns: readonly string[]; empty: string; whole?: true }
  /** The answer in words, where it is no table and no card. */
  text?: (answer: AnswerTo<Route>) => string
  examples: readonly string[]
}

/** Adds a plain command to its group. */
export function plainCommand<Route extends AdminRoute>(group: Command, row: PlainCommand<Route>): void {
  const { route, options = [], list } = row
  const command = group.command(row.command).description(row.description)
  for (const option of options) command.addOption(option)
  command.action(
    withAdmin<Record<string, unknown>, string[]>(async ({ admin, options: given, json }, ...params) => {
      if (row.confirm) await confirm(given, row.confirm(params[0] ?? ''))
      const sent = Object.fromEntries(
        options
          .map((option) => [option.name().replaceAll('-', '_'), given[option.attributeName()]] as const)
          .filter(([, value]) => value !== undefined && value !== ''),
      )
      const isQuery = /^(GET|DELETE) /.test(route)
      const values = isQuery ? { query: sent as Record<string, string> } : options.length > 0 ? { body: sent } : {}
      const answer = await admin.ask(route, { params, ...values })
      const rows = list ? (answer[list.of] as Row[]) : []
      print(json, list && !list.whole ? rows : answer, () =>
        list ? table(rows, list.columns, list.empty) : (row.text?.(answer) ?? card(answer as object)),
      )
    }),
  )
  examples(command, ...row.examples)
}

/** How many rows a page has. */
export function limitOption(usual: number): Option {
  return new Option('--limit <n>', 'how many').argParser(wholeNumber).default(usual)
}

/** Where a page begins. */
export function cursorOption(): Option {
  return new Option('--cursor <cursor>', 'from where the last page ended')
}

/** Why something is done. */
export function reasonOption(): Option {
  return new Option('--reason <text>', 'why, for the audit log')
}
