/** A complete provider file. Tests change one line of it. */
export const acme = `format: 1
name: acmedata
label: AcmeData
site: https://acmedata.example
version: 1
certainty: documented
notes:
  - { says: All of it, source: our own making, date: 2026-11-18 }
url: https://api.acmedata.example/base
variables:
  region: { says: Where it looks, default: eu }
auth: { header: x-acme-key }
headers: { x-host: "{host}", x-region: "{region}" }
rate_limit: { header: x-reset }
billed: { path: credits, found: 1.5, not_found: 0, free_if: { path: repeat, equals: true } }
verdicts:
  - { status: 400, path: code, equals: NO_MATCH, is: not_found }
  - { status: 200, path: person, is_array: true, is: not_found }
  - { status: [200, 203], path: person, absent: false, is: found }
  - { status: 451, is: not_found }
  - { status: 403, is: rate_limited }
  - { status: 409, is: out_of_credits }
never_store: [person.contacts, person.jobs.*.colleagues]
people:
  requests:
    - by: [slug, opaque]
      post: /v2/person
      json: { profile: "{url}", parts: [jobs, skills] }
      max_age_days: { max_age: "{max_age_days}" }
      bypass_cache: { live: true }
    - by: number
      get: /v2/person/{id}
    - by: name+company_domain
      get: /v2/match
      query: { name: "{name}", site: "{company_domain}", city: "{location}" }
  root: [person, data.0]
  identity:
    number: member
    opaque: urn
    slug: [handle, page]
    vendor: id
  updated_at: $$.seen
  record:
    first_name: [given, full | first_name]
    last_name: [family, full | last_name]
    headline: headline
    summary: about
    location:
      name: place.city, place.country | join
      city: place.city
      country_code: place.country | null_if('UNK')
    network_info: { followers_count: followers }
    badges: { open_to_work: status | is('open') }
    experience:
      each: jobs, past
      where: { path: kind, not_in: [school] }
      company_name: employer
      company_id: employer_urn | number
      key: site
      title: title
      date_range: from, to | no_invented
      is_current: current
    education:
      each: jobs
      where: [{ path: kind, equals: school }, { path: employer, empty: false }]
      school_name: employer
      date_range: years | period
    skills: skills.*.name
    certifications:
      each: papers
      name: title
      date_range: issued | issued
`

/** A fictional person in the format of that file. */
export const wren = {
  seen: '2026-03-01T00:00:00Z',
  credits: 0.25,
  person: {
    id: 'a1',
    member: '5550100',
    handle: 'Wren-Saltmarsh',
    full: 'Wren Odette Saltmarsh',
    headline: 'Reads tides',
    place: { city: 'Lowen', country: 'NLD' },
    followers: '1,204',
    status: 'open',
    jobs: [
      {
        employer: 'Ebb Office',
        employer_urn: 'urn:x:5550200',
        title: 'Tide Reader',
        from: '2021-04-01',
        current: true,
      },
      { kind: 'school', employer: 'Harbour School', years: '2010 - 2014' },
    ],
    past: [
      { employer: 'Ebb Office', employer_urn: 'urn:x:5550200', title: 'Clerk', from: '2018-01-01', to: '2021-03-31' },
    ],
    skills: [{ name: 'Tides' }, { name: 'Charts' }],
    papers: [{ title: 'Pilot', issued: 'Issued May 2012 · Expires May 2016' }],
    contacts: [{ name: 'Someone Else', phone: '+31 555 0100' }],
  },
}
