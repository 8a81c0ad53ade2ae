import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: (name) => /node_modules|\bdist\b|\.generated\.ts$/.test(name) }).map(
    (file) => ({ file, text: readFileSync(join(root, file), 'utf8') }),
  )

/** Wordings that readers have to decode. The comment names the plain one. */
const wordings: RegExp[] = [
  /\bso (?:many|long)\b/gi, // at most, as many, until
  /\bas (?:it|they) (?:is|are|stands?)\b/gi, // unchanged
  /\b(?:is|are|has|have) none\b/gi, // there is no ...
  /\bgives (?!up\b|back\b|way\b)/gi, // returns
  /\b(?:told|tells? nothing|looked at|anew|in vain|of which|leads? to (?:nobody|nothing))\b/gi, // notified, read, again
  /\b(?:whoever|who is|who are|those who|that which)\b/gi, // a caller that ...
  /(?:^|[.:;] )(?:What|Who|Whose|That which|Where)\b(?![^.]*\?)/gm, // begin with the subject noun
  /\bwhere (?:there|nobody|none|no|one|nothing)\b/gi, // if
  /\balso (?:if|where|when|after|without|by|from)\b/gi, // even
]

const wordsPerSentence = 25
const wordsOfAllGuides = 25_000

const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/** The comments of a source, or its texts of four words and more. */
function tokensOf(source: string, kind: 'comments' | 'strings'): string {
  const isComment = (found: string) => found.startsWith('/')
  const found = Array.from(source.matchAll(token), ([text]) => text)
  if (kind === 'strings') return found.filter((text) => !isComment(text) && text.split(' ').length > 3).join('\n')
  return found
    .filter((text) => isComment(text))
    .map((text) => text.replaceAll(/^(?:\/\*\*?|\/\/| *\*\/?) ?/gm, ''))
    .join('\n')
}

/** The prose of a page: no code, tables, headings or comments, and links as their words. */
function proseOf(page: string): string {
  return page
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '\n')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^ *\|.*$/gm, '\n')
    .replaceAll(/^#+ .*$/gm, '\n')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code')
}

/** Sentences end with a stop, a list item or a paragraph; a colon before a list ends one too. */
function sentencesOf(page: string): string[] {
  const paragraphs = proseOf(page).split(/\n\s*\n|\n(?= *(?:[-*]|\d+\.) )/)
  return paragraphs.flatMap((text) =>
    text
      .replaceAll(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?:][)*"]*) (?=["*(]*[\p{Lu}\d]|code)/u),
  )
}

const wordsIn = (sentence: string) => sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length

function wordingsIn(texts: readonly { file: string; text: string }[]): string[] {
  return texts.flatMap(({ file, text }) =>
    wordings.flatMap((wording) => Array.from(text.matchAll(wording), ([found]) => `${file}: ${found.trim()}`)),
  )
}

const guides = read('docs/guides/*.md')
const sources = '{service,provider,contract,cli,client,console,bench,scripts}/**/*.{ts,tsx}'

describe('plain English', () => {
  const code = read(sources)
  const shown = code.filter(({ file }) => /^(service|provider|contract|cli|client|console)\/src\//.test(file))
  const places = {
    comments: code.map(({ file, text }) => ({ file, text: tokensOf(text, 'comments') })),
    guides: guides.map(({ file, text }) => ({ file, text: proseOf(text) })),
    'texts that users see': shown.map(({ file, text }) => ({ file, text: tokensOf(text, 'strings') })),
  }

  test.each(Object.entries(places))('no wording in %s that a reader has to decode', (_place, texts) => {
    expect(wordingsIn(texts)).toEqual([])
  })
})

test('sentences of the guides have at most 25 words', () => {
  const long = guides.flatMap(({ file, text }) =>
    sentencesOf(text)
      .filter((sentence) => wordsIn(sentence) > wordsPerSentence)
      .map((sentence) => `${file}: ${sentence}`),
  )

  expect(long).toEqual([])
})

test('the guides have at most 25,000 words, and the index names each of them', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  // Tables that the benchmark writes have a column for each kind of machine.
  const written = guides.map(({ text }) => text.replace(/<!-- bench -->[\s\S]*<!-- \/bench -->/, ''))
  const words = written.reduce((sum, text) => sum + text.split(/\s+/).filter(Boolean).length, 0)

  expect(words).toBeLessThanOrEqual(wordsOfAllGuides)
  expect(guides.filter(({ file }) => !index.includes(`(${file.replace('docs/', '')})`))).toEqual([])
})

test('a decision record has at most 40 lines', () => {
  const long = read('docs/decisions/*.md').filter(({ text }) => text.trimEnd().split('\n').length > 40)

  expect(long.map(({ file }) => file)).toEqual([])
})

/** The first commit whose subject follows the rule. A shallow clone does not have it, and then there is nothing to check. */
const firstCheckedCommit = '986020b0'

/** Whether a subject is not a command to the code: "Fix ...", "Add ...". */
function isOddSubject(subject: string): boolean {
  const [first = ''] = subject.split(' ')
  const isCommand = /^\p{Lu}[\p{Ll}-]+$/u.test(first) && !/(?:[^e]ed|ing|[^s]s)$/.test(first)
  return !isCommand && !/^(?:Embed|Shed|Focus|String|Bring|Ping|Ring)$/.test(first)
}

test('the subject of a commit is imperative and ends without a stop', () => {
  const log = spawnSync('git', ['log', '--no-merges', '--format=%s', `${firstCheckedCommit}..HEAD`], { cwd: root })
  const subjects = log.status === 0 ? log.stdout.toString().split('\n').filter(Boolean) : []

  expect(subjects.filter((subject) => isOddSubject(subject) || subject.endsWith('.'))).toEqual([])
  expect(['Fixed it', 'Fixes it', 'Fixing it', 'fix it', 'World: fix it'].filter(isOddSubject)).toHaveLength(5)
  expect(['Fix it', 'Add it', 'Pass it', 'Feed it', 'Revert "Fix it"'].filter(isOddSubject)).toEqual([])
})

test('wordings and long sentences are found in prose, and not in code, tables and links', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
  const page = `# ${words(30)}\n\n| ${words(30)} |\n\n- ${words(20)}\n- ${words(20)}. [Word ${words(23)}](a/b.md) \`a b c\`.\n`
  const comment = tokensOf(`const a = 'who is told' // So many are told.`, 'comments')

  expect(sentencesOf(page).filter((sentence) => wordsIn(sentence) > wordsPerSentence)).toEqual([])
  expect(sentencesOf(`${words(26)}.`).filter((sentence) => wordsIn(sentence) > wordsPerSentence)).toHaveLength(1)
  expect(wordingsIn([{ file: 'a.ts', text: comment }])).toEqual(['a.ts: So many', 'a.ts: told'])
  expect(wordingsIn([{ file: 'a.md', text: proseOf('`told`\n\n```sh\ntold\n```\n') }])).toEqual([])
})
