import { pricesSurvivors, type AcceptedSurvivor } from './prices-survivors.ts'

export const acceptedSurvivors: readonly AcceptedSurvivor[] = [
  {
    file: 'credits/decision/decide-settlement.ts',
    code: "verdict.outcome === 'refused' && (verdict.code === 'out_of_credits' || verdict.code === 'credit_ceiling_reached')",
    change: "verdict.outcome === 'refused' → true",
    reason: 'equivalent: only a refusal has a code; the compiler wants to be told',
  },
  {
    file: 'credits/decision/decide-settlement.ts',
    code: 'if (repeatFreeSince === null || call.entityId === null) return false',
    change: 'call.entityId === null → false',
    reason: 'equivalent: nothing is kept as paid without a record, so nothing is found; the compiler wants to be told',
  },
  {
    file: 'credits/decision/ledger-draft.ts',
    code: 'if (hold.idempotencyHash !== null) dropRunningRecord(draft, hold.environmentId, hold.idempotencyHash, id)',
    change: 'hold.idempotencyHash !== null → true',
    reason: 'equivalent: there is no record without a hash, so none is dropped; the compiler wants to be told',
  },
  ...pricesSurvivors,
  {
    file: 'lookup/match/compare-names.ts',
    code: "return [name, ...shortNames.filter((all) => all.some((form) => isNear(form, name))).map(([whole]) => whole ?? '')]",
    change: '\'\' → "Stryker was here!"',
    reason: 'equivalent: every row has a first word; the compiler wants to be told',
  },
  {
    file: 'lookup/match/sample-of.ts',
    code: "const reserved = /^(sample-[a-z-]+)(?:@example\\.com$|\\.)/.exec(email ?? domain ?? '')?.[1]",
    change: '\'\' → "Stryker was here!"',
    reason: 'equivalent: neither text is a reserved one',
  },
  {
    file: 'lookup/match/demands.ts',
    code: "const contradicted = lacks.filter((lack) => lack.startsWith(expectPrefix)).map((lack) => lack.split('=', 1)[0] ?? '')",
    change: '\'\' → "Stryker was here!"',
    reason: 'equivalent: a text that is split has a first part; the compiler wants to be told',
  },
  {
    file: 'lookup/match/expectations.ts',
    code: 'const besidesThem = [...education.flatMap(({ school_name: school }) => school ?? []), ...(headline ? [headline] : [])]',
    change: '[] → ["Stryker was here"]',
    reason: 'a word that nobody asks for stands beside the schools and the headline: it agrees with no employer',
  },
  {
    file: 'lookup/match/expectations.ts',
    code: 'const places = [locations?.headquarter, ...(locations?.all_locations ?? [])]',
    change: '[] → ["Stryker was here"]',
    reason: 'equivalent: a text in the place of a place has no country',
  },
  {
    file: 'records/identifiers/site-domain.ts',
    code: 'const scheme = /^([a-z][a-z0-9+.-]*):\\/\\//i.exec(trimmed)?.[1]?.toLowerCase()',
    change:
      '/^([a-z][a-z0-9+.-]*):\\/\\//i.exec(trimmed)?.[1]?.toLowerCase → /^([a-z][a-z0-9+.-]*):\\/\\//i.exec(trimmed)?.[1].toLowerCase',
    reason: 'equivalent: where the pattern matches it has its group; the compiler wants to be told',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: 'return text.length > atMost && Array.from(text).length > atMost',
    change: 'text.length > atMost → true',
    reason: 'equivalent but slower: a text has no more code points than code units, and the points decide',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: 'return text.length > atMost && Array.from(text).length > atMost',
    change: 'text.length > atMost → text.length >= atMost',
    reason: 'equivalent but slower: a text has no more code points than code units, and the points decide',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: "if (plainSlug.test(input)) return { kind, type: 'slug', value: input }",
    change: 'plainSlug.test(input) → false',
    reason: 'equivalent but slower: the checks behind it come to the same',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: "if (!encoded.includes('%')) return encoded",
    change: "!encoded.includes('%') → false",
    reason: 'equivalent but slower: the checks behind it come to the same',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: "if (!encoded.includes('%')) return encoded",
    change: '\'%\' → ""',
    reason: 'equivalent but slower: the checks behind it come to the same',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: "return id !== undefined && isOpaqueId(id) ? { kind: 'people', type: 'opaque', value: id } : null",
    change: 'id !== undefined → true',
    reason: 'equivalent: it cannot be missing there, or is refused right after; the compiler wants to be told',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: 'const plainSlug = /^(?!vitae-[\\da-f]{16}$)[a-z][a-z\\d-]{0,299}$/',
    change: '/^(?!vitae-[\\da-f]{16}$)[a-z][a-z\\d-]{0,299}$/ → /^(?!vitae-[\\da-f]{16})[a-z][a-z\\d-]{0,299}$/',
    reason: 'equivalent but slower: the checks behind it come to the same',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: 'const plainSlug = /^(?!vitae-[\\da-f]{16}$)[a-z][a-z\\d-]{0,299}$/',
    change: '/^(?!vitae-[\\da-f]{16}$)[a-z][a-z\\d-]{0,299}$/ → /^(?!vitae-[\\da-f]{16}$)[a-z][a-z\\d-]$/',
    reason: 'equivalent but slower: the checks behind it come to the same',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: 'const readableAscii = /^[!-[\\]-~]+$/',
    change: '/^[!-[\\]-~]+$/ → /^[!-[\\]-~]$/',
    reason: 'equivalent but slower: the checks behind it come to the same',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: "const [, authority = '', path = ''] = authorityAndPath.exec(url) ?? []",
    change: '\'\' → "Stryker was here!"',
    reason: 'equivalent: it cannot be missing there, or is refused right after; the compiler wants to be told',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: "const [, authority = '', path = ''] = authorityAndPath.exec(url) ?? []",
    change: '[] → ["Stryker was here"]',
    reason: 'equivalent: it cannot be missing there, or is refused right after; the compiler wants to be told',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: 'const name = hostName.exec(authority)?.[1]?.toLowerCase()',
    change: 'hostName.exec(authority)?.[1]?.toLowerCase → hostName.exec(authority)?.[1].toLowerCase',
    reason: 'equivalent: it cannot be missing there, or is refused right after; the compiler wants to be told',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: "if (id === undefined || kind === 'companies') return id",
    change: 'id === undefined → false',
    reason: 'equivalent: it cannot be missing there, or is refused right after; the compiler wants to be told',
  },
  {
    file: 'records/identifiers/parse-identifier.ts',
    code: 'const authorityAndPath = /^(?:(?:[a-z][a-z\\d+.-]*:)?\\/\\/)?([^/?#]*)([^?#]*)/i',
    change:
      '/^(?:(?:[a-z][a-z\\d+.-]*:)?\\/\\/)?([^/?#]*)([^?#]*)/i → /(?:(?:[a-z][a-z\\d+.-]*:)?\\/\\/)?([^/?#]*)([^?#]*)/i',
    reason: 'equivalent: it matches any text at its start',
  },
]
