import { Option, type Command } from 'commander'
import { addressOf } from '../../admin/admin-client.ts'
import { examples } from '../../examples.ts'
import { findKind, kindOption, type KindOption } from '../../find-kind.ts'
import { withAdmin } from '../../admin/with-admin.ts'

/** `vitae records export` */
export function exportCommand(records: Command): void {
  const command = records
    .command('export <id>')
    .description('everything held about one person or company, and who received it')
    .addOption(kindOption())
    .addOption(new Option('--format <format>', 'JSON, or a page to read').choices(['json', 'html']).default('json'))
    .action(
      withAdmin<KindOption & { format: string }, [string]>(async ({ admin, options }, id) => {
        const kind = await findKind(admin, id, options.kind)
        const asked = { params: [id], query: { format: options.format } }
        const bytes = await admin.bytes(...addressOf(`GET /records/${kind}/:ref/export`, asked))
        process.stdout.write(
          options.format === 'html' ? bytes : `${JSON.stringify(JSON.parse(bytes.toString()), null, 2)}\n`,
        )
      }),
    )
  examples(
    command,
    'vitae records export amara-okafor > export.json',
    'vitae records export amara-okafor --format html > export.html',
  )
}
