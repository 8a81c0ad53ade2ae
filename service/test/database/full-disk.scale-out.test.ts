import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openServices } from '../harness/node-services.ts'
import { hasEngines } from '../harness/scale-out-engine.ts'

/** The error of PostgreSQL when a table cannot grow, for each insert into one of these. */
const refuseRows = `
  create function refuse_row() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
  create trigger full_disk before insert on ledger_entries execute function refuse_row();
  create trigger full_disk before insert on versions execute function refuse_row();`
const takeRows = 'drop function refuse_row cascade'

describe.skipIf(!hasEngines)('PostgreSQL without room on its disk', () => {
  test('a lookup is a 503 that costs nothing, stored or not, and with free space everything works again', async () => {
    const { services, databaseUrl } = await openServices([null])
    const service = services[0]!
    expect((await service.person('ada-stored')).status).toBe(200)
    const { balance } = await service.balance()
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())

    await client.query(refuseRows)
    const refused = [await service.person('ada-stored'), await service.person('ada-new')]
    await client.query(takeRows)
    const served = [await service.person('ada-stored'), await service.person('ada-new')]

    expect(refused.map(({ status, json }) => [status, json['code']])).toEqual([
      [503, 'store_unavailable'],
      [503, 'store_unavailable'],
    ])
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['5', '5'])
    expect(served.map(({ status }) => status)).toEqual([200, 200])
    expect((await service.balance()).balance).toBe(balance - 2)
  })
})
