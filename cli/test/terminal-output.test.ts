import { expect, test } from 'vitest'
import { card, table } from '../src/terminal/output.ts'

// Characters that clear the screen, ring the bell, return to the start of the line, or reverse the text.
const hostile = 'Ada\u001b[2J\u0007\r\n\u202eEvil\u2069'

test('a user-supplied label cannot move the cursor, end a line or reverse the text', () => {
  const printed = [table([{ label: hostile }], ['label'], 'none'), card({ labels: [hostile] })].join('\n')

  expect(printed.split('\n')).toHaveLength(3)
  expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  expect(printed).toContain('Evil')
})
