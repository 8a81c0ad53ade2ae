/**
 * Copies the built console, the guides and the settings' descriptions into the packed service. Runs in the folder of
 * the service.
 */
import { cpSync, existsSync } from 'node:fs'

if (!existsSync('../console/dist'))
  throw new Error('The console is not built: run "npm run build --workspace @vitae/console" first.')
cpSync('../console/dist', 'console-dist', { recursive: true })
cpSync('../docs/guides', 'guides', { recursive: true })
cpSync('../.env.example', 'guides/env.example')
