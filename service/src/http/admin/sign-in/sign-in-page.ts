import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:12vh auto;padding:0 1rem;color:#1a1d21;background:#fff}' +
  'h1{font-size:1.4rem}code{background:#eef0f2;padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}a{color:#0b57d0}' +
  '@media(prefers-color-scheme:dark){body{color:#e8eaed;background:#15181b}code{background:#2a2f34}a{color:#8ab4f8}}'

/** No script, no picture, no request: the page is text and its one style. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Text {
  status: number
  title: string
  /** HTML; what comes from outside has to be escaped. */
  lines: readonly string[]
}

/** Says in a page of its own why a sign-in did not succeed, and how to go on. */
export function sendSignInPage(reply: FastifyReply, { status, title, lines }: Text): FastifyReply {
  const again = '<a href="/console/sign-in">Sign in again</a> · <a href="/console">To the console</a>'
  const body = [...lines, again].map((line) => `<p>${line}</p>`).join('')
  return reply
    .code(status)
    .headers({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${title} · Vitae</title><style>${style}</style><main><h1>${title}</h1>${body}</main></html>`,
    )
}

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
