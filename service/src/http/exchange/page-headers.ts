/**
 * The headers of every HTML page: only scripts, styles, pictures and connections of this service, no framing, no form
 * to another site. A page names the sources of its scripts and styles; `unsafe-inline` is never used.
 */
export function protectedPage({ scripts, styles }: { scripts: string; styles: string }): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  }
}
