import { useState } from 'preact/hooks'
import { Field, SelectField } from '../../elements/field.tsx'
import { errorText, Notice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { likelyColumn, readFile, type CsvHead, type ReadFile } from './read-file.ts'

interface Props {
  file: ReadFile | null
  column: string
  onChoose: (file: ReadFile | null, column: string) => void
}

/** Chooses a CSV file and its id column, with the first rows as a preview. */
export function FileChoice({ file, column, onChoose }: Props) {
  const [error, setError] = useState<unknown>(null)
  const choose = async (chosen: File | undefined) => {
    setError(null)
    onChoose(null, '')
    if (!chosen) return
    try {
      const read = await readFile(chosen)
      onChoose(read, likelyColumn(read.head))
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <Panel title="File">
      <div class="panel-body">
        <Field label="CSV file" hint="With a line of column names. At most 50 MB; it is read in your browser first.">
          {(id, hintId) => (
            <input
              id={id}
              class="input"
              type="file"
              accept=".csv,.tsv,.txt,text/csv"
              aria-describedby={hintId}
              onChange={(event) => void choose(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        {error === null ? null : <Notice tone="danger">{errorText(error)}</Notice>}
        {file ? <Columns file={file} column={column} onColumn={(name) => onChoose(file, name)} /> : null}
      </div>
    </Panel>
  )
}

function Columns({ file, column, onColumn }: { file: ReadFile; column: string; onColumn: (name: string) => void }) {
  const names = [...new Set(file.head.columns)].filter((name) => name !== '')
  const isData = file.head.columns.some((name) => /^https?:|\/(in|company)\//.test(name))
  return (
    <>
      <SelectField
        label="Column with the slugs, URLs or ids"
        value={column}
        options={names.map((name) => [name, name] as const)}
        onChange={onColumn}
        {...(file.encoding === 'utf-8' ? {} : { hint: `The file is read as ${file.encoding}.` })}
      />
      {isData ? <Notice tone="warning">The first line looks like a row. It is read as the column names.</Notice> : null}
      <Sample head={file.head} column={column} />
    </>
  )
}

function Sample({ head: { columns, rows }, column }: { head: CsvHead; column: string }) {
  const chosen = columns.indexOf(column)
  return (
    <div class="sample" role="region" aria-label="The first rows of the file" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name, place) => (
              <th key={place} scope="col" class={place === chosen ? 'chosen' : ''} dir="auto">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((_, place) => (
                <td key={place} class={place === chosen ? 'chosen' : ''} dir="auto">
                  {(row[place] ?? '').slice(0, 120)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
