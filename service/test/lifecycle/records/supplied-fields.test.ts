import { expect, test } from 'vitest'
import { kinds } from '@vitae/contract'
import { suppliedFields } from '../../../src/operators/record-view.ts'

const providers = ['brightdata', 'coresignal', 'enrichlayer', 'harvestapi', 'peopledatalabs', 'directory']

test('no field is shown as "not supplied" if a field inside it is supplied', () => {
  for (const provider of providers)
    for (const kind of kinds) {
      const fields = suppliedFields(kind, provider)
      const missing = Object.keys(fields).filter((path) => fields[path] === 'not_supplied')
      const supplied = Object.keys(fields).filter((path) => fields[path] === 'supplied')
      const mixedUp = missing.filter((path) => supplied.some((other) => other.startsWith(`${path}.`)))
      expect([provider, kind, mixedUp]).toEqual([provider, kind, []])
    }
})

test('a part that a provider declares as a whole is supplied with everything in it, and others are not', () => {
  const fields = suppliedFields('companies', 'coresignal')

  expect(fields['staff_info.staff_range.start']).toBe('supplied')
  expect(fields['locations']).toBe('supplied')
  expect(fields['call_to_action']).toBe('not_supplied')
  expect(fields['call_to_action.url']).toBe('not_supplied')
})
