/** What an operator of the other engine is told. */
export const useDump =
  'The data is in PostgreSQL: back it up with pg_dump --format=custom --file=FILE "$DATABASE_URL" (see docs/guides/backup.md).'
