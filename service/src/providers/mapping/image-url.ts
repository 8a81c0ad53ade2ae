import { object, text } from './text.ts'

/** The URL of an image given as text or as `{url}`; the platform's grey placeholders and inline data are no images. */
export function imageUrl(value: unknown): string | null {
  const url = text(value) ?? text(object(value).url)
  return url === null || /^https?:\/\/static\.licdn\.com\/|^data:/i.test(url) ? null : url
}
