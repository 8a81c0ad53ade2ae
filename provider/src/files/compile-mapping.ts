import { type Kind, units } from '@vitae/contract'
import { latest, parsePartialDate } from '../mapping/partial-date.ts'
import { texts } from '../mapping/text.ts'
import { type Fields, isKnown } from '../shared/build-record.ts'
import { compileTest, readerOf } from './compile-verdict.ts'
import { compileExpression, type Expression, type Path, type Scope } from './expression.ts'
import { isEmpty } from './functions.ts'
import type { Place, SourceFile } from './read-yaml.ts'
import type { ExpressionFile, WhereFile } from './schema.ts'
import { type Block, type Leaf, type Target, targets } from './targets.ts'

type Read = (scope: Scope) => unknown
type Says = (scope: Scope) => boolean

/** The place of a mapping part in the file and in the record. */
interface At {
  place: Place
  path: string
  /** True inside a list: there the list decides whether the payload has the field. */
  isListed: boolean
}

/** Compiles the expressions of a kind, and collects their paths and fields. */
export class MappingCompiler {
  /** Every payload path that is read. */
  readonly paths: Path[] = []
  /** The mapped fields, by their paths in the record. */
  readonly leaves = new Set<string>()
  readonly #says: { path: string; says: Says }[] = []
  readonly #source: SourceFile

  constructor(source: SourceFile) {
    this.#source = source
  }

  /** Compiles a value outside the record, such as a part of the identity; null if the file does not map it. */
  value(place: Place, file: ExpressionFile | undefined): Read | null {
    if (file === undefined) return null
    const all = this.#alternatives(place, file, 1)
    return (scope) => firstSaid(all, scope)
  }

  /** Compiles the fields of a record, as a tree of the same shape. */
  record(kind: Kind, place: Place, file: Fields): (scope: Scope) => Fields {
    return this.#fields({ place, path: '', isListed: false }, targets[kind], file)
  }

  /** Finds the units that a payload does not state: all of their paths are absent. */
  unsaid(kind: Kind): (scope: Scope) => string[] {
    const known = units[kind].flatMap(({ name }) => {
      const own = this.#says.filter(
        ({ path }) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`),
      )
      return own.length === 0 ? [] : { name, says: own.map((one) => one.says) }
    })
    return (scope) => known.flatMap(({ name, says }) => (says.some((isSaid) => isSaid(scope)) ? [] : name))
  }

  #fields(at: At, known: Readonly<Record<string, Target>>, file: Fields): (scope: Scope) => Fields {
    const reads = Object.entries(known).flatMap(([name, target]): [string, Read][] => {
      const given = file[name] as ExpressionFile | Fields | undefined
      if (given === undefined) return []
      const inner = { ...at, place: [...at.place, name], path: at.path === '' ? name : `${at.path}.${name}` }
      if (!('type' in target)) return [[name, this.#leaf(inner, target, given as ExpressionFile)]]
      if (typeof given === 'string' || Array.isArray(given)) return [[name, this.#names(inner, target, given)]]
      return [[name, target.type === 'list' ? this.#list(inner, target, given) : this.#object(inner, target, given)]]
    })
    return (scope) => {
      const fields: Fields = {}
      for (const [name, read] of reads) fields[name] = read(scope)
      return fields
    }
  }

  #leaf(at: At, { values, convert, supplies = [] }: Leaf, file: ExpressionFile): Read {
    const all = this.#alternatives(at.place, file, values)
    for (const path of supplies.length > 0 ? supplies.map((one) => `${at.path}.${one}`) : [at.path])
      this.leaves.add(path)
    // A list of words is a section: null in the payload means "not stated", not "none".
    this.#note(at, all, Array.isArray(convert([])))
    return (scope) => {
      let value: unknown = null
      for (const one of all) {
        value = convert(one.read(scope)) ?? null
        if (!isEmpty(value)) break
      }
      return value
    }
  }

  /** Compiles a list whose items have only names. */
  #names(at: At, { named = 'name' }: Block, file: ExpressionFile): Read {
    const names: Leaf = { values: 1, convert: ([value]) => (Array.isArray(value) ? value : [value]), supplies: [named] }
    const read = this.#leaf(at, names, file)
    return (scope) => texts(read(scope)).map((name) => ({ [named]: name }))
  }

  #list(at: At, { fields }: Block, file: Fields): Read {
    const each = this.#alternatives([...at.place, 'each'], file['each'] as ExpressionFile, 8)
    this.#note(at, each, true)
    const { where = [] } = file as { where?: WhereFile }
    const tests = [where].flat().map((test, index) => {
      return compileTest(this.#source, [...at.place, 'where', ...(Array.isArray(where) ? [index] : [])], test)
    })
    const read = this.#fields({ ...at, isListed: true }, fields, file)
    return (scope) =>
      rowsOf(each, scope).flatMap((item) => (tests.every((holds) => holds(item)) ? read({ ...scope, item }) : []))
  }

  #object(at: At, { fields }: Block, file: Fields): Read {
    const { from, latest_by: by } = file as { from?: ExpressionFile; latest_by?: string }
    const byPlace = [...at.place, 'latest_by']
    if (from === undefined && by !== undefined)
      throw this.#source.fault(byPlace, 'latest_by needs from', { atKey: true })
    const all = from === undefined ? null : this.#alternatives([...at.place, 'from'], from, 1)
    if (all) this.#note(at, all, true)
    const read = this.#fields({ ...at, isListed: at.isListed || all !== null }, fields, file)
    const dateOf = by === undefined ? () => null : readerOf(this.#source, byPlace, by)
    const itemOf = (value: unknown) =>
      Array.isArray(value) ? latest(value, (one) => parsePartialDate(dateOf(one))) : value
    return (scope) => {
      const known = read(all ? { ...scope, item: itemOf(firstSaid(all, scope)) } : scope)
      // Leave out a part without any known value.
      return isKnown(known) ? known : undefined
    }
  }

  /** Compiles the alternatives of an expression, in order. */
  #alternatives(place: Place, file: ExpressionFile, most: number): Expression[] {
    return [file].flat().map((line, index) => {
      const here = Array.isArray(file) ? [...place, index] : place
      const fail = (what: string, offset: number) => this.#source.fault(here, what, { offset })
      const compiled = compileExpression(line, fail)
      const wanted = most === 1 ? 'one value' : `at most ${most} values`
      if (compiled.width > most) throw this.#source.fault(here, `this takes ${wanted}, not ${compiled.width}`)
      this.paths.push(...compiled.paths)
      return compiled
    })
  }

  /** Notes which paths state a part of the record. A null value counts as stated, except for a section. */
  #note({ path, isListed }: At, all: readonly Expression[], isSection: boolean): void {
    if (isListed) return
    const paths = all.flatMap((one) => one.paths)
    const isConstant = all.some((one) => one.paths.length === 0)
    const isThere = (value: unknown) => value !== undefined && !(isSection && value === null)
    this.#says.push({ path, says: (scope) => isConstant || paths.some(({ read }) => isThere(read(scope))) })
  }
}

function firstSaid(all: readonly Expression[], scope: Scope): unknown {
  for (const one of all) {
    const [value] = one.read(scope)
    if (!isEmpty(value)) return value
  }
  return undefined
}

/** The items of the first alternative that has any; a value that is not a list is one item. */
function rowsOf(each: readonly Expression[], scope: Scope): unknown[] {
  for (const one of each) {
    const given = one.read(scope).flat()
    const rows = given.filter((item) => !isEmpty(item))
    if (rows.length > 0) return rows
  }
  return []
}
