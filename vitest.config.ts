import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { filesByProject } from './test/support/projects.ts';
import { SharedLast } from './test/support/shared-last.ts';

// The certificates of this day, also after midnight (test/support/folders.ts).
process.env['APPREG_TEST_DAY'] ??= new Date().toISOString().slice(0, 10);

if (process.env['FC_SEED'] === 'random') {
  process.env['FC_SEED'] = String(randomInt(2 ** 31));
  process.stdout.write(`The seed of this run: FC_SEED=${process.env['FC_SEED']}\n`);
}

/** Pure tests: no processes, no network, no state outside the test. They share two threads and their modules. */
const UNIT = ['test/core/**/*.test.ts', 'test/author/**/*.test.ts', 'test/report/**/*.test.ts'];

/** Other versions of Node, other systems and processors, and the ways to install: `npm run test:platforms`. */
const PLATFORMS = ['test/install/*.test.ts', 'test/platforms/*.test.ts', 'test/windows/*.test.ts'];

/**
 * Of all groups of processes. More than cores, since these tests wait for servers and other processes for more than half
 * of their time. Each process loads the modules again: on two cores, eight take 10 % more CPU time than five.
 */
const PROCESSES = {
  pool: 'forks',
  maxWorkers: 6,
  sequence: { groupOrder: 1 },
  globalSetup: 'test/support/database-server.ts',
} as const;

/**
 * For tests without a network. Node 20 parses these authorities at every start, which takes longer than the rest of the
 * start; and no result may depend on those of this machine.
 */
const OFFLINE = { NODE_EXTRA_CA_CERTS: '' };

/** Files that say themselves that they are scenarios, and files that replace modules. */
const { scenarios: SCENARIOS, isolated: ISOLATED } = filesByProject();

/** The packages of this repository, from their sources. */
const DOORS = [
  { find: /^appreg$/, replacement: path('src/core/index.ts') },
  { find: /^appreg\/node$/, replacement: path('src/node.ts') },
  { find: /^appreg-service$/, replacement: path('service/src/index.ts') },
  { find: /^appreg-conformance$/, replacement: path('conformance/src/index.ts') },
];

function path(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

export default defineConfig({
  resolve: { alias: DOORS },
  test: {
    globalSetup: ['test/support/home-folder.ts'],
    setupFiles: ['test/support/setup.ts'],
    // On a busy machine, a hundred processes of git, or starting PostgreSQL, take longer than a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: SharedLast },
    // Sources are compiled once, not in each run.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
          env: OFFLINE,
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...PROCESSES,
          // A process for each file.
          name: 'isolated',
          include: ISOLATED,
          env: OFFLINE,
        },
      },
      {
        extends: true,
        test: {
          ...PROCESSES,
          // Files that share processes with loaded modules, which halves the time of small files.
          name: 'shared',
          include: ['{test,service/test,conformance/test}/**/*.test.ts'],
          exclude: [...UNIT, ...ISOLATED, ...SCENARIOS, ...PLATFORMS],
          env: OFFLINE,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...PROCESSES, name: 'scenarios', include: SCENARIOS, env: OFFLINE },
      },
      {
        extends: true,
        test: { ...PROCESSES, name: 'platforms', include: PLATFORMS },
      },
    ],
  },
});
