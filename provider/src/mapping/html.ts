import { decodeHTMLStrict } from 'entities/decode'

const inlineTags = 'a|abbr|b|code|em|font|i|img|label|mark|s|small|span|strong|sub|sup|time|u|button|svg|path'
const blockTags = 'address|article|blockquote|div|dd|dl|dt|h[1-6]|li|ol|p|pre|section|table|tbody|td|th|thead|tr|ul'

// Removes only real HTML tags, because people write `Vec<T>` and `<3` in their profiles.
const lineBreak = new RegExp(`<(?:br|hr)\\b[^<>]*>|</(?:${blockTags})\\s*>`, 'gi')
const otherTag = new RegExp(`</?(?:${inlineTags}|${blockTags})(?:\\s[^<>]*)?/?>`, 'gi')

/** Converts HTML to visible text: breaks and blocks become lines, other tags are removed, entities are decoded once. */
export function htmlToText(html: string): string {
  const uncommented = without(html, /<!--/g, /-->/g)
  const visible = without(uncommented, /<(?:script|style)\b[^<>]*>/gi, /<\/(?:script|style)\s*>/gi)
  const stripped = visible.replace(/\r\n?/g, '\n').replace(lineBreak, '\n').replace(otherTag, '')
  // Strict mode requires the semicolon, so `&copy` in `?a=1&copy=2` stays text.
  return decodeHTMLStrict(stripped.replaceAll('&nbsp;', ' '))
}

/** Removes everything between two marks. A single pattern for both would take quadratic time on hostile text. */
function without(html: string, opening: RegExp, closing: RegExp): string {
  let kept = ''
  let from = 0
  for (let start = opening.exec(html); start; start = opening.exec(html)) {
    closing.lastIndex = opening.lastIndex
    if (!closing.exec(html)) break
    kept += html.slice(from, start.index)
    from = closing.lastIndex
    opening.lastIndex = from
  }
  return kept + html.slice(from)
}
