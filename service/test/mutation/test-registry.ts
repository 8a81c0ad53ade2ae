/**
 * The replacement that tests import as `vitest` here. It keeps the tests, so that they can run repeatedly without
 * restarting Vitest.
 */
export { expect, vi } from 'vitest'

type Body = (...values: unknown[]) => unknown

export interface Suite {
  name: string
  before: Body[]
  after: Body[]
  beforeEach: Body[]
  afterEach: Body[]
}

export interface RegisteredTest {
  id: string
  name: string
  body: Body
  /** The surrounding suites, outermost first. */
  suites: readonly Suite[]
}

/** In the order of definition. */
export const tests: RegisteredTest[] = []
let suites: readonly Suite[] = []

function addTest(name: string, body: Body): void {
  tests.push({ id: String(tests.length), name: [...suites.map((suite) => suite.name), name].join(' > '), body, suites })
}

const newSuite = (name: string): Suite => ({ name, before: [], after: [], beforeEach: [], afterEach: [] })

function addSuite(name: string, body: Body): void {
  const around = suites
  suites = [...around, newSuite(name)]
  body()
  suites = around
}

/** Adds the tests of a file. The file is a suite too, because hooks may be at its top level. */
export async function addFile(name: string, load: () => Promise<unknown>): Promise<void> {
  suites = [newSuite(name)]
  await load()
  suites = []
}

const each = (add: typeof addTest) => (rows: readonly unknown[]) => (name: string, body: Body) => {
  for (const [index, row] of rows.entries())
    add(`${name} (${index})`, () => (Array.isArray(row) ? body(...row) : body(row)))
}

export const test = Object.assign(addTest, { each: each(addTest) })
export const describe = Object.assign(addSuite, { each: each(addSuite) })
export const beforeAll = (hook: Body) => suites.at(-1)?.before.push(hook)
export const afterAll = (hook: Body) => suites.at(-1)?.after.push(hook)
export const beforeEach = (hook: Body) => suites.at(-1)?.beforeEach.push(hook)
export const afterEach = (hook: Body) => suites.at(-1)?.afterEach.push(hook)
