import table from './trades.json' with { type: 'json' }

/** A line of work: what its companies do, and the skills of its people. */
export interface Trade {
  industry: { id: string; name: string }
  /** Second words of company names. */
  words: string[]
  taglines: string[]
  /** Completes "The company ...". */
  does: string[]
  specialities: string[]
  /** Titles from the first job to the last. */
  ladders: [string, string, string, string][]
  /** Achievements in a position. */
  work: string[]
  skills: string[]
  studies: string[]
  certificate: string
  course: string
  project: string
  publication: string
}

const list = (words: string) => words.split(', ')

export const trades: readonly Trade[] = table.map(({ ladders, specialities, skills, ...trade }) => ({
  ...trade,
  ladders: ladders.map(([first = '', second = '', third = '', last = '']): Trade['ladders'][number] => [
    first,
    second,
    third,
    last,
  ]),
  specialities: list(specialities),
  skills: list(skills),
}))

/** First words of company names; their number is a multiple of ten, see `companyName`. */
export const stems: readonly string[] = list(
  'Alderway, Bramblewick, Cedarline, Driftstone, Emberfold, Fernhollow, Glasswing, Hollowbrook, Ivorycliff, Juniperfield, Kestrelmark, Larkmoor, Mossgate, Northlantern, Opaltree, Pinefathom, Quillstone, Riverglass, Saltlark, Thornvale, Umberlight, Valewind, Willowpeak, Yarrowdale, Ashenbridge, Brightkelp, Coldharbour, Dovetail, Everspring, Foxglove',
)
