import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPython } from '../../../client-python/test/python.ts'
import { readBlocks } from './guide-text.ts'
import { openReader, type Reader } from './open-reader.ts'

const commands = readBlocks('README.md').filter(({ language }) => language === 'sh')
const [start, ...answers] = commands.map(({ text }) => text)
const python = findPython('httpx')

let reader: Reader
beforeAll(async () => {
  reader = await openReader()
})
afterAll(() => reader.close())

test('the README needs three commands to an answer: two that start the service, and one call', () => {
  expect(
    start
      ?.split('\n')
      .filter(Boolean)
      .map((line) => line.replace(/ *#.*/, '')),
  ).toEqual(['npm ci', 'npm start'])
  expect(answers).toHaveLength(3)
  for (const text of answers)
    expect(
      text
        .replaceAll(/"[^"]*"/g, '""')
        .trim()
        .split('\n'),
    ).toHaveLength(1)
})

test.each([
  ['curl', /^HTTP\/1\.1 200 OK[\s\S]*x-data-source: live[\s\S]*"first_name"/i],
  ['@vitae/client', /\S+ from live\n/],
])('the command with %s prints an answer', async (words, answer) => {
  expect(await reader.run(answers.find((text) => text.includes(words)) ?? 'false')).toMatch(answer)
})

if (python === null) console.log('!! The README from Python is skipped: no python3 has httpx (Debian: python3-httpx).')
test.skipIf(python === null)('the command with Python prints an answer', async () => {
  const command = answers.find((text) => text.includes('python3'))?.replace('python3 ', `${python} `) ?? 'false'

  expect(await reader.run(command)).toMatch(/\S+ from live\n/)
})
