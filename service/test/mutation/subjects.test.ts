import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acceptedSurvivors } from './accepted-survivors.ts'
import { placesOf } from './run-stryker.ts'
import { subjects } from './subjects.ts'

const root = join(import.meta.dirname, '../../..')
const sourceOf = (file: string) => join(root, 'service/src', file)

test('every subject has code and tests, and all of them exist', () => {
  expect(subjects.filter(({ files, tests }) => files.length === 0 || tests.length === 0)).toEqual([])
  const named = subjects.flatMap(({ files, tests }) => [
    ...files.map(sourceOf),
    ...tests.map((test) => join(root, test)),
  ])
  expect(named.filter((path) => !existsSync(path))).toEqual([])
})

test('every reason refers to existing code of a subject, and none is listed twice', () => {
  const files = subjects.flatMap((subject) => subject.files)
  expect(acceptedSurvivors.filter(({ file }) => !files.includes(file))).toEqual([])
  const gone = acceptedSurvivors.filter(
    ({ file, code }) => placesOf(code, readFileSync(sourceOf(file), 'utf8')).length === 0,
  )
  expect(gone).toEqual([])
  const texts = acceptedSurvivors.map(({ file, code, change }) => JSON.stringify([file, code, change]))
  expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
})
