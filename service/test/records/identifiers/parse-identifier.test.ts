import { kinds, type Kind } from '@vitae/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/foundation/failure.ts'
import type { Identifier } from '../../../src/foundation/identifier.ts'
import { hostileStrings, hostileUrls } from '../../corpora/corpora.ts'
import {
  companyPageOf,
  companySlug,
  parseIdentifier,
  parseRef,
} from '../../../src/records/identifiers/parse-identifier.ts'

/** The identifier, or null for a 400. Any other error fails the test. */
function read(kind: Kind, input: string, hosts?: readonly string[]): Identifier | null {
  try {
    return parseIdentifier(kind, input, hosts)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error
    expect(error.details.errors).toEqual([
      { parameter: kind === 'people' ? 'profile_id' : 'company_id', detail: expect.any(String) },
    ])
    return null
  }
}

const slug = (kind: Kind, value: string): Identifier => ({ kind, type: 'slug', value })
const memberId = 'ACoAAB1cDeFgHiJkLmNoPqRsTuVwXyZ_-012345'

describe('people', () => {
  test.each([
    ['ada-example', 'ada-example'],
    ['Ada-EXAMPLE', 'ada-example'],
    ['  ada-example  ', 'ada-example'],
    ['ada.b_example', 'ada.b_example'],
    ['12345', '12345'],
    ['007', '007'],
    ['https://www.linkedin.com/in/ada-example', 'ada-example'],
    ['https://www.linkedin.com/in/ada-example/', 'ada-example'],
    ['https://www.linkedin.com/in/ada-example///', 'ada-example'],
    ['HTTP://DE.LinkedIn.COM/IN/Ada-Example/?trk=x&y=%zz#about', 'ada-example'],
    ['//linkedin.com/in/ada-example', 'ada-example'],
    ['www.linkedin.com/in/ada-example', 'ada-example'],
    ['linkedin.com/in/ada-example?originalSubdomain=de', 'ada-example'],
    ['https://linkedin.com/in/ada-example/de', 'ada-example'],
    ['https://linkedin.com/in/ada-example/details/experience/', 'ada-example'],
    ['https://linkedin.com/in/jos%C3%A9-example', 'josé-example'],
    ['jos%c3%a9-example', 'josé-example'],
    ['JOSE\u0301-example', 'josé-example'],
    ['https://jp.linkedin.com/in/山田-太郎-99', '山田-太郎-99'],
    ['अदिति-उदाहरण', 'अदिति-उदाहरण'],
    ['नमस्\u200Dते', 'नमस्\u200Dते'],
    ['ada-👩\u200D💻', 'ada-👩\u200D💻'],
    ['ada-❤\uFE0F-👍🏽-🇳🇱', 'ada-❤\uFE0F-👍🏽-🇳🇱'],
    ['ANNAABEL', 'annaabel'],
    ['H\u0331', '\u1E96'],
    ['ada-example/', 'ada-example'],
    ['ada-example//', 'ada-example'],
    ['in/ada-example', 'ada-example'],
    ['in//ada-example', 'ada-example'],
    ['https://www.de1.linkedin.com/in/ada-example', 'ada-example'],
    ['https://linkedin.com/in/ada-example/.x', 'ada-example'],
    ['/in/ada-example/', 'ada-example'],
    ['in/jos%C3%A9-example/?x=1', 'josé-example'],
    ['https://www.linkedin.com/mwlite/in/ada-example', 'ada-example'],
    ['https://www.linkedin.com:443/in/ada-example/', 'ada-example'],
    ['https://www.linkedin.com//in//ada-example//', 'ada-example'],
  ])('%s is the slug %s', (input, value) => {
    expect(read('people', input)).toEqual(slug('people', value))
  })

  test.each([memberId, `https://www.linkedin.com/in/${memberId}/`, `linkedin.com/in/${memberId}?x#y`])(
    'the opaque member id in %s keeps its case',
    (input) => {
      expect(read('people', input)).toEqual({ kind: 'people', type: 'opaque', value: memberId })
    },
  )

  const lead = memberId.replace('ACoAA', 'ACwAA')
  test.each([
    [`urn:li:fsd_profile:${memberId}`, memberId],
    [`urn:li:fs_miniProfile:${memberId}`, memberId],
    [`urn:li:fs_salesProfile:(${lead},NAME_SEARCH,a1B2)`, lead],
    [`https://www.linkedin.com/sales/lead/${lead},NAME_SEARCH,a1B2`, lead],
    [`https://www.linkedin.com/sales/lead/${lead}%2CNAME_SEARCH?x=1`, lead],
    [`linkedin.com/sales/people/${lead},name,x/`, lead],
    [`linkedin.com/sales/lead/${lead}`, lead],
  ])('%s is the opaque member id in it', (input, value) => {
    expect(read('people', input)).toEqual({ kind: 'people', type: 'opaque', value })
  })

  test.each([
    ['urn:li:member:900000001', 'urn:li:member:900000001'],
    ['URN:LI:Member:900000001', 'urn:li:member:900000001'],
    ['urn:vitae:person:00ff00ff00ff00ff', 'urn:vitae:person:00ff00ff00ff00ff'],
    ['urn:vitae:profile:00ff00ff00ff00ff', 'urn:vitae:person:00ff00ff00ff00ff'],
    ['urn:vitae:profile:900000001', 'urn:li:member:900000001'],
    ['urn:example:Person-7', 'urn:example:Person-7'],
    ['urn:7x:person', 'urn:7x:person'],
    ['urn:x7:person', 'urn:x7:person'],
  ])('%s, as in a record, is the member_urn %s', (input, value) => {
    expect(read('people', input)).toEqual({ kind: 'people', type: 'urn', value })
  })

  test('an old /pub/ URL is refused with the reason', () => {
    const ask = () => parseIdentifier('people', 'https://www.linkedin.com/pub/ada-example/1/2/3')
    expect(ask).toThrow(/old \/pub\/ address.*send the \/in\/ address/)
  })

  test('other typed prefixes of member ids are opaque too', () => {
    for (const prefix of ['ACwAA', 'AEMAA', 'AEoAA']) {
      expect(read('people', memberId.replace('ACoAA', prefix))?.type).toBe('opaque')
    }
  })

  test.each([
    'https://www.linkedin.com/company/x',
    'https://www.linkedin.com/pub/ada/1/2/3',
    'https://www.linkedin.com/sales/lead/ada-example,NAME_SEARCH',
    'urn:li:company:1441',
    'urn:li:fsd_profile:ada-example',
    'urn:li:member:007',
    'urn:li:member:7x',
    'urn:vitae:person:00ff00ff00ff00ff0',
    'urn:vitae:profile:7x',
    'urn:example:xé',
    `urn:li:fsd_profile:${memberId}!`,
    'urn:li:share:urn:li:member:7',
    'urn:li:share:urn:vitae:person:00ff00ff00ff00ff',
    'urn:li:share:urn:vitae:profile:7',
    'urn:li:share:urn:example:7',
    `urn:vitae:urn:li:fsd_profile:${memberId}`,
    'ada-example/details',
    'https://www.linkedin.com/x/in/ada-example',
    `https://www.linkedin.com/x/sales/lead/${memberId}`,
    'mcdonald’s',
    'a+b',
    'a!',
    'a&b',
  ])('%s is not a person', (input) => {
    expect(read('people', input)).toBeNull()
  })
})

describe('companies', () => {
  test.each([
    ['booking.com', 'booking.com'],
    ['https://www.linkedin.com/company/example-works/about/', 'example-works'],
    ['https://www.linkedin.com/school/example-university', 'example-university'],
    ['https://www.linkedin.com/showcase/example-lab/?x=1', 'example-lab'],
    ["old-miller's-&-sons", "old-miller's-&-sons"],
    ['https://linkedin.com/company/miller%26sons', 'miller&sons'],
    ['株式会社例', '株式会社例'],
    [memberId, memberId.toLowerCase()],
    ['3m-example', '3m-example'],
    ['company/Example-Works', 'example-works'],
    ['company//example-works', 'example-works'],
    ['example-works/', 'example-works'],
    ['https://www.linkedin.com/organization-guest/company/example-works?trk=x', 'example-works'],
    ['https://www.linkedin.com/mwlite/company/example-works/', 'example-works'],
  ])('%s is the slug %s', (input, value) => {
    expect(read('companies', input)).toEqual(slug('companies', value))
  })

  test.each([
    '1441',
    'https://www.linkedin.com/company/1441/',
    'linkedin.com/school/1441?x',
    '%31441',
    'urn:li:company:1441',
    'urn:li:organization:1441',
    'urn:li:fsd_company:1441',
    'urn:li:fs_company:1441',
    'urn:li:fs_normalized_company:1441',
    'https://www.linkedin.com/sales/company/1441',
    'https://www.linkedin.com/sales/company/1441/people?x',
    'company/1441',
  ])('the digits of %s are a company number', (input) => {
    expect(read('companies', input)).toEqual({ kind: 'companies', type: 'id', value: '1441' })
  })

  test('a derived company_id, as in a record, is a company id', () => {
    expect(read('companies', 'vitae-00ff00ff00ff00ff')).toMatchObject({ type: 'id', value: 'vitae-00ff00ff00ff00ff' })
  })

  test.each([
    '0',
    '007',
    'https://www.linkedin.com/company/01441',
    'urn:li:company:1441x',
    'urn:li:share:urn:li:company:1441',
    'https://www.linkedin.com/x/company/1441',
    'https://www.linkedin.com/x/sales/company/1441',
  ])('%s is not a company number', (input) => {
    expect(read('companies', input)).toBeNull()
  })
})

describe('refused for both kinds', () => {
  const host = 'https://linkedin.com@evil.example'
  test.each([
    ['nothing', ''],
    ['blanks', '   '],
    ['dots', '...'],
    ['dashes', '---'],
    ['a mark alone', '\u0301'],
    ['a space inside', 'ada example'],
    ['an escaped space inside', 'ada%20example'],
    ['a tab at the end', 'ada\t'],
    ['a line break', 'ada\nexample'],
    ['a null byte', 'ada\0'],
    ['an escaped null byte', 'ada%00'],
    ['a lone surrogate', 'ada\uD800'],
    ['an escaped surrogate', 'ada%ED%A0%80'],
    ['a byte order mark', '\uFEFFada'],
    ['a right-to-left override', 'ada\u202Eexample'],
    ['a zero-width space', 'ada\u200Bexample'],
    ['a joiner at the end', 'ada\u200D'],
    ['a joiner between dashes', 'a-\u200D-b'],
    ['a private-use character', 'ada\uE000'],
    ['a backslash', 'ada\\example'],
    ['a malformed escape', 'ada%zz'],
    ['a lone percent sign', 'ada%'],
    ['an escape twice encoded', 'jos%25C3%25A9'],
    ['an escaped slash', 'ada%2Fexample'],
    ['a urn of something else', 'urn:li:share:900000001'],
    ['a urn without a name', 'urn:li:member:'],
    ['another host', 'https://evil.example/{section}/ada'],
    ['a user name', `${host}/{section}/ada`],
    ['a user name and password', 'https://a:b@linkedin.com/{section}/ada'],
    ['a port', 'https://linkedin.com:8443/{section}/ada'],
    ['two ports', 'https://linkedin.com:443:443/{section}/ada'],
    ['a lookalike suffix', 'https://linkedin.com.evil.example/{section}/ada'],
    ['a lookalike prefix', 'https://evillinkedin.com/{section}/ada'],
    ['a letter that lower-cases to ASCII', 'https://lin\u212Aedin.com/{section}/ada'],
    ['a full-width dot', 'https://linkedin．com/{section}/ada'],
    ['an escaped host', 'https://linkedin%2ecom/{section}/ada'],
    ['an empty label', 'https://.linkedin.com/{section}/ada'],
    ['no host', 'https:///{section}/ada'],
    ['no slashes', 'https:linkedin.com/{section}/ada'],
    ['a backslash for a slash', 'https://linkedin.com\\{section}\\ada'],
    ['a relative path of another section', '/jobs/ada'],
    ['no slug', 'https://linkedin.com/{section}/'],
    ['the front page', 'https://www.linkedin.com/'],
    ['another section', 'https://www.linkedin.com/jobs/view/1'],
    ['a parent step in the path', 'https://linkedin.com/{section}/ada/../bob'],
    ['an escaped parent step', 'https://linkedin.com/{section}/%2e%2E/ada'],
    ['an escaped slash in the slug', 'https://linkedin.com/{section}/ada%2fbob'],
    ['a space in the query', 'https://linkedin.com/{section}/ada?q=a b'],
  ])('%s', (_, template) => {
    for (const kind of kinds) {
      const input = template.replace('{section}', kind === 'people' ? 'in' : 'company')
      expect(read(kind, input)).toBeNull()
    }
  })

  test("a failure never repeats the caller's text", () => {
    expect(() => parseIdentifier('people', 'ada secretname')).toThrow(/^(?!.*secretname)/)
  })
})

describe('the limit of 300 characters', () => {
  test.each([
    ['a', 300],
    ['é', 300],
    ['%C3%A9', 300],
    ['𝒶', 300],
  ])('300 times %s fits and once more does not', (text, times) => {
    for (const kind of kinds) {
      expect(Array.from(read(kind, text.repeat(times))?.value ?? '')).toHaveLength(300)
      expect(read(kind, text.repeat(times + 1))).toBeNull()
    }
  })

  test('is 2,000 for a whole URL, and 300 for the slug in it', () => {
    const url = 'https://www.linkedin.com/in/ada?'
    expect(read('people', url.padEnd(2_000, 'x'))).toEqual(slug('people', 'ada'))
    expect(read('people', url.padEnd(2_001, 'x'))).toBeNull()
    expect(read('people', `${url}${'%C3%A9'.repeat(2_001)}`)).toBeNull()
    expect(read('people', `${url}${'%C3%A9'.repeat(1_900)}`)).toEqual(slug('people', 'ada'))
    expect(read('people', `https://www.linkedin.com/in/${'a'.repeat(301)}`)).toBeNull()
    expect(read('people', 'https://www.linkedin.com/comm/in/ada?midToken=x')).toEqual(slug('people', 'ada'))
    expect(read('people', 'https://www.linkedin.com/m/in/ada/')).toEqual(slug('people', 'ada'))
  })

  test('applies to a text that grows when normalised', () => {
    expect(read('people', 'İ'.repeat(150))?.value).toHaveLength(300)
    expect(read('people', 'İ'.repeat(151))).toBeNull()
  })
})

describe('laws', () => {
  const anyKind = fc.constantFrom(...kinds)
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...'aZ0-_.%2fA/:@?#é山😀\u200D İΣ\u0301') }),
    fc.webUrl(),
    fc.string().map((path) => `https://www.linkedin.com/${path}`),
    fc.string({ unit: 'grapheme' }).map((name) => `linkedin.com/in/${name}`),
    fc.string({ unit: 'grapheme' }).map((name) => `https://x.linkedin.com/company/${encodeURIComponent(name)}/about`),
  )

  test('every text is an identifier or a 400, and the value of an identifier parses as the same identifier', () => {
    fc.assert(
      fc.property(anyKind, anyText, (kind, text) => {
        const identifier = read(kind, text)
        if (identifier) expect(read(kind, identifier.value)).toEqual(identifier)
      }),
      { numRuns: 5000 },
    )
  })

  const slugs = fc.stringMatching(/^[a-z\d][a-z\d._-]{0,60}$/).filter((value) => /[a-z]/.test(value))

  test('all spellings of one slug give one identifier', () => {
    const schemes = fc.constantFrom('', '//', 'http://', 'https://', 'HTTPS://')
    const domains = fc.constantFrom('linkedin.com', 'www.linkedin.com', 'de.linkedin.com', 'M.LinkedIn.com')
    const tails = fc.constantFrom('', '/', '//', '/about/', '/de', '?a=b', '#top', '/?a=/in/other')
    const sections = fc.constantFrom('/in/', '//in//', '/mwlite/in/', ':443/in/')
    fc.assert(
      fc.property(slugs, schemes, domains, sections, tails, (name, scheme, domain, section, tail) => {
        const expected = slug('people', name)
        expect(read('people', name)).toEqual(expected)
        expect(read('people', name.toUpperCase())).toEqual(expected)
        expect(read('people', `${scheme}${domain}${section}${name}${tail}`)).toEqual(expected)
        expect(read('people', `in/${name}${tail}`)).toEqual(expected)
      }),
    )
  })

  test('only the configured hosts and their sub-domains count', () => {
    const hosts = ['people.example', 'staff.example']
    for (const host of [...hosts, 'www.people.example']) {
      expect(read('people', `https://${host}/in/ada`, hosts)).toEqual(slug('people', 'ada'))
    }
    expect(read('people', 'https://linkedin.com/in/ada', hosts)).toBeNull()
    fc.assert(
      fc.property(fc.domain(), (domain) => {
        fc.pre(!domain.endsWith('linkedin.com'))
        expect(read('people', `https://${domain}/in/ada`)).toBeNull()
      }),
    )
  })
})

describe('hostile text', () => {
  test('every string is an identifier or a 400', () => {
    const strings = hostileStrings()
    for (const kind of kinds) for (const text of strings) read(kind, text)
    expect(strings.length).toBeGreaterThan(100)
  })

  test('no URL of another host is accepted as one of the platform', () => {
    const platform =
      /^\s*([a-z]+:)?[/\\]*([^/\\@]*@)?([a-z0-9-]+\.)*linkedin\.com\.?(:\d*)?[/\\]|^\/*(in|company|school|showcase)\/|^urn:/i
    // A slug with trailing slashes names no host.
    const isAddress = (url: string) => /[/:]/.test(url.replace(/\/+$/, '')) || url.includes('.')
    const taken = kinds.flatMap((kind) =>
      hostileUrls().filter((url) => /[/:]/.test(url) && isAddress(url) && read(kind, url)),
    )

    expect(taken.filter((url) => !platform.test(url))).toEqual([])
  })
})

describe('the page of a company', () => {
  const page = (path: string) => `https://www.linkedin.com/${path}`

  test('has a slug, unless it is named by a number or is not a page of the platform', () => {
    const named = ['company/Acme/', 'school/acme', 'showcase/acme?x=1'].map((path) => companySlug(page(path)))
    expect(named).toEqual(['acme', 'acme', 'acme'])
    const unnamed = [
      null,
      page('company/7'),
      page('company/vitae-00ff00ff00ff00ff'),
      page('jobs/7'),
      'https://acme.example',
    ]
    expect(unnamed.map(companySlug)).toEqual([null, null, null, null, null])
    // An internal error is not treated as a URL without a slug.
    expect(() => companySlug(7 as never)).toThrow(TypeError)
  })

  test.each([
    ['company', ['acme', '7', 'school', 'company/acme', page('company/acme'), page('company/acme?from=/school/acme')]],
    ['school', ['school/acme', 'SCHOOL/acme', '/school/acme/', page('school/acme'), page('School/acme?x=/showcase/x')]],
    ['showcase', ['showcase/acme', page('showcase/acme/'), page('m/showcase/acme')]],
  ])('is recognised as a %s by its path alone', (kind, texts) => {
    expect(texts.map(companyPageOf)).toEqual(texts.map(() => kind))
  })
})

describe('an id as operators write it', () => {
  const hosts = ['people.example']

  test.each([
    ['people', 'urn:example:Person-7'],
    ['companies', 'urn:example:Works'],
    ['companies', 'vitae-00ff00ff00ff00ff'],
  ] as const)('of %s, %s is a key in full and taken as it is', (kind, text) => {
    expect(parseRef(kind, text, hosts)).toEqual({ key: text })
  })

  test.each([
    ['people', 'vitae-00ff00ff00ff00ff'],
    ['companies', 'vitae-00ff00ff00ff00ff0'],
    ['companies', 'x-vitae-00ff00ff00ff00ff'],
    ['companies', 'vitae-00ff00ff00ff00fg'],
  ] as const)('of %s, %s is the slug that a caller would mean by it', (kind, value) => {
    expect(parseRef(kind, value, hosts)).toEqual({ identifier: { kind, type: 'slug', value } })
  })

  test("a URL is parsed with the platform's hosts, and a URN is recognised by its beginning", () => {
    expect(parseRef('people', 'https://people.example/in/ada', hosts).identifier?.value).toBe('ada')
    for (const kind of ['people', 'companies'] as const) {
      expect(() => parseRef(kind, 'https://linkedin.com/in/ada', hosts)).toThrow(/people\.example/)
      expect(() => parseRef(kind, 'x-urn:li:member:7', hosts)).toThrow(/_id must be/)
    }
  })
})
