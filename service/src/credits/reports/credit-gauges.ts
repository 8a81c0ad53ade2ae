import type { Connection } from '../../database/dialect.ts'

export interface CreditGauges {
  /** Those with the least credits first. */
  environments: { id: number; project: string; name: string; available: number }[]
  holds: number
}

/** What environments have left and how many holds are open, for the metrics. */
export async function creditGauges({ db }: Connection, { limit }: { limit: number }): Promise<CreditGauges> {
  const rows = await db
    .selectFrom('environments')
    .select(['id', 'project', 'name', 'balance', 'held'])
    .orderBy((eb) => eb('balance', '-', eb.ref('held')))
    .limit(limit)
    .execute()
  const { holds } = await db
    .selectFrom('holds')
    .select((eb) => eb.fn.countAll<number>().as('holds'))
    .executeTakeFirstOrThrow()
  return {
    environments: rows.map(({ id, project, name, balance, held }) => ({
      id,
      project,
      name,
      available: balance - held,
    })),
    holds: Number(holds),
  }
}
