/** The URLs of fictional pictures; the host is reserved and never answers. */
export function mediaUrl(...path: string[]): string {
  return `https://media.example.com/${path.join('/')}`
}

/** The page of a person or company on the source platform. */
export function pageUrl(section: 'in' | 'company' | 'school' | 'showcase', slug: string): string {
  return `https://www.linkedin.com/${section}/${encodeURIComponent(slug.toWellFormed())}`
}

/** Latin text as a slug. */
export function slugOf(...words: string[]): string {
  return words
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
}
