import { failures, headers, priceMatchers } from '@vitae/contract'
import { defineConfig } from 'vite'

const headerWords = Object.fromEntries(Object.entries(headers).map(([name, { description }]) => [name, description]))
const failureWords = Object.fromEntries(Object.entries(failures).map(([code, { title }]) => [code, title]))

/** The contract's own words are put in at build time: they stay written once, and no schema library is shipped. */
export default defineConfig({
  base: '/console/',
  define: {
    __HEADER_WORDS__: JSON.stringify(headerWords),
    __FAILURE_WORDS__: JSON.stringify(failureWords),
    __PRICE_MATCHERS__: JSON.stringify(priceMatchers),
  },
  build: {
    target: 'es2023',
    // The Content-Security-Policy allows files only, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'landing.html'],
      // Shared code comes with the first page, so that each other page is one more file.
      output: {
        codeSplitting: {
          groups: [{ name: 'shared', test: /preact|uplot|src\/(elements|api|format|router|session|use-)/ }],
        },
      },
    },
  },
})
