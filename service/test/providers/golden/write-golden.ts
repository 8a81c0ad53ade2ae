/** `npm run golden`: maps the golden answers of all providers, or of those named, with the present code. Review the diff. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Kind } from '@vitae/contract'
import { goldenAnswers, goldenNames, goldenPath, mappedNow, providerOf, type StoredFile } from './golden-answers.ts'

const width = 160
const named = process.argv.slice(2)

for (const name of named.length > 0 ? named : goldenNames()) {
  const path = goldenPath(name)
  const before = readFileSync(path, 'utf8')
  const after = `${written(fileOf(name), 0)}\n`
  if (after !== before) console.log(`changed: ${name}`)
  writeFileSync(path, after)
}

function fileOf(name: string): StoredFile {
  const provider = providerOf(name)
  const file: Record<string, Record<string, unknown>> = {}
  for (const answer of goldenAnswers(name)) {
    const { stored } = answer
    const asked = 'payload' in stored ? { payload: stored.payload } : { like: stored.like, with: stored.with }
    file[answer.kind] = { ...file[answer.kind], [answer.name]: { ...asked, ...mappedNow(provider, answer) } }
  }
  return file as Record<Kind, never>
}

/** JSON in which a value is on one line if it fits. Lines are filled, but each field of a record begins one. */
function written(value: unknown, indent: number, isFilled = false): string {
  const flat = flatText(value)
  if (typeof value !== 'object' || value === null || (indent > 4 && indent + flat.length <= width)) return flat
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const pad = ' '.repeat(indent + 2)
  const lines: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const key = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `
    const text = key + written(member, indent + 2, isFilled || indent >= 8 || name === 'payload' || name === 'with')
    const last = lines.at(-1)
    const isJoined = isFilled && last && !`${last}${text}`.includes('\n') && last.length + text.length < width
    if (isJoined) lines[lines.length - 1] = `${last}, ${text}`
    else lines.push(pad + text)
  }
  return `${open}\n${lines.join(',\n')}\n${' '.repeat(indent)}${close}`
}

function flatText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${flatText(member)}`)
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}
