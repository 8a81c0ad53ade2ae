export { brokenRules } from './contract-rules.ts'
export { filledPaths, projectionFaults, unknownPaths } from './projection-faults.ts'
export { type Conformance, type Finding, type Payload, testProvider } from './test-provider.ts'
