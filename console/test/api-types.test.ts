import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateConsoleTypes } from '../../scripts/generate-console-types.ts'

test('the types of the console are those of the admin API today', async () => {
  const file = join(import.meta.dirname, '../src/api-types.generated.ts')
  const hint = 'run npm run generate'

  expect(readFileSync(file, 'utf8'), hint).toBe(await generateConsoleTypes())
})
