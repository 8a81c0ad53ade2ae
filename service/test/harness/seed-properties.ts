import fc from 'fast-check'

// Property tests use the seed of the run: see vitest.config.ts.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['VITAE_TEST_SEED']) })
