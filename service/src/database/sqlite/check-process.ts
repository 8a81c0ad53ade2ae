import { DatabaseSync } from 'node:sqlite'

/** A process of its own, which `checkFile` starts and can end: the engine cannot be interrupted in the middle of its check. */
process.stdout.write(JSON.stringify(damageOf(process.argv[2] ?? '')))

function damageOf(path: string): string[] {
  const store = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const rows = store.prepare('pragma integrity_check(10)').all()
    return rows.map((row) => String(row['integrity_check'])).filter((line) => line !== 'ok')
  } catch (error) {
    // Some damage the engine does not list but stumbles over.
    return [error instanceof Error ? error.message : String(error)]
  } finally {
    store.close()
  }
}
