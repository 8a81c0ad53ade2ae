/** The help of `vitae enrich` after the options. */
export const enrichHelp = `
Examples:
  $ vitae enrich people leads.csv --column linkedin_url --out leads-enriched.csv
  $ vitae enrich companies accounts.csv --column domain_slug --out out.ndjson --max-credits 500
  $ vitae enrich people leads.csv --column linkedin_url --out out.csv --fields first_name,headline,experience.0.company_name
  $ cat ids.ndjson | vitae enrich people - --format ndjson --column id --out out.ndjson
  $ vitae enrich people leads.csv --column linkedin_url --out out.csv --background
  $ vitae enrich people leads.csv --column linkedin_url --out out.csv --dry-run
  $ vitae enrich people crm.csv --email-column "Work e-mail" --name-column Name --company-column Account --out out.csv
  $ vitae enrich companies accounts.csv --name-column Account --domain-column Website --out out.csv

Rows without ids are matched: name the columns that say who is meant in place of --column. The output then has likelihood
and matched_on, and error says why nobody was sure enough: no_match, ambiguous_match or identity_mismatch, which cost nothing.

Before anything is paid it says how many distinct ids the file has, how many of them the store answers, the most that all
of it can cost, what is available and how long it takes, and asks at a terminal; --yes skips the question. A pipe is read
once, so it has no price before. Without --url or VITAE_URL it goes to the service that runs on the data folder.

With --background the service works through the file by itself, also when this command ends before: give it again to go on
waiting and to download. The input must be a file. Every identifier is looked up once; --concurrency means nothing then.

Interrupted or crashed? Give the same command again: it goes on where it stopped and pays for nothing twice. Only
--max-credits, --concurrency, --key and --url may differ. Until every row is done the rows are in OUT.partial, and what
the job remembers is in OUT.job; a file that has the name OUT stays as it is. --out can never be the input, not even with --yes.

The input may be UTF-8, UTF-16 or Windows-1252, with commas, semicolons or tabs. Which of them is found out; the output is
UTF-8 with commas unless --delimiter-out says otherwise; Excel wants --bom. Every input cell is kept as it is. A column with the name of an output column (status, error, source...)
is written as input_NAME, cells beyond the header as extra_1 and so on (from a pipe: as JSON at the end of the row), and
of two columns with one name the second is called NAME_2 in --column and in NDJSON.
Exit code 0 when every row is found or not found, 1 when some failed or the job stopped early.`
