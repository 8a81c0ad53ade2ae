import { inWords, nameIn, showCompany, showPerson, type Question, type Reply } from './answering.ts'
import type { CompanyView, PersonView, ShownJob } from './view.ts'

const companiesDataset = 'gd_l1vikfnt1wgvvqz95w'

/** Several roles at one company are a group, a single role is a flat row. */
function row({ company, roles }: ShownJob) {
  const employer = {
    company: company.name,
    company_id: company.slug,
    url: `https://www.linkedin.com/company/${company.slug}?trk=public_profile`,
  }
  const dated = roles.map(({ title, from, to }) => ({
    title,
    start_date: inWords(from),
    end_date: to === null ? 'Present' : inWords(to),
  }))
  return dated.length === 1 ? { ...employer, ...dated[0] } : { ...employer, title: company.name, positions: dated }
}

function person(view: PersonView) {
  const { slug, member, current, jobs } = view
  return {
    id: slug,
    linkedin_id: slug,
    linkedin_num_id: member === null ? null : String(member),
    url: `https://www.linkedin.com/in/${slug}`,
    name: `${view.first} ${view.last}`,
    first_name: view.first,
    last_name: view.last,
    about: view.about,
    country_code: view.country,
    current_company: current && {
      name: current.company.name,
      company_id: current.company.slug,
      title: current.roles[0]?.title,
      link: `https://www.linkedin.com/company/${current.company.slug}?trk=public_profile`,
    },
    current_company_name: current?.company.name,
    current_company_company_id: current?.company.slug,
    experience: jobs && jobs.map(row),
    education: jobs && [],
  }
}

function company(view: CompanyView) {
  return {
    id: view.slug,
    company_id: view.number === null ? null : String(view.number),
    url: `https://www.linkedin.com/company/${view.slug}`,
    name: view.name,
    about: view.about,
    website: `https://${view.site}`,
    country_code: view.country,
  }
}

/** Bright Data: a missing page is an error inside a row. */
export function brightdata(question: Question): Reply {
  const { request, pages, lens, day } = question
  const [{ url } = { url: '' }] = JSON.parse(String(request.body)) as { url: string }[]
  const isCompany = request.url.searchParams.get('dataset_id') === companiesDataset
  const seen = isCompany ? pages.company(lens, nameIn(url), day) : null
  const who = isCompany ? null : pages.person(lens, nameIn(url), day)
  const shown = seen ? showCompany(question, seen) : who && showPerson(question, who)
  const about = { input: { url } }
  if (!shown) return { status: 200, body: [{ ...about, error: 'Page not found', error_code: 'dead_page' }], shown }
  return { status: 200, body: [{ ...about, ...('person' in shown ? person(shown) : company(shown)) }], shown }
}
