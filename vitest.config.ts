import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Storms of processes meet a busy machine in CI: one second chance there, shown in the report, and none at the desk.
  test: {
    include: ['test/**/*.test.ts'],
    retry: process.env['CI'] ? 1 : 0,
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 20_000,
    // PostgreSQL takes a while to be made and started where the machine is busy.
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
