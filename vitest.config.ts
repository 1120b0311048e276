import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

// The certificates of this day, also after midnight (test/support/folders.ts).
process.env['APPREG_TEST_DAY'] ??= new Date().toISOString().slice(0, 10);

if (process.env['FC_SEED'] === 'random') {
  process.env['FC_SEED'] = String(randomInt(2 ** 31));
  process.stdout.write(`The seed of this run: FC_SEED=${process.env['FC_SEED']}\n`);
}

/** Pure tests: no processes, no network, no state outside the test. They share two threads and their modules. */
const UNIT = ['test/core/**/*.test.ts', 'test/author/**/*.test.ts', 'test/report/**/*.test.ts'];

/** Files that have a process each. All others share processes with loaded modules, which halves the time of small files. */
const ISOLATED = [
  'test/*.test.ts',
  // They replace modules (esbuild, timers, the file system), which stay loaded for the next file of a process.
  'test/service/added-field.test.ts',
  'test/publish/apply-*.test.ts',
  'test/store/failing-disks.test.ts',
  'test/bundle/{native,esbuild}.test.ts',
  'test/observe/registry/copy-zlib.test.ts',
  'test/cli/release-{esbuild,toolchain}.test.ts',
  // They wait for other processes most of the time. Files with a process of their own start first.
  'test/publish/{one-document,stores}.test.ts',
  'test/release/publish-apps.test.ts',
  'test/store/{crash,rivals,git/git,s3/s3}.test.ts',
  'test/cli/{author-process,transcripts}.test.ts',
];

/**
 * Half a minute and more each: whole systems that are interrupted, flooded or attacked again and again, subscribers that
 * run all cases of the kit, hosts that fail by turns, thousands of responses that a browser judges too, every page of the
 * service in a browser, all examples, and the packed package in every configuration of two compilers:
 * `npm run test:scenarios`.
 */
const SCENARIOS = [
  'test/action-comment.test.ts',
  'test/browser/cors.test.ts',
  'test/cli/odd-values.test.ts',
  'test/conformance/{mutation,naive-subscriber,python-adapter,service}.test.ts',
  'test/examples.test.ts',
  'test/hosts/service-proxies.test.ts',
  'test/observe/web-alternating.test.ts',
  'test/package-types.test.ts',
  'test/publish/{interrupted,large-artifact,mishaps,storm}.test.ts',
  'test/release/release-interrupted.test.ts',
  'test/service/{hostile-artifacts,kill,nodes,outage}.test.ts',
  'test/service/{attestations,policies}/decisions.property.test.ts',
  'test/service/http/many-connections.test.ts',
  'test/service/pages/{hostile-text,journey,screens}.test.ts',
  'test/service/refresh/same-verdicts.test.ts',
  'test/service/registries/revoked-urls.test.ts',
  'test/service/ssrf/*.test.ts',
  'test/service/webhooks/kill.test.ts',
];

/** Other versions of Node, other systems and processors, and the ways to install: `npm run test:platforms`. */
const PLATFORMS = ['test/install/*.test.ts', 'test/platforms/*.test.ts', 'test/windows/*.test.ts'];

/**
 * Of all groups of processes. More than cores, since these tests wait for servers and other processes for half of their
 * time. Each process loads the modules again: on two cores, eight take 10 % more CPU time than five.
 */
const PROCESSES = {
  pool: 'forks',
  maxWorkers: 5,
  sequence: { groupOrder: 1 },
  globalSetup: 'test/support/database-server.ts',
} as const;

/**
 * For tests without a network. Node 20 parses these authorities at every start, which takes longer than the rest of the
 * start; and no result may depend on those of this machine.
 */
const OFFLINE = { NODE_EXTRA_CA_CERTS: '' };

export default defineConfig({
  test: {
    globalSetup: ['test/support/home-folder.ts'],
    setupFiles: ['test/support/setup.ts'],
    // On a busy machine, a hundred processes of git, or starting PostgreSQL, take longer than a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
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
          name: 'isolated',
          include: ISOLATED,
          exclude: [...UNIT, ...SCENARIOS, ...PLATFORMS],
          env: OFFLINE,
        },
      },
      {
        extends: true,
        test: {
          ...PROCESSES,
          name: 'shared',
          include: ['test/**/*.test.ts'],
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
