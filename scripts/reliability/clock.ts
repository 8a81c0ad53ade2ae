import { readFileSync } from 'node:fs'

/**
 * Loaded into a service with `--import`: shifts its wall clock by TEST_CLOCK_AHEAD_MS, or by the milliseconds in a
 * file.
 */
const file = process.env['VITAE_TEST_CLOCK_FILE']
const now = Date.now.bind(Date)
let offsetMs = Number(process.env['TEST_CLOCK_AHEAD_MS'] ?? 0)
if (file !== undefined)
  setInterval(() => {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  }, 50).unref()
Date.now = () => now() + offsetMs
