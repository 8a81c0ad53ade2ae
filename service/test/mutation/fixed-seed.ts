import fc from 'fast-check'

// One seed, so that a score can be repeated; and a mutant is dead with its first failure, however long the counterexample.
fc.configureGlobal({ seed: 20_261_116, endOnFailure: true })
