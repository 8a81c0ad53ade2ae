import { describe, expect, test } from 'vitest'
import { keyOperations } from '../../../src/accounts/key-operations.ts'
import { engines } from '../../harness/engines.ts'
import { addKey, openLedger } from '../ledger.ts'
import { noon } from '../requests.ts'

describe.each(engines)('last use on $name', (engine) => {
  test('of many keys is written at once, each with its own time, and no other key changes', async () => {
    const { database, environmentId } = await openLedger(engine, 0)
    const ids = Array.from({ length: 150 }, (_, index) => `used-${index}`)
    for (const id of ids) await addKey(database, environmentId, { id })

    await keyOperations.touchKeys(database, { used: ids.map((id, index) => ({ id, at: noon + index })) })

    const rows = await database.db.selectFrom('keys').select(['id', 'last_used_at']).execute()
    const moments = new Map(rows.map((row) => [row.id, row.last_used_at]))
    expect(moments.get('k1')).toBe(null)
    expect(ids.map((id) => moments.get(id))).toEqual(ids.map((_, index) => noon + index))
  })
})
