export { CsvFault, CsvReader } from './csv-reader.ts'
export { readCsvRecords } from './csv-records.ts'
