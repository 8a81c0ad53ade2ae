import { describe, expect, onTestFinished, test } from 'vitest'
import { dayMs } from '../../../src/foundation/clock.ts'
import { storeOf } from '../../credits/ledger.ts'
import { engines, type Engine } from '../../harness/engines.ts'

const facts = { actor: 'owner', role: 'owner' as const, project: null, list: 'listKeys', ask: '{}', filters: [] }
const leaseMs = 60_000

describe.each(engines)('exports on $name', (engine) => {
  /** A store in which a node prepares an export and has written its first part. */
  async function openPreparing(on: Engine) {
    const database = await on.open()
    onTestFinished(() => database.close())
    const { exports } = storeOf(database)
    const at = Date.now()
    const begin = (id: string, actor = 'owner') =>
      exports.beginExport({ id, ...facts, actor, names_records: 1, at, expiresAt: at + dayMs })
    await begin('exp_1')
    const { lease } = (await exports.claimExport({ node: 'first', leaseMs })) ?? expect.fail()
    const write = (number: number) =>
      exports.addExportPart({ id: 'exp_1', lease, number, rows: 1, body: Buffer.from('a name') })
    await write(1)
    const end = (detail: string | null) => exports.endExport({ id: 'exp_1', lease, detail })
    const left = async () => ({
      state: (await exports.showExport({ id: 'exp_1' }))?.state,
      parts: await Promise.all([1, 2].map((number) => exports.readExportPart({ id: 'exp_1', number }))),
    })
    return { exports, begin, write, end, left, at }
  }

  test('nothing is written to a cancelled export, and it stays cancelled', async () => {
    const { exports, write, end, left, at } = await openPreparing(engine)

    await exports.cancelExport({ id: 'exp_1', actor: 'owner', at })
    const written = await write(2)
    await end(null)

    expect(written).toBe(false)
    expect(await left()).toEqual({ state: 'cancelled', parts: [null, null] })
  })

  test('nothing is left of an export that failed', async () => {
    const { end, left } = await openPreparing(engine)

    await end('The export could not be prepared.')

    expect(await left()).toEqual({ state: 'failed', parts: [null, null] })
  })

  test('an admin has at most 20 exports, and another one still begins theirs', async () => {
    const { begin } = await openPreparing(engine)
    for (let number = 2; number <= 20; number++) await begin(`exp_${number}`)

    await expect(begin('exp_21')).rejects.toThrow('You have 20 exports, the maximum')
    await expect(begin('exp_22', 'another')).resolves.toMatchObject({ state: 'preparing' })
  })
})
