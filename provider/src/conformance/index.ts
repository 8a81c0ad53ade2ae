export { brokenRules } from './contract-rules.ts'
