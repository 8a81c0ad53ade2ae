import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countsDay, spendDate } from '../../../src/credits/decision/ledger-snapshot.ts'
import { key } from './snapshots.ts'

test('a moment counts in its UTC day and month, which end at midnight, whenever it is computed', () => {
  const moments = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(moments, (moment) => {
      const [year, month, day] = [moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate()]
      const date = {
        month: moment.toISOString().slice(0, 7),
        day: moment.toISOString().slice(0, 10),
        dayStartsAt: Date.UTC(year, month, day),
        dayEndsAt: Date.UTC(year, month, day + 1),
        monthEndsAt: Date.UTC(year, month + 1),
      }
      expect(spendDate(moment.getTime())).toEqual(date)
      expect(spendDate(date.dayEndsAt - 1)).toEqual(date)
      expect(spendDate(date.dayEndsAt)).toMatchObject({ dayStartsAt: date.dayEndsAt })
    }),
  )
})

test('a day is computed once, however many requests ask for it', () => {
  const noon = Date.UTC(2031, 4, 9, 12)
  expect(spendDate(noon + 1)).toBe(spendDate(noon))
})

test('days are counted from the start of the first counted day', () => {
  const date = spendDate(Date.UTC(2026, 10, 14, 12))
  const counts = (daysFrom: number | null) => countsDay(key('k1', 1, { daysFrom }), date)
  expect([null, date.dayStartsAt, date.dayStartsAt + 1].map(counts)).toEqual([false, true, false])
})
