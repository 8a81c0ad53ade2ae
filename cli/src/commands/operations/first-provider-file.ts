/** Common vendor names of record fields; the first one in the payload is the guess. */
const guesses: Record<'person' | 'company', Record<string, readonly string[]>> = {
  person: {
    first_name: ['first_name', 'firstName', 'given_name', 'firstname', 'givenName'],
    last_name: ['last_name', 'lastName', 'family_name', 'lastname', 'familyName'],
    summary: ['summary', 'about', 'bio', 'description'],
    skills: ['skills'],
  },
  company: {
    company_name: ['company_name', 'name', 'companyName'],
    tagline: ['tagline', 'slogan'],
    description: ['description', 'about', 'summary'],
    founded_on: ['founded_on', 'foundedOn', 'founded_year', 'founded', 'year_founded', 'foundedYear'],
    company_url: ['company_url', 'website', 'websiteUrl', 'website_url'],
    followers_count: ['followers_count', 'followerCount', 'follower_count', 'followers'],
    specialities: ['specialities', 'specialties', 'tags'],
    logo_url: ['logo_url', 'logo', 'logoUrl'],
  },
}
const identities: Record<string, readonly string[]> = {
  number: [
    'memberIdentifier',
    'member_id',
    'profile_id',
    'user_id',
    'member_number',
    'linkedInId',
    'linkedin_id',
    'company_id',
    'number',
  ],
  slug: [
    'public_identifier',
    'publicIdentifier',
    'public_id',
    'handle',
    'slug',
    'universalName',
    'universal_name',
    'linkedin_url',
    'profile_url',
    'url',
  ],
  vendor: ['id', '_id', 'uuid'],
}
const jobLists = ['experience', 'experiences', 'positions', 'jobs', 'work_experience', 'employment_history']
const jobs: Record<string, readonly string[]> = {
  company_name: ['company_name', 'companyName', 'company', 'employer', 'organization_name'],
  title: ['title', 'position_title', 'jobTitle', 'role'],
  description: ['description', 'summary'],
}
const starts = ['start_date', 'startDate', 'start', 'from', 'start_at']
const ends = ['end_date', 'endDate', 'end', 'to', 'end_at']

/** Finds the record inside a payload: the object with the most known names. */
function recordIn(
  value: unknown,
  names: ReadonlySet<string>,
  path = '',
  depth = 0,
): { path: string; record: Record<string, unknown>; hits: number } {
  const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const own = {
    path,
    record,
    hits: Array.isArray(value) ? 0 : Object.keys(record).filter((name) => names.has(name)).length,
  }
  if (depth > 4) return own
  const inner = Object.entries(record)
    .slice(0, 50)
    .map(([name, part]) => recordIn(part, names, path ? `${path}.${name}` : name, depth + 1))
  return inner.reduce((best, one) => (one.hits > best.hits ? one : best), own)
}

/** Drafts a provider file, and lists what a person must complete. */
export function firstFile(
  name: string,
  kind: 'person' | 'company',
  payload: unknown,
): { text: string; missing: string[] } {
  const names = new Set(Object.values(guesses[kind]).flat())
  const { path, record } = recordIn(payload, names)
  const pick = (known: readonly string[]) => known.find((one) => Object.hasOwn(record, one))
  const fields = Object.entries(guesses[kind]).flatMap(([field, known]) =>
    pick(known) ? [`    ${field}: ${pick(known)}`] : [],
  )
  const ids = Object.entries(identities).flatMap(([part, known]) =>
    pick(known) ? [`    ${part}: ${pick(known)}`] : [],
  )
  const isNamed = fields.some((line) => /first_name|last_name|company_name/.test(line))
  const required = kind === 'person' ? 'first_name' : 'company_name'
  const lines = [
    '# yaml-language-server: $schema=provider-file.schema.json',
    ...[
      'format: 1',
      `name: ${name}`,
      `label: ${name}`,
      `site: https://${name}.example`,
      'version: 1',
      'certainty: inferred',
    ],
    ...['notes:', '  - { says: The shape of one answer, source: "TODO: where you read it", date: 2026-01-01 }'],
    ...[`url: https://api.${name}.example`, 'auth: { header: x-api-key }', 'verdicts:'],
    ...['  - { status: 404, is: not_found }', '  - { status: 200, is: found }'],
    ...[
      kind === 'person' ? 'people:' : 'companies:',
      '  requests:',
      '    - by: slug',
      '      get: /TODO',
      '      query: { url: "{url}" }',
    ],
    ...(path ? [`  root: ${path}`] : []),
    ...['  identity:', ...(ids.length > 0 ? ids : ['    slug: TODO'])],
    ...[
      '  record:',
      ...(isNamed ? [] : [`    ${required}: TODO`]),
      ...fields,
      ...(kind === 'person' ? jobLines(record) : []),
    ],
  ]
  const missing = [
    'site, url, auth and the path of the request, from the documentation of the vendor',
    'verdicts: how it says "not found", no credits, a bad key, too many calls',
    'billed: what a call costs, and where the answer says so',
    'notes and certainty: where each fact was read, and when',
    ...(ids.length > 0 ? [] : ['identity: nothing in the payload looks like an id or a page']),
    ...(isNamed ? [] : [`record.${required}: nothing in the payload looks like a name`]),
    `the rest of the record: "vitae providers test ${name}.provider.yaml --payloads ..." names paths that no payload has`,
  ]
  return { text: `${lines.join('\n')}\n`, missing }
}

function jobLines(record: Record<string, unknown>): string[] {
  const list = jobLists.find((one) => Array.isArray(record[one]))
  const [first] = list ? (record[list] as unknown[]) : []
  if (!list || typeof first !== 'object' || first === null) return []
  const pick = (known: readonly string[]) => known.find((one) => Object.hasOwn(first, one))
  const fields = Object.entries(jobs).flatMap(([field, known]) =>
    pick(known) ? [`      ${field}: ${pick(known)}`] : [],
  )
  const [start, end] = [pick(starts), pick(ends)]
  return [
    '    experience:',
    `      each: ${list}`,
    ...fields,
    ...(start ? [`      date_range: ${start}${end ? `, ${end}` : ''}`] : []),
  ]
}
