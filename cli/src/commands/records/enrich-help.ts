/** The help of `vitae enrich` after the options. */
export const enrichHelp = `
Examples:
  $ vitae enrich people leads.csv --column linkedin_url --out leads-enriched.csv
  $ vitae enrich companies accounts.csv --column domain_slug --out out.ndjson --max-credits 500
  $ vitae enrich people leads.csv --column linkedin_url --out out.csv --fields first_name,headline,experience.0.company_name
  $ cat ids.ndjson | vitae enrich people - --format ndjson --column id --out out.ndjson
  $ vitae enrich people leads.csv --column linkedin_url --out out.csv --dry-run
  $ vitae enrich people crm.csv --email-column "Work e-mail" --name-column Name --company-column Account --out out.csv
  $ vitae enrich companies accounts.csv --name-column Account --domain-column Website --out out.csv

Rows without ids are matched: in place of --column, name the columns that identify the person or company. The output then
has likelihood and matched_on. If no match is likely enough, error is no_match, ambiguous_match or identity_mismatch; such
rows cost nothing.

Before spending anything, the command shows the number of distinct ids, how many of them the store answers, the maximum
cost, the available credits and the expected time. At a terminal it then asks for confirmation; --yes skips the question.
Without --url or VITAE_URL, the service of the data folder is used.

The service looks the file up as a batch, each identifier once. A file with more identifiers than a batch may have becomes
several batches, one after the other. The batch goes on if this command ends. Interrupted or crashed? Run the same command
again: it waits for the same batch, writes the rows and pays for nothing twice. Only --max-credits, --key, --url and the form
of the output may differ. The ids of the batches are in OUT.batch until the output is complete; an existing file OUT stays
unchanged until then. Finished rows of a job that had to stop are in OUT.partial. --out can never be the input, not even with
--yes. To end a batch for good, cancel it in the console or with POST /v1/batches/ID/cancel.

The input may be UTF-8, UTF-16 or Windows-1252, with commas, semicolons or tabs; encoding and delimiter are detected. The
output is UTF-8 with commas unless --delimiter-out says otherwise; Excel needs --bom. Input cells are copied unchanged.
A column with the name of an output column (status, error, source...) is written as input_NAME. Cells beyond the header
become extra_1 and so on. Of two columns with one name, the second is called
NAME_2 in --column and in NDJSON.
Exit code 0 when every row is found or not found, 1 when some failed or the job stopped early.`
