import { createHmac } from 'node:crypto'
import { CompanyMatch, type Kind, PersonMatch } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import { identifierKey, type CompanyPage, type Identifier } from '../../foundation/identifier.ts'
import type { MatchAsk } from '../../lookup/answer-match.ts'
import { type Expected, parseExpected } from '../../lookup/asked/expectations.ts'
import { readCompanyInput, readPersonInput } from '../../lookup/match-input.ts'
import { parseIdentifier, companyPageOf } from '../../records/identifiers/parse-identifier.ts'
import { type InputRow, matchNamesOf, type Question } from '../input/input-row.ts'
import { type ContactName, contactNamesOf } from '../../records/contact-index/contact-rows.ts'

/** A row in stored form. */
export interface RowText {
  input: string | null
  /** JSON of a `Question`. */
  question: string | null
}

/** Converts a row to its stored form. */
export function rowText({ input, question }: InputRow): RowText {
  return { input, question: question && JSON.stringify(question) }
}

/** The question of a row, or why it cannot be looked up. */
export type RowQuestion =
  | { by: 'lookup'; identifier: Identifier; page: CompanyPage; expect: Expected | null }
  | { by: 'match'; ask: Omit<MatchAsk, 'options'>; expect: Expected | null }
  | { by: null; problem: string | null }

type Complain = (parameter: string) => (detail: string) => void

/** Parses a stored row. Problems repeat nothing of its content. */
export function readRow(hosts: readonly string[], kind: Kind, row: RowText): RowQuestion {
  const { match, expect, problem } = row.question === null ? {} : (JSON.parse(row.question) as Question)
  const problems: string[] = problem === undefined ? [] : [problem]
  const complain: Complain = (parameter) => (detail) => void problems.push(`${parameter} ${detail}`)
  const expected = expect ? parseExpected(kind, (name) => expect[name], complain) : null
  try {
    const asked = askedBy(hosts, kind, row.input, match ?? null, complain)
    if (asked && problems.length === 0) return { ...asked, expect: expected }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    problems.push(error.details.detail ?? error.row.title)
  }
  return { by: null, problem: problems.join('; ') || null }
}

function askedBy(
  hosts: readonly string[],
  kind: Kind,
  input: string | null,
  match: Record<string, string> | null,
  complain: Complain,
) {
  if (input !== null)
    return { by: 'lookup', identifier: parseIdentifier(kind, input, hosts), page: companyPageOf(input) } as const
  return match ? ({ by: 'match', ask: readMatch(hosts, kind, match, complain) } as const) : null
}

type Limits = Record<string, { maxLength?: number; pattern?: string } | undefined>
const limits: Record<Kind, Limits> = {
  people: PersonMatch.properties as object as Limits,
  companies: CompanyMatch.properties as object as Limits,
}

/** Parses match input by the rules of the match endpoint's body. */
function readMatch(
  hosts: readonly string[],
  kind: Kind,
  match: Record<string, string>,
  complain: Complain,
): Omit<MatchAsk, 'options'> {
  const body: Record<string, string> = {}
  for (const name of matchNamesOf(kind)) {
    const text = match[name]?.trim()
    if (!text) continue
    const { maxLength = Infinity, pattern } = limits[kind][name] ?? {}
    if (text.length > maxLength) complain(name)(`must have at most ${maxLength} characters`)
    else if (pattern !== undefined && !new RegExp(pattern).test(text)) complain(name)('must be two letters such as DE')
    else body[name] = text
  }
  const id = kind === 'people' ? body['profile_id'] : body['company_id']
  const employer = kind === 'people' ? body['company_id'] : undefined
  return {
    kind,
    input: kind === 'people' ? readPersonInput(body, complain) : readCompanyInput(body, complain),
    employer: employer === undefined ? null : parseIdentifier('companies', employer, hosts),
    named: id === undefined ? null : parseIdentifier(kind, id, hosts),
  }
}

/**
 * The subject that rows of one batch are charged for once: a keyed hash of the identifier or of the normalised match.
 * Expectations are not part of it. Null for a row that names nobody.
 */
export function subjectOf(secret: string, batch: string, question: RowQuestion): string | null {
  const name = nameOf(secret, question)
  return name && createHmac('sha256', secret).update(`${batch} ${name}`).digest('base64url').slice(0, 22)
}

function nameOf(secret: string, question: RowQuestion): string | null {
  if (question.by === null) return null
  if (question.by === 'lookup') return identifierKey(question.identifier)
  const { kind, named, employer, input } = question.ask
  if (named) return identifierKey(named)
  return `match ${contactNamesOf(secret, kind, input).match.value} ${employer ? identifierKey(employer) : ''}`
}

/** The keyed hashes of a match: of its email address, its phone number and the whole input. */
export function contactsIn(secret: string, question: RowQuestion): ContactName[] {
  if (question.by !== 'match') return []
  const { email, phone, match } = contactNamesOf(secret, question.ask.kind, question.ask.input)
  return [match, email, phone].flatMap((name) => name ?? [])
}
