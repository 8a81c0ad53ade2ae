import { expect, test } from 'vitest'
import { openTestService, type TestAnswer } from '../../harness/test-service.ts'

const shown = ({ status, headers }: TestAnswer) => [
  status,
  headers.get('x-credits-charged'),
  headers.get('x-credits-remaining'),
  headers.get('x-credits-ceiling-remaining'),
  headers.get('x-credits-ceiling-reset'),
]

test('every answer, even a refusal, shows what is left of the environment and of the lowest ceiling, and its renewal', async () => {
  const service = await openTestService()
  const { key } = await service.newCaller(10, { ceiling: 3, daily_ceiling: 2 })
  const ask = async (id: string) => shown(await service.person(id, '', { ApiKey: key }))
  const [untilTomorrow, untilDecember] = [String(14.5 * 3_600), String(16 * 86_400)]

  expect(await ask('missing-person')).toEqual([404, null, '10', '2', untilTomorrow])
  expect(await ask('ada')).toEqual([200, '1', '9', '1', untilTomorrow])
  expect(await ask('ada')).toEqual([200, '1', '8', '0', untilTomorrow])
  expect(await ask('ada')).toEqual([402, null, '8', '0', untilTomorrow])
  service.clock.set('2026-11-15T00:00:00.000Z')
  expect(await ask('ada')).toEqual([200, '1', '7', '0', untilDecember])
  expect(await ask('ada')).toEqual([402, null, '7', '0', untilDecember])
})

test('without a ceiling only the environment is shown', async () => {
  const service = await openTestService({ credits: 1 })
  expect(shown(await service.person('ada'))).toEqual([200, '1', '0', null, null])
  expect(shown(await service.person('ada'))).toEqual([402, null, '0', null, null])
})
