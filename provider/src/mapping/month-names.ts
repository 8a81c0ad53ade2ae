import { normalised } from './text.ts'

const english = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const englishName =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/
/** The most common languages of profiles. Croatian is left out because its month names mean other months in Czech. */
const languages = 'de fr es pt it nl pl cs sk sv da nb fi tr ro hu id uk ru bg el ca ar he'.split(' ')
/** Common spellings that are in no table. */
const otherNames = { mrz: 3, sett: 9, set: 9 }

/** Folds a text for comparison: without accents, in lower case. */
export function foldWords(text: string): string {
  return normalised(text, 'NFD').replace(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase()
}

/** The month number for a folded word, long or short, in English or one of the languages above. */
export function monthOfName(word: string): number | null {
  const name = word.replaceAll('.', '')
  if (englishName.test(name)) return english.indexOf(name.slice(0, 3)) + 1
  return foreignNames().get(name) ?? null
}

let names: ReadonlyMap<string, number> | null = null

/** Built at the first foreign name, because Node takes a while to open these tables. */
function foreignNames(): ReadonlyMap<string, number> {
  names ??= readNames()
  return names
}

function readNames(): ReadonlyMap<string, number> {
  const months = new Map<string, number | null>(Object.entries(otherNames))
  for (const language of languages) {
    for (const month of ['long', 'short'] as const) {
      // Some languages inflect the month name next to a day.
      for (const beside of [{}, { year: 'numeric' }, { day: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(language, { month, ...beside, timeZone: 'UTC' })
        for (let number = 1; number <= 12; number++) enter(months, nameIn(format, number), number)
      }
    }
  }
  return new Map([...months].flatMap(([name, number]) => (number === null ? [] : [[name, number]])))
}

function nameIn(format: Intl.DateTimeFormat, month: number): string {
  const part = format.formatToParts(Date.UTC(2020, month - 1, 1)).find(({ type }) => type === 'month')
  return foldWords(part?.value ?? '').replaceAll('.', '')
}

/** Ignores a name that means different months in two languages. */
function enter(months: Map<string, number | null>, name: string, number: number): void {
  if (!/^\p{L}{3,}$/u.test(name)) return
  const known = months.get(name)
  months.set(name, known === undefined || known === number ? number : null)
}

const ongoing =
  /^(?:present|now|current(?:ly)?|ongoing|today|to date|bis heute|heute|aktuell|derzeit|jetzt|laufend|present|aujourd'hui|a ce jour|actuel(?:lement)?|en cours|actualidad|la actualidad|actual(?:mente)?|hoy|presente|ate o momento|o momento|momento|atual(?:mente)?|oggi|attual(?:e|mente)|in corso|heden|nu|obecnie|teraz|nuvarande|pagaende|nykyinen|gunumuz|halen|devam ediyor|(?:по )?настоящее время|сеичас|至今|現在|现在|현재)(?![\p{L}])/u

/** Whether a text means "ongoing", such as "present". */
export function saysOngoing(text: string): boolean {
  return ongoing.test(normalised(foldWords(text.trim()), 'NFC'))
}
