import { fictionalCompany, fictionalPerson, type FictionalMonth } from '../fiction.ts'
import { hasHeader, recordFor, slugIn, type FakeReply, type FakeRequest, type Wire, type World } from './wire.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const companiesDataset = 'gd_l1vikfnt1wgvvqz95w'

function written(at: FictionalMonth | null): string {
  return at === null ? 'Present' : `${months[at.month - 1]} ${at.year}`
}

function person(slug: string) {
  const who = fictionalPerson(slug)
  const [senior, junior, earlier] = who.jobs
  const employer = senior?.company
  return {
    id: who.slug,
    linkedin_id: who.slug,
    linkedin_num_id: String(who.memberNumber),
    url: `https://www.linkedin.com/in/${who.slug}`,
    name: `${who.firstName} ${who.lastName}`,
    position: who.headline,
    about: who.summary.replace('\n', '<br>'),
    city: `${who.place.city}, ${who.place.region}, ${who.place.country}`,
    country_code: who.place.countryCode,
    followers: who.followers,
    connections: who.connections,
    // Several roles at one company are a group, a single role is a flat row.
    experience: [
      {
        title: employer?.name,
        company: employer?.name,
        company_id: employer?.slug,
        url: `https://www.linkedin.com/company/${employer?.slug}?trk=public_profile`,
        positions: [senior, junior].map((job) => ({
          title: job?.title,
          start_date: written(job?.start ?? null),
          end_date: written(job?.end ?? null),
        })),
      },
      {
        title: earlier?.title,
        company: earlier?.company.name,
        company_id: earlier?.company.slug,
        url: `https://www.linkedin.com/company/${earlier?.company.slug}`,
        start_date: written(earlier?.start ?? null),
        end_date: written(earlier?.end ?? null),
      },
    ],
    education: [
      {
        title: who.school.name,
        degree: who.school.degree,
        field: who.school.field,
        url: `https://www.linkedin.com/school/${who.school.slug}`,
        start_year: String(who.school.from),
        end_year: String(who.school.to),
      },
    ],
    certifications: [
      {
        title: who.certificate.name,
        subtitle: who.certificate.issuer,
        meta: `Issued ${written(who.certificate.issued)}See credential`,
      },
    ],
    languages: who.languages.map(({ name, proficiency }) => ({ title: name, subtitle: proficiency })),
  }
}

function company(slug: string) {
  const what = fictionalCompany(slug)
  const [low, high] = what.staffRange
  return {
    id: what.slug,
    company_id: String(what.number),
    url: `https://www.linkedin.com/company/${what.slug}`,
    name: what.name,
    slogan: what.tagline,
    about: what.description,
    industries: what.industry,
    specialties: what.specialities.join(', and '),
    company_size: high === null ? `${low.toLocaleString('en')}+ employees` : `${low}-${high} employees`,
    employees_in_linkedin: what.staffCount,
    organization_type: what.typeName,
    founded: what.foundedYear,
    followers: what.followers,
    website: what.website,
    country_code: what.place.countryCode,
    headquarters: `${what.place.city}, ${what.place.region}`,
    formatted_locations: [
      `${what.street}, ${what.place.city}, ${what.place.region} ${what.postalCode}, ${what.place.countryCode}`,
    ],
    funding: {
      rounds: what.funding.rounds,
      last_round_type: what.funding.type,
      last_round_date: `${what.funding.date}T00:00:00.000Z`,
      last_round_raised: `US$ ${(what.funding.amount / 1e6).toFixed(1)}M`,
    },
    affiliated: [],
  }
}

/** A missing page is an error inside a row. */
function row(url: string, isCompany: boolean, world: World): object {
  const slug = slugIn(url)
  const record = isCompany ? recordFor(world, 'companies', slug, company) : recordFor(world, 'people', slug, person)
  const about = { input: { url }, timestamp: new Date(Date.now() - world.sourceAgeDays * 86_400_000).toISOString() }
  if (typeof record === 'object' && record !== null) return { ...about, ...record }
  return { ...about, error: 'Page not found', error_code: 'dead_page' }
}

function scrape(request: FakeRequest, world: World): FakeReply {
  const inputs = JSON.parse(request.body) as { url: string }[]
  const rows = inputs.map(({ url }) => row(url, request.query.get('dataset_id') === companiesDataset, world))
  if (world.pollsUntilReady === 0) return { status: 200, body: rows }
  const id = `s_fake${world.snapshots.size + 1}`
  world.snapshots.set(id, { polls: world.pollsUntilReady, rows })
  return { status: 202, headers: { 'retry-after': '0' }, body: { snapshot_id: id, message: 'Still running' } }
}

function poll(request: FakeRequest, world: World): FakeReply {
  const [, what, id = ''] = /^\/datasets\/v3\/(progress|snapshot)\/(.+)$/.exec(request.path) ?? []
  const snapshot = world.snapshots.get(id)
  if (!snapshot) return { status: 404, body: { error: 'Snapshot does not exist' } }
  const isReady = snapshot.polls <= 0
  const running = { status: 'running', snapshot_id: id, message: 'Snapshot is not ready yet' }
  if (what === 'progress') {
    snapshot.polls -= 1
    return { status: 200, headers: { 'retry-after': '0' }, body: isReady ? { ...running, status: 'ready' } : running }
  }
  return isReady
    ? { status: 200, body: snapshot.rows }
    : { status: 202, headers: { 'retry-after': '0' }, body: running }
}

/** Bright Data: at once, or as a snapshot that must be polled. */
export const brightdata: Wire = {
  isAuthorized: (request, key) => hasHeader(request, 'authorization', `Bearer ${key}`),
  error: (status) => ({
    status,
    headers: status === 429 ? { 'retry-after': '7' } : {},
    body: status === 401 ? 'Invalid token' : { error: `fault ${status}` },
  }),
  answer(request, world) {
    if (request.path === '/datasets/v3/scrape' && request.method === 'POST') return scrape(request, world)
    return poll(request, world)
  },
}
