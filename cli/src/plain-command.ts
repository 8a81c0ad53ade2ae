import type { Command, Option } from 'commander'
import { addressOf, type AdminRoute, type AnswerTo, type Asked } from './admin-client.ts'
import { CommandError } from './command-error.ts'
import { examples } from './examples.ts'
import { findKind, type KindOption } from './find-kind.ts'
import { confirm } from './terminal/confirm.ts'
import { card, print, table, type Row } from './terminal/output.ts'
import { withAdmin, type Context } from './with-admin.ts'

/** A command that sends one request of the admin API and shows its answer. */
export interface PlainCommand<Route extends AdminRoute> {
  /** As commander writes it. An argument fills the path of the route or, after that is full, is sent by its name. */
  command: string
  description: string
  route: Route
  /** The route is the one of people; `--kind` or the id decides whether the one of companies is asked. */
  ofRecord?: true
  /**
   * Sent as the query of a GET or DELETE, else as the body, by their names in snake case; one that the path names goes there.
   * The word of `<n|word>` is sent as null.
   */
  options?: readonly Option[]
  /** The names of options in the API, if they differ. */
  named?: Readonly<Record<string, string>>
  /** Sent with every call. */
  body?: object
  /** The question before something is destroyed. */
  confirm?: (id: string, given: Record<string, unknown>) => string
  /** The list of the answer that a table shows; `whole` prints all of the answer as JSON, and not the list alone. */
  list?: List<AnswerTo<Route>>
  /** The part of the answer that is shown, where that is not all of it. */
  part?: (answer: AnswerTo<Route>) => object
  /** The answer in words, where it is no table and no card. */
  text?: (answer: AnswerTo<Route>) => string
  /** The reason why an answer is a failure: printed after the answer, with exit code 1. */
  failure?: (answer: AnswerTo<Route>, ...args: string[]) => string | null
  /** The answer is a file, and is printed as it came. */
  file?: true
  examples: readonly string[]
}

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never

interface List<Answer> {
  of: keyof Answer & string
  columns: readonly string[]
  empty: string | ((answer: Answer) => string)
  /** The rows of one item, where the item is not the row. */
  rows?: (item: ItemOf<Answer[keyof Answer]>) => Row | Row[]
  whole?: true
}

/** Adds a plain command to its group. */
export function plainCommand<Route extends AdminRoute>(group: Command, row: PlainCommand<Route>): Command {
  const { options = [], list } = row
  const command = group.command(row.command).description(row.description)
  for (const option of options) command.addOption(option)
  const ownUrl = options.some(({ long }) => long === '--url')
  command.action(
    withAdmin<Record<string, unknown>, (string | string[])[]>(
      async (context, ...args) => {
        const { admin, options: given, json } = context
        const words = args.flat()
        const [route, asked] = await requestOf(row, command, context, args)
        if (row.confirm) await confirm(given, row.confirm(words[0] ?? '', given))
        if (row.file) return void process.stdout.write(await admin.bytes(...addressOf(route, asked)))
        const answer = await admin.ask(route, asked)
        const shown = row.part?.(answer) ?? (answer as object)
        print(json, list && !list.whole ? answer[list.of] : shown, () =>
          list ? tableOf(list, answer) : (row.text?.(answer) ?? card(shown)),
        )
        const failure = row.failure?.(answer, ...words) ?? null
        if (failure !== null) throw new CommandError(failure)
      },
      { ownUrl },
    ),
  )
  return examples(command, ...row.examples)
}

function tableOf<Answer>({ of, columns, empty, rows }: List<Answer>, answer: Answer): string {
  const items = answer[of] as ItemOf<Answer[keyof Answer]>[]
  const shown = rows ? items.flatMap<Row>(rows) : (items as Row[])
  return table(shown, columns, typeof empty === 'string' ? empty : empty(answer))
}

/** What is asked for, of which route. */
async function requestOf<Route extends AdminRoute>(
  row: PlainCommand<Route>,
  command: Command,
  { admin, options: given }: Context<Record<string, unknown>>,
  args: readonly (string | string[])[],
): Promise<[Route, Asked]> {
  const { route, ofRecord, options = [], named = {}, body = {} } = row
  const sent = new Map<string, unknown>(Object.entries(body))
  for (const option of options) {
    const name = named[option.name()] ?? option.name().replaceAll('-', '_')
    const value = sentValue(option, given[option.attributeName()])
    if (value !== undefined && !(ofRecord && name === 'kind')) sent.set(name, value)
  }
  const left = command.registeredArguments.map((argument, index) => [argument.name(), args[index]] as const)
  const params = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const value = sent.get(name) ?? left.shift()?.[1]
    sent.delete(name)
    return typeof value === 'string' ? value : ''
  })
  const hasBody = left.length > 0 || options.length > 0 || row.body !== undefined
  for (const [name, value] of left) if (value !== undefined) sent.set(name, value)
  const values = Object.fromEntries(sent)
  const isQuery = /^(GET|DELETE) /.test(route)
  const asked = isQuery ? { query: values as Record<string, string> } : hasBody ? { body: values } : {}
  const kind = ofRecord && (await findKind(admin, params[0] ?? '', (given as KindOption).kind))
  return [kind ? (route.replace('/people/', `/${kind}/`) as Route) : route, { params, ...asked }]
}

/** A name that is given and empty is sent, so that an unset variable in a script is refused and does not mean "all". */
function sentValue(option: Option, value: unknown): unknown {
  if (value === '' && option.long === '--reason') return undefined
  return value !== undefined && value === /\|(\w+)/.exec(option.flags)?.[1] ? null : value
}
