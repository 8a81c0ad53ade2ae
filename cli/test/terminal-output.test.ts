import { expect, test } from 'vitest'
import { card, table } from '../src/terminal/output.ts'

// What would clear the screen, ring, go back to the beginning of the line, or show the rest backwards.
const hostile = 'Ada\u001b[2J\u0007\r\n\u202eEvil\u2069'

test('a label that somebody typed cannot move the cursor, end a line or turn the text around', () => {
  const printed = [table([{ label: hostile }], ['label'], 'none'), card({ labels: [hostile] })].join('\n')

  expect(printed.split('\n')).toHaveLength(3)
  expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  expect(printed).toContain('Evil')
})
