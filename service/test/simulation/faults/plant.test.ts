import { expect, test } from 'vitest'
import { planted } from './plant.ts'

const fault = {
  name: 'a hold is not checked against other holds',
  file: 'credits/rules.ts',
  in: 'fundsRefusal',
  find: 'const credits = environment.balance - environment.held',
  replace: 'const credits = environment.balance',
}

const plain = 'function fundsRefusal(environment) {\n  const credits = environment.balance - environment.held\n}'

test('a fault replaces the code that it quotes', () => {
  expect(planted(fault, plain)).toBe('function fundsRefusal(environment) {\n  const credits = environment.balance\n}')
})

test.each([
  [
    'line breaks and comments',
    'const credits =\n    // of the environment\n    environment.balance - environment.held',
  ],
  ['parentheses', 'const credits = (environment.balance - (environment.held))'],
])('a fault is planted despite other %s', (_, code) => {
  expect(planted(fault, `function fundsRefusal(environment) { ${code} }`)).toMatch(/environment\.balance \}$/)
})

test('a fault follows renamed variables and properties', () => {
  const source = 'function fundsRefusal(payer) { const left = payer.balance - payer.held }'

  expect(planted(fault, source)).toBe('function fundsRefusal(payer) { const left = payer.balance }')
})

test('a fault follows a renamed variable into a shorthand property', () => {
  const source = 'const send = (to, fence) => finish({ id: to, lease: fence })'
  const forgetful = { ...fault, in: 'send', find: 'finish({ id, lease })', replace: 'finish({ lease })' }

  expect(planted(forgetful, source)).toBe('const send = (to, fence) => finish({ lease: fence })')
})

test('a fault follows its renamed function', () => {
  expect(planted(fault, plain.replace('fundsRefusal', 'mayPay'))).not.toMatch('held')
})

test('a name that begins with $ stands for any code', () => {
  const source = "if (topic === 'keys') forget()\nelse if (topic === 'prices') refresh()"
  const quiet = { ...fault, find: 'if ($topic) forget()\nelse $rest', replace: 'if ($topic) void forget\nelse $rest' }

  expect(planted(quiet, source)).toBe(source.replace('forget()', 'void forget'))
})

test('a fault without a place says what to do', () => {
  expect(() => planted(fault, 'function fundsRefusal() { return null }')).toThrow(
    'has no place in fundsRefusal of credits/rules.ts. Quote the code that took the place of: const credits',
  )
})

test('a fault does not take over code in which most names differ', () => {
  const source = 'function fundsRefusal() { const total = invoice.amount - invoice.discount }'

  expect(() => planted(fault, source)).toThrow('has no place')
})

test('a fault that fits two places equally well names their lines', () => {
  const twice = plain.replace(/( {2}const.*\n)/, '$1$1')

  expect(() => planted(fault, twice)).toThrow('has several places in fundsRefusal of credits/rules.ts (lines 2, 3)')
})
