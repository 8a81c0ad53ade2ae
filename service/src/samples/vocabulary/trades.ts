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

export const trades: readonly Trade[] = [
  {
    industry: { id: '4', name: 'Software Development' },
    words: ['Software', 'Systems', 'Data Works', 'Cloud'],
    taglines: ['Tools that stay out of the way', 'Software for people with other things to do'],
    does: [
      'builds scheduling and billing software for field-service teams',
      'runs a data platform for regional transport authorities',
    ],
    specialities: list('Distributed systems, Developer tools, Observability, Data platforms, Billing, APIs'),
    ladders: [
      ['Junior Software Engineer', 'Software Engineer', 'Senior Software Engineer', 'Engineering Manager'],
      ['Support Engineer', 'Site Reliability Engineer', 'Senior Site Reliability Engineer', 'Head of Platform'],
    ],
    work: [
      'Moved the billing pipeline from nightly batches to a stream and cut reconciliation from days to minutes.',
      'Owned the public API: versioning, documentation and the on-call rota behind it.',
      'Led six engineers through the split of a monolith into four services with clear owners.',
      'Rewrote the test suite so that a release no longer waits for a person.',
    ],
    skills: list(
      'TypeScript, Go, PostgreSQL, Kubernetes, System design, Incident response, Mentoring, API design, Observability',
    ),
    studies: ['Computer Science', 'Software Engineering', 'Applied Mathematics'],
    certificate: 'Certified Distributed Systems Practitioner',
    course: 'Consensus and Replication',
    project: 'Open timetable importer',
    publication: 'Postmortems that people read',
  },
  {
    industry: { id: '3240', name: 'Renewable Energy Power Generation' },
    words: ['Energy', 'Solar', 'Wind', 'Renewables'],
    taglines: ['Power from what is already there', 'Quiet energy for loud cities'],
    does: [
      'plans and operates community wind and solar parks',
      'stores surplus solar power for villages and small factories',
    ],
    specialities: list(
      'Solar parks, Wind assessment, Battery storage, Grid connection, Community ownership, Power purchase agreements',
    ),
    ladders: [
      ['Graduate Engineer', 'Wind Resource Analyst', 'Senior Project Engineer', 'Director of Projects'],
      ['Field Technician', 'Site Supervisor', 'Operations Manager', 'Head of Operations'],
    ],
    work: [
      'Took a 48 MW park from first measurement mast to grid connection.',
      'Negotiated land agreements with forty owners, in person, over two winters.',
      'Brought unplanned downtime of the fleet below one per cent.',
      'Set up the battery programme that now covers the evening peak of three towns.',
    ],
    skills: list(
      'Wind assessment, Project finance, Grid codes, SCADA, Permitting, Stakeholder engagement, PVsyst, Contract negotiation',
    ),
    studies: ['Electrical Engineering', 'Environmental Engineering', 'Energy Economics'],
    certificate: 'Registered Wind Resource Assessor',
    course: 'Power Systems Analysis',
    project: 'Rooftop atlas of public schools',
    publication: 'Measured and modelled wind at low hub heights',
  },
  {
    industry: { id: '14', name: 'Hospitals and Health Care' },
    words: ['Health', 'Clinics', 'Care', 'Medical Group'],
    taglines: ['Care within an hour of home', 'Medicine with time to listen'],
    does: ['runs day clinics and home care in mid-sized towns', 'connects rural practices with specialists by video'],
    specialities: list('Primary care, Telemedicine, Geriatrics, Patient safety, Rehabilitation, Community nursing'),
    ladders: [
      ['Registered Nurse', 'Charge Nurse', 'Nurse Manager', 'Director of Nursing'],
      ['Clinic Coordinator', 'Practice Manager', 'Regional Operations Manager', 'Chief Operating Officer'],
    ],
    work: [
      'Shortened the wait for a first appointment from five weeks to eight days.',
      'Introduced bedside handover on all wards and measured what it changed.',
      'Opened two clinics in towns that had lost their last practice.',
      'Coordinated a team of thirty across day, night and home visits.',
    ],
    skills: list(
      'Patient care, Triage, Clinical governance, Team leadership, Quality improvement, Rostering, Electronic health records',
    ),
    studies: ['Nursing', 'Public Health', 'Health Services Management'],
    certificate: 'Advanced Life Support Provider',
    course: 'Epidemiology for Practitioners',
    project: 'Home visits by bicycle',
    publication: 'What patients remember of a discharge talk',
  },
  {
    industry: { id: '147', name: 'Automation Machinery Manufacturing' },
    words: ['Robotics', 'Automation', 'Controls', 'Mechatronics'],
    taglines: ['Machines that work beside people', 'Precision without the drama'],
    does: [
      'designs small robots for packing and inspection lines',
      'retrofits older factories with sensors and safe controls',
    ],
    specialities: list('Industrial robots, Machine vision, Motion control, Functional safety, Retrofit, Digital twins'),
    ladders: [
      ['Test Engineer', 'Controls Engineer', 'Senior Controls Engineer', 'Head of Engineering'],
      ['Mechanical Designer', 'Product Engineer', 'Lead Product Engineer', 'Chief Technology Officer'],
    ],
    work: [
      'Designed the gripper that handles fruit and glass with the same settings.',
      'Commissioned eleven packing lines, none with more than a day of standstill.',
      'Wrote the safety case for the first cell that runs without a fence.',
      'Built the vision rig that finds hairline cracks at line speed.',
    ],
    skills: list(
      'PLC programming, ROS 2, Machine vision, Functional safety, CAD, Commissioning, C++, Lean manufacturing',
    ),
    studies: ['Mechanical Engineering', 'Mechatronics', 'Control Engineering'],
    certificate: 'Functional Safety Engineer',
    course: 'Nonlinear Control',
    project: 'Low-cost gripper for community workshops',
    publication: 'Contact detection without force sensors',
  },
  {
    industry: { id: '116', name: 'Transportation, Logistics, Supply Chain and Storage' },
    words: ['Logistics', 'Freight', 'Shipping', 'Supply'],
    taglines: ['On time is a habit', 'Cargo with a memory'],
    does: [
      'moves temperature-sensitive freight between ports and hospitals',
      'runs shared warehouses for small exporters',
    ],
    specialities: list('Cold chain, Customs, Last mile, Warehouse design, Port operations, Route planning'),
    ladders: [
      ['Dispatch Assistant', 'Logistics Coordinator', 'Logistics Manager', 'Head of Supply Chain'],
      ['Customs Clerk', 'Trade Compliance Specialist', 'Trade Compliance Manager', 'Director of Trade'],
    ],
    work: [
      'Redrew the delivery rounds of four depots and saved a fifth of the fuel.',
      'Cleared vaccines through three borders in under thirty hours, every week for a year.',
      'Opened a shared warehouse that sixty small exporters now use.',
      'Replaced paper waybills at the port gate.',
    ],
    skills: list('Route planning, Customs law, Cold chain, Inventory management, Negotiation, SQL, Warehouse design'),
    studies: ['Supply Chain Management', 'Industrial Engineering', 'International Trade'],
    certificate: 'Chartered Supply Chain Planner',
    course: 'Network Optimisation',
    project: 'Shared pallets for market traders',
    publication: 'Queueing at small ports',
  },
  {
    industry: { id: '43', name: 'Financial Services' },
    words: ['Finance', 'Capital', 'Mutual', 'Savings'],
    taglines: ['Money, explained', 'Lending that remembers your name'],
    does: ['lends to family businesses that banks find too small', 'keeps the books and pensions of cooperatives'],
    specialities: list(
      'Small business lending, Credit risk, Pensions, Cooperative banking, Regulatory reporting, Payments',
    ),
    ladders: [
      ['Credit Analyst', 'Senior Credit Analyst', 'Risk Manager', 'Chief Risk Officer'],
      ['Accountant', 'Financial Controller', 'Head of Finance', 'Chief Financial Officer'],
    ],
    work: [
      'Rebuilt the credit model so that seasonal businesses are no longer refused in winter.',
      'Closed the books in four days where it used to take twelve.',
      'Prepared the licence application and answered every question of the regulator.',
      'Reviewed a portfolio of two thousand loans by hand, then wrote the rules that replaced me.',
    ],
    skills: list(
      'Credit risk, Financial modelling, IFRS, Treasury, Regulatory reporting, Python, Stakeholder management',
    ),
    studies: ['Economics', 'Accounting', 'Statistics'],
    certificate: 'Certified Credit Risk Analyst',
    course: 'Applied Econometrics',
    project: 'Plain-language loan contract',
    publication: 'Seasonality in small loans',
  },
  {
    industry: { id: '99', name: 'Design Services' },
    words: ['Design', 'Studio', 'Form', 'Print House'],
    taglines: ['Signs people can follow', 'We draw until it is obvious'],
    does: [
      'designs wayfinding for hospitals, stations and museums',
      'makes books, type and packaging in small editions',
    ],
    specialities: list('Wayfinding, Typography, Service design, Packaging, Design research, Accessibility'),
    ladders: [
      ['Junior Designer', 'Product Designer', 'Senior Product Designer', 'Design Director'],
      ['Research Assistant', 'Design Researcher', 'Lead Design Researcher', 'Head of Research'],
    ],
    work: [
      'Redesigned the signs of a hospital with its porters, who knew where people get lost.',
      'Drew a typeface with 900 glyphs for timetables.',
      'Interviewed eighty commuters before anyone opened a drawing tool.',
      'Cut the packaging of forty products to one sheet of card.',
    ],
    skills: list(
      'Interaction design, Typography, Prototyping, User research, Accessibility, Facilitation, Illustration',
    ),
    studies: ['Graphic Design', 'Human-Computer Interaction', 'Industrial Design'],
    certificate: 'Accessible Design Professional',
    course: 'Type Design',
    project: 'Tactile map of the old town',
    publication: 'Where people look for an exit',
  },
  {
    industry: { id: '1999', name: 'Education' },
    words: ['Learning', 'Academy', 'Schools', 'Press'],
    taglines: ['Curiosity, on schedule', 'Evening classes for morning people'],
    does: ['teaches trades and languages in the evening', 'writes open textbooks with the teachers who use them'],
    specialities: list(
      'Adult education, Open textbooks, Teacher training, Language courses, Assessment, Vocational training',
    ),
    ladders: [
      ['Teaching Assistant', 'Teacher', 'Head of Department', 'Headteacher'],
      ['Content Writer', 'Curriculum Designer', 'Senior Curriculum Designer', 'Director of Curriculum'],
    ],
    work: [
      'Wrote the physics course that half of the evening students now finish.',
      'Trained two hundred teachers to assess without grades.',
      'Translated six textbooks with the classes that were going to read them.',
      'Ran the school through a move without losing a day of lessons.',
    ],
    skills: list(
      'Curriculum design, Assessment, Public speaking, Editing, Coaching, Instructional design, Community building',
    ),
    studies: ['Education', 'Linguistics', 'History'],
    certificate: 'Qualified Adult Educator',
    course: 'Cognitive Science of Learning',
    project: 'A library in a bus',
    publication: 'Feedback without marks',
  },
  {
    industry: { id: '23', name: 'Food and Beverage Manufacturing' },
    words: ['Foods', 'Mills', 'Dairy', 'Provisions'],
    taglines: ['From field to flour in a day', 'Nothing you cannot pronounce'],
    does: ['mills grain for bakeries within a day of the harvest', 'makes preserves and sauces with contract growers'],
    specialities: list('Milling, Fermentation, Food safety, Contract growing, Packaging, Traceability'),
    ladders: [
      ['Quality Technician', 'Food Technologist', 'Quality Manager', 'Director of Quality'],
      ['Production Planner', 'Shift Manager', 'Plant Manager', 'Chief Operating Officer'],
    ],
    work: [
      'Traced every jar to its field, on paper first, then in software.',
      'Brought water use per tonne down by a third.',
      'Started the fermentation line and taught two shifts to trust it.',
      'Passed four unannounced audits in a row.',
    ],
    skills: list(
      'HACCP, Food safety, Process engineering, Supplier audits, Sensory analysis, Production planning, Team leadership',
    ),
    studies: ['Food Technology', 'Chemical Engineering', 'Agricultural Science'],
    certificate: 'Lead Food Safety Auditor',
    course: 'Fermentation Science',
    project: 'Seed bank of regional wheat',
    publication: 'Shelf life of low-sugar preserves',
  },
  {
    industry: { id: '12', name: 'Biotechnology Research' },
    words: ['Biosciences', 'Labs', 'Diagnostics', 'Genomics'],
    taglines: ['Answers from a single drop', 'Patient science'],
    does: ['develops rapid tests for crop and livestock diseases', 'sequences microbes from soil and sea water'],
    specialities: list('Diagnostics, Microbiology, Sequencing, Assay development, Bioinformatics, Field trials'),
    ladders: [
      ['Research Assistant', 'Scientist', 'Senior Scientist', 'Head of Research'],
      ['Bioinformatics Analyst', 'Bioinformatician', 'Lead Bioinformatician', 'Chief Scientific Officer'],
    ],
    work: [
      'Developed a strip test that farmers read without a laboratory.',
      'Assembled the first reference genomes of eleven soil bacteria.',
      'Planned field trials across three climates and two harvests.',
      'Made the analysis reproducible: one command, same figures.',
    ],
    skills: list('Assay development, PCR, Bioinformatics, R, Experimental design, Scientific writing, Grant writing'),
    studies: ['Molecular Biology', 'Microbiology', 'Bioinformatics'],
    certificate: 'Good Laboratory Practice Auditor',
    course: 'Statistical Genetics',
    project: 'Soil samples by post',
    publication: 'Lateral-flow detection of wheat rust',
  },
]

/** First words of company names; their number is a multiple of ten, see `companyName`. */
export const stems: readonly string[] = [
  'Alderway',
  'Bramblewick',
  'Cedarline',
  'Driftstone',
  'Emberfold',
  'Fernhollow',
  'Glasswing',
  'Hollowbrook',
  'Ivorycliff',
  'Juniperfield',
  'Kestrelmark',
  'Larkmoor',
  'Mossgate',
  'Northlantern',
  'Opaltree',
  'Pinefathom',
  'Quillstone',
  'Riverglass',
  'Saltlark',
  'Thornvale',
  'Umberlight',
  'Valewind',
  'Willowpeak',
  'Yarrowdale',
  'Ashenbridge',
  'Brightkelp',
  'Coldharbour',
  'Dovetail',
  'Everspring',
  'Foxglove',
]
