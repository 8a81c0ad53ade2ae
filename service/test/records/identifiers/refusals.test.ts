import type { Kind } from '@vitae/contract'
import { expect, test } from 'vitest'
import { Failure } from '../../../src/foundation/failure.ts'
import { parseIdentifier } from '../../../src/records/identifiers/parse-identifier.ts'

function refusal(kind: Kind, input: string, hosts?: readonly string[]): Failure {
  try {
    parseIdentifier(kind, input, hosts)
  } catch (error) {
    if (error instanceof Failure) return error
  }
  throw new Error('was not refused')
}

const shown = 'has spaces, backslashes or characters that cannot be shown'
const reasons: [input: string, kind: Kind, reason: string][] = [
  ['', 'people', 'is empty'],
  ['  ', 'companies', 'is empty'],
  ['a b', 'people', shown],
  ['a\\b', 'people', shown],
  ['a\u200Bb', 'companies', shown],
  ['\u200B\u200B', 'people', shown],
  ['a'.repeat(301), 'people', 'is longer than 300 characters'],
  ['İ'.repeat(151), 'people', 'is longer than 300 characters'],
  ['ada%zz', 'people', 'has percent-escapes that are not UTF-8'],
  ['a*b', 'people', 'has characters that no slug has'],
  ['---', 'companies', 'has characters that no slug has'],
  ['007', 'companies', 'is a company number that starts with 0'],
  ['urn:li:share:1', 'people', 'must be a member_urn or entity_urn if it is a URN'],
  ['urn:acme:adaé', 'people', 'must be a member_urn or entity_urn if it is a URN'],
  ['URN:li:share:1', 'companies', 'must be urn:li:company:{number} if it is a URN'],
  ['https://linkedin.com/in/../x', 'people', 'must be a URL without . and .. in its path'],
  ['https://linkedin.com/jobs/x', 'people', 'must be a URL with a path like /in/{slug}'],
  ['https://linkedin.com/x/pub/ada', 'people', 'must be a URL with a path like /in/{slug}'],
  ['x-urn:li:member:7', 'people', 'must be a slug or a URL of linkedin.com, without user name and port'],
  ['https://linkedin.com/jobs/x', 'companies', 'must be a URL with a path like /company/{slug}'],
  ['https://linkedin.com/pub/ada/1/2/3', 'companies', 'must be a URL with a path like /company/{slug}'],
  ['https://x.example/in/ada', 'people', 'must be a slug or a URL of linkedin.com, without user name and port'],
  [
    'https://www.linkedin.com/PUB/ada/1/2/3',
    'people',
    'is an old /pub/ address, which does not identify a profile: open it and send the /in/ address that it redirects to',
  ],
]

test.each(reasons)('%j of %s is refused: %s', (input, kind, reason) => {
  const { code, message, details } = refusal(kind, input)
  const parameter = kind === 'people' ? 'profile_id' : 'company_id'
  expect({ code, message, errors: details.errors, broken: details.broken }).toEqual({
    code: 'invalid_request',
    message: `${parameter} ${reason}`,
    errors: [{ parameter, detail: reason }],
    broken: [{ parameter, rule: reason }],
  })
})

test('the refusal names all hosts of the platform', () => {
  const { message } = refusal('people', 'https://x.example/in/ada', ['people.example', 'staff.example'])
  expect(message).toContain('a URL of people.example or staff.example, without')
})
