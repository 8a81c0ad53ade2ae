import type { AcceptedSurvivor } from './prices-survivors.ts'

/** Accepted survivors of `records/entities`. */
export const entitiesSurvivors: readonly AcceptedSurvivor[] = [
  {
    file: 'records/entities/resolve-entity.ts',
    code: 'for (let attempt = 0; attempt < attempts; attempt++) {',
    change: 'attempt++ → attempt--',
    reason:
      'only another node that writes at the same moment leads there: on PostgreSQL, not in the run of mutants; `resolve-entity.engines.test.ts` saves at the same moment on it',
  },
  {
    file: 'records/entities/resolve-entity.ts',
    code: 'for (let attempt = 0; attempt < attempts; attempt++) {',
    change: 'attempt < attempts → attempt <= attempts',
    reason:
      'only another node that writes at the same moment leads there: on PostgreSQL, not in the run of mutants; `resolve-entity.engines.test.ts` saves at the same moment on it',
  },
  {
    file: 'records/entities/resolve-entity.ts',
    code: "throw new Error('an entity kept changing while it was looked up')",
    change: '\'an entity kept changing while it was looked up\' → ""',
    reason:
      'only another node that writes at the same moment leads there: on PostgreSQL, not in the run of mutants; `resolve-entity.engines.test.ts` saves at the same moment on it',
  },
  {
    file: 'records/entities/resolve-entity.ts',
    code: 'if (made) return made',
    change: 'made → true',
    reason:
      'only another node that writes at the same moment leads there: on PostgreSQL, not in the run of mutants; `resolve-entity.engines.test.ts` saves at the same moment on it',
  },
  {
    file: 'records/entities/resolve-entity.ts',
    code: 'if (!row) return null',
    change: '!row → false',
    reason:
      'only another node that writes at the same moment leads there: on PostgreSQL, not in the run of mutants; `resolve-entity.engines.test.ts` saves at the same moment on it',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: '.toSorted((a, b) => (aliasText(a) < aliasText(b) ? -1 : 1))',
    change: '(a, b) => (aliasText(a) < aliasText(b) ? -1 : 1) → () => undefined',
    reason:
      'the order of the rows in one statement: only two nodes that write the same names at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: '.toSorted((a, b) => (aliasText(a) < aliasText(b) ? -1 : 1))',
    change: 'aliasText(a) < aliasText(b) → true',
    reason:
      'the order of the rows in one statement: only two nodes that write the same names at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: '.toSorted((a, b) => (aliasText(a) < aliasText(b) ? -1 : 1))',
    change: 'aliasText(a) < aliasText(b) → false',
    reason:
      'the order of the rows in one statement: only two nodes that write the same names at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: '.toSorted((a, b) => (aliasText(a) < aliasText(b) ? -1 : 1))',
    change: 'aliasText(a) < aliasText(b) → aliasText(a) <= aliasText(b)',
    reason:
      'the order of the rows in one statement: only two nodes that write the same names at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: '.toSorted((a, b) => (aliasText(a) < aliasText(b) ? -1 : 1))',
    change: 'aliasText(a) < aliasText(b) → aliasText(a) >= aliasText(b)',
    reason:
      'the order of the rows in one statement: only two nodes that write the same names at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: '.toSorted((a, b) => (aliasText(a) < aliasText(b) ? -1 : 1))',
    change: '-1 → +1',
    reason:
      'the order of the rows in one statement: only two nodes that write the same names at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: 'if (taken.length < claim.aliases.length) await rememberOvertaken(tx, claim)',
    change: 'taken.length < claim.aliases.length → true',
    reason: 'equivalent but slower: where all names were taken none is found to be overtaken',
  },
  {
    file: 'records/rows/alias-rows.ts',
    code: 'if (taken.length < claim.aliases.length) await rememberOvertaken(tx, claim)',
    change: 'taken.length < claim.aliases.length → taken.length <= claim.aliases.length',
    reason: 'equivalent but slower: where all names were taken none is found to be overtaken',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'const slug = id !== null && isDerivedCompanyId(id) ? companySlug(url) : null',
    change: 'id !== null → true',
    reason: 'equivalent: null is no derived id, and has no slug; the compiler wants to be told',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'return id === null || slug === null ? [] : [{ id, slug }]',
    change: 'id === null → false',
    reason: 'equivalent: null is no derived id, and has no slug; the compiler wants to be told',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'rows.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),',
    change: '(a, b) => (a.company_id < b.company_id ? -1 : 1) → () => undefined',
    reason:
      'the order of the rows in one statement: only two nodes that write the same pages at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'rows.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),',
    change: 'a.company_id < b.company_id → true',
    reason:
      'the order of the rows in one statement: only two nodes that write the same pages at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'rows.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),',
    change: 'a.company_id < b.company_id → false',
    reason:
      'the order of the rows in one statement: only two nodes that write the same pages at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'rows.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),',
    change: 'a.company_id < b.company_id → a.company_id <= b.company_id',
    reason:
      'the order of the rows in one statement: only two nodes that write the same pages at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'rows.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),',
    change: 'a.company_id < b.company_id → a.company_id >= b.company_id',
    reason:
      'the order of the rows in one statement: only two nodes that write the same pages at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: 'rows.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),',
    change: '-1 → +1',
    reason:
      'the order of the rows in one statement: only two nodes that write the same pages at the same moment could wait for each other by it',
  },
  {
    file: 'records/rows/company-pages.ts',
    code: "const valuesOf = (wanted: string) => ['', ...names.filter(({ type }) => type === wanted).map(({ value }) => value)]",
    change: '\'\' → "Stryker was here!"',
    reason: 'equivalent: it only keeps the list from being empty, and no page has either text',
  },
]
