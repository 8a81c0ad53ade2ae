import { expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { openTestService } from '../../harness/test-service.ts'

test('an erasure by an address finds whose earlier version had it', async () => {
  const ada = contractPerson('ada-example')
  const email = ada.contact_info?.email_address ?? ''
  const service = await openTestService({ people: { 'ada-example': ada }, credits: 10 })
  await service.person('ada-example', '&include_contact_info=true')
  service.clock.advance({ days: 1 })
  service.upstream.people.set('ada-example', { ...ada, headline: 'New', contact_info: null })
  await service.admin('POST', '/records/people/ada-example/refresh')
  const history = await service.admin<object>('GET', '/records/people/ada-example/history')
  const erased = await service.admin<object>('POST', '/records/erase', { ids: [email], kind: 'people', reason: 'asked' })
  const after = await service.person('ada-example')
  console.log('EMAIL', email, JSON.stringify(history), JSON.stringify(erased), after.status)
  expect(after.status).toBe(404)
})
