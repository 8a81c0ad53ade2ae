import type { CompanySummary, Education, Language, Position, SectionItem } from '@vitae/contract'

/**
 * An item of one of the ten sections. If only one of `name` and `title` is given, it fills both, so readers of either
 * field find it.
 */
export function sectionItem(fields: Partial<SectionItem>): SectionItem {
  const { name, title, ...others } = fields
  return {
    name: name ?? title ?? null,
    title: title ?? name ?? null,
    description: null,
    url: null,
    image_url: null,
    company: null,
    company_id: null,
    position_held: null,
    date_range: null,
    ...others,
  }
}

/** The platform's language levels, lowest first. */
const proficiencies = [
  'Elementary proficiency',
  'Limited working proficiency',
  'Professional working proficiency',
  'Full professional proficiency',
  'Native or bilingual proficiency',
]

/** An item of the languages section, with its extra key `proficiency` as readable text. */
export function languageItem(fields: Partial<Language>): Language {
  const { proficiency = null, ...others } = fields
  return { ...sectionItem(others), proficiency: proficiency && readableLevel(proficiency) }
}

/** Converts codes such as `FULL_PROFESSIONAL` and numbers from 1 to 5; keeps other words. */
function readableLevel(level: string): string | null {
  if (/^\d+$/.test(level)) return proficiencies[Number(level) - 1] ?? null
  const foldCase = (words: string) =>
    words
      .toLowerCase()
      .replace(/[_\s]+/g, ' ')
      .replace(/ proficiency$/, '')
  return proficiencies.find((known) => foldCase(known) === foldCase(level)) ?? level
}

/** An item of the education list. */
export function educationItem(fields: Partial<Education>): Education {
  return {
    school_name: null,
    school_id: null,
    school_url: null,
    school_logo_url: null,
    company_id: null,
    degree: null,
    field_of_study: null,
    grade: null,
    activities: null,
    description: null,
    date_range: null,
    ...fields,
  }
}

/** A position inside an experience group. */
export function position(fields: Partial<Position>): Position {
  return { title: null, description: null, location_name: null, employment_type: null, date_range: null, ...fields }
}

/** A showcase page or an affiliated company. */
export function companySummary(fields: Partial<CompanySummary>): CompanySummary {
  return {
    company_name: null,
    public_identifier: null,
    entity_urn: null,
    company_url: null,
    description: null,
    logo_url: null,
    followers_count: null,
    industries: null,
    is_paid: null,
    is_showcase: null,
    ...fields,
  }
}
