/** A mutant that no test can or need detect. */
export interface AcceptedSurvivor {
  file: string
  /** The code around the mutant. Its line breaks do not count. */
  code: string
  change: string
  reason: string
}

/** Accepted survivors of `credits/prices`. */
export const pricesSurvivors: readonly AcceptedSurvivor[] = [
  {
    file: 'credits/prices/compiled-book.ts',
    code: "if (!price) throw new Error('a price book has no line for a call')",
    change: '!price → false',
    reason: 'equivalent: it cannot be missing there; the compiler wants to be told',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: "if (!price) throw new Error('a price book has no line for a call')",
    change: '\'a price book has no line for a call\' → ""',
    reason: 'equivalent: it cannot be missing there; the compiler wants to be told',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: "const by = pricedBy[rest % pricedBy.length] ?? 'lookup'",
    change: '\'lookup\' → ""',
    reason: 'equivalent: it cannot be missing there; the compiler wants to be told',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: "const kind = pricedKinds[Math.floor(rest / pricedBy.length)] ?? 'people'",
    change: '\'people\' → ""',
    reason: 'equivalent: it cannot be missing there; the compiler wants to be told',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: "const source = dataSources[index >> 2] ?? 'live'",
    change: '\'live\' → ""',
    reason: 'equivalent: it cannot be missing there; the compiler wants to be told',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: 'this.#projects = new Set(lists.lines.flatMap(({ project }) => project ?? []))',
    change: '[] → ["Stryker was here"]',
    reason: 'equivalent: a project that no line names has the prices of all others',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: 'this.#environments = new Set(lists.lines.flatMap(({ environment }) => environment ?? []))',
    change: '[] → ["Stryker was here"]',
    reason: 'equivalent: an environment that no line names has the prices of all others',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: "return this.#parts.length === 0 || ask.kind !== 'people' ? price : this.#withParts(price, ask, end)",
    change: 'this.#parts.length === 0 → false',
    reason: 'equivalent but slower: where no part has a price none is added',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: "const where = { project: project ?? '', environment: environment ?? '' }",
    change: '\'\' → "Stryker was here!"',
    reason: 'equivalent: no line names such a project or environment either',
  },
  {
    file: 'credits/prices/compiled-book.ts',
    code: 'return asked.length === 0 ? price : { credits: price.credits + extras, extras, note: noteOf(price.note, asked) }',
    change: 'asked.length === 0 → false',
    reason: 'equivalent but slower: a copy of the same price',
  },
  {
    file: 'credits/prices/price-book.ts',
    code: "fits: (value: unknown) => typeof value === 'string' && names.includes(value),",
    change: "typeof value === 'string' → true",
    reason: 'equivalent: a list of texts includes nothing but texts; the compiler wants to be told',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: '#books: readonly CompiledBook[] = []',
    change: '[] → ["Stryker was here"]',
    reason: 'equivalent: a text in the place of a book is valid at no moment',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: '#until = -Infinity',
    change: '-Infinity → +Infinity',
    reason: 'equivalent: no moment is behind the other bound',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: 'this.#until = -Infinity',
    change: '-Infinity → +Infinity',
    reason: 'equivalent: no moment is behind the other bound',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: 'if (now >= this.#from && now < this.#until) return this.#current',
    change: 'now >= this.#from && now < this.#until → false',
    reason: 'equivalent but slower: the book is looked up again, and is the same',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: 'if (now >= this.#from && now < this.#until) return this.#current',
    change: 'now >= this.#from → now > this.#from',
    reason: 'equivalent but slower: the book is looked up again, and is the same',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: 'this.#from = index < 0 ? -Infinity : this.#current.validFrom',
    change: 'index < 0 → false',
    reason: 'equivalent: the book of the variables is valid from 0, and no moment is before that',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: 'this.#from = index < 0 ? -Infinity : this.#current.validFrom',
    change: '-Infinity → +Infinity',
    reason: 'equivalent but slower: the book is looked up again, and is the same',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: 'this.#until = this.#books[index < 0 ? this.#books.length - 1 : index - 1]?.validFrom ?? Infinity',
    change: 'index < 0 → true',
    reason: 'equivalent but slower: the book is looked up again, and is the same',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: 'this.#until = this.#books[index < 0 ? this.#books.length - 1 : index - 1]?.validFrom ?? Infinity',
    change: 'index < 0 → index <= 0',
    reason: 'equivalent but slower: the book is looked up again, and is the same',
  },
  {
    file: 'credits/prices/price-books.ts',
    code: '{ credits: companies },',
    change: '{ credits: companies } → {}',
    reason:
      'never reached: the lines before it fit every call; it stands there because the last line of a book must fit all',
  },
  {
    file: 'credits/prices/price-note.ts',
    code: "const [book, line = '', ...parts] = text.split(' ')",
    change: '\'\' → "Stryker was here!"',
    reason: 'equivalent: every note that is written has its line; the compiler wants to be told',
  },
]
