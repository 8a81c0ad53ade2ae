import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subject } from './subjects.ts'

const root = join(import.meta.dirname, '../../..')

/** One change of the code, and whether a test failed because of it. */
export interface Mutant {
  /** Under `service/src`. */
  file: string
  line: number
  /** True if a piece of code of the file contains it, however the code is broken into lines. */
  isWithin: (code: string) => boolean
  /** The original text and its replacement. */
  change: string
  /** A mutant that timed out counts as detected. */
  outcome: 'killed' | 'timed out' | 'survived' | 'invalid'
}

interface Place {
  line: number
  column: number
}

interface Report {
  files: Record<
    string,
    {
      source: string
      mutants: { replacement?: string; status: string; location: { start: Place; end: Place } }[]
    }
  >
}

/**
 * Mutates a subject in a copy of the sources and runs its tests against each mutant, with progress on standard error. A
 * mutant that takes minutes longer than the tests is an endless loop, and counts as detected.
 */
export async function runStryker(subject: Subject, workers: number): Promise<Mutant[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-mutation-'))
  try {
    const report = join(folder, 'report.json')
    const config = join(folder, 'stryker.config.json')
    writeFileSync(config, JSON.stringify(optionsOf(subject, { folder, report, workers })))
    const env = { ...process.env, MUTATION_TESTS: JSON.stringify(subject.tests) }
    const code = await new Promise<number | null>((resolve, reject) => {
      const program = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js')
      const run = spawn(process.execPath, [program, 'run', config], { cwd: root, env, stdio: ['ignore', 2, 2] })
      run.on('error', reject).on('exit', resolve)
    })
    if (code !== 0) throw new Error(`Stryker ended with code ${code}; what it says stands above`)
    return mutantsOf(JSON.parse(readFileSync(report, 'utf8')) as Report)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Run {
  folder: string
  report: string
  workers: number
}

function optionsOf(subject: Subject, { folder, report, workers }: Run) {
  return {
    testRunner: 'mutant-session',
    plugins: [join(import.meta.dirname, 'session-runner.ts')],
    mutate: subject.files.map((file) => `service/src/${file}`),
    ignorePatterns: [
      '/*',
      '!/docs',
      '!/service',
      '/service/*',
      '!/service/src',
      '!/service/test',
      '!/service/package.json',
    ],
    coverageAnalysis: 'perTest',
    // Stryker would rewrite it with the compiler's JavaScript API, which TypeScript 7 lacks.
    tsconfigFile: 'none.json',
    tempDirName: folder,
    // Long enough that a busy machine does not time out a survivor.
    timeoutMS: subject.timeoutMs ?? 180_000,
    concurrency: workers,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
    logLevel: 'error',
  }
}

const outcomes: Readonly<Record<string, Mutant['outcome']>> = {
  Killed: 'killed',
  Timeout: 'timed out',
  Survived: 'survived',
  NoCoverage: 'survived',
}

function mutantsOf({ files }: Report): Mutant[] {
  return Object.entries(files).flatMap(([path, { source, mutants }]) => {
    const lines = source.split('\n')
    return mutants.map(({ replacement = '', status, location: { start, end } }) => {
      const line = lines[start.line - 1] ?? ''
      const at = flat([...lines.slice(0, start.line - 1), line.slice(0, start.column - 1)].join('\n')).length
      const original =
        start.line === end.line ? line.slice(start.column - 1, end.column - 1) : `${line.slice(start.column - 1)} …`
      return {
        file: path.replace('service/src/', ''),
        line: start.line,
        isWithin: (code) => placesOf(code, source).some(([from, to]) => from <= at && at < to),
        change: `${original} → ${replacement.replaceAll(/\s+/g, ' ')}`,
        outcome: outcomes[status] ?? 'invalid',
      }
    })
  })
}

/** The text without whitespace, and without the commas that a formatter adds at the end of a line. */
function flat(code: string): string {
  return code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '')
}

/** The positions of a piece of code in the flat text of a file. */
export function placesOf(code: string, source: string): [from: number, to: number][] {
  const [piece, text] = [flat(code).replace(/,$/, ''), flat(source)]
  const places: [number, number][] = []
  for (let from = text.indexOf(piece); from >= 0; from = text.indexOf(piece, from + 1))
    places.push([from, from + piece.length])
  return places
}
