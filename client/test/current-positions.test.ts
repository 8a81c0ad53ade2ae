import { expect, test } from 'vitest'
import { currentPositions } from '../src/index.ts'
import { date, employer, person, position } from './people.ts'

test('a position without an end is current, one with an end is not, in the order of the record', () => {
  const lead = position('Lead', '2022')
  const engineer = position('Engineer', '2019', '2022')
  const advisor = position('Advisor', null)
  const [first, second] = [employer('1', 'One', lead, engineer), employer('2', 'Two', advisor)]

  expect(currentPositions(person(first, second))).toEqual([
    { company: first, position: lead },
    { company: second, position: advisor },
  ])
})

test('a position without dates uses those of its employer', () => {
  const undated = { ...position('Clerk', null), date_range: null }
  const ended = { ...employer('1', 'One', undated), date_range: { start: date('2010'), end: date('2012') } }
  const ongoing = { ...employer('2', 'Two', undated), date_range: { start: date('2013'), end: null } }

  expect(currentPositions(person(ended, ongoing))).toEqual([{ company: ongoing, position: undated }])
})

test('an absent end counts as null', () => {
  const { end: _end, ...range } = { start: date('2020'), end: null }
  const open = { ...position('Clerk', null), date_range: range as { start: typeof range.start; end: null } }

  expect(currentPositions(person(employer('1', 'One', open)))).toHaveLength(1)
})

test('a person without experience holds no position', () => {
  expect(currentPositions(person())).toEqual([])
})
