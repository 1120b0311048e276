import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longer than 10 seconds in CI, the longest first of each project. */
const LONG = [
  'platforms/transcripts',
  'windows/transcripts',
  'install/package-managers',
  'install/archives',
  'install/pre-commit',
  'install/image',
  'conformance/service',
  'conformance/naive-subscriber',
  'conformance/python-adapter',
  'conformance/mutation',
  'service/ssrf/ssrf',
  'browser/cors',
  'service/hostile-artifacts',
  'publish/large-artifact',
  'service/pages/journey',
  'publish/interrupted',
  'hosts/service-proxies',
  'service/pages/hostile-text',
  'publish/storm',
  'browser/random',
  'service/kill',
  'package-types',
  'action',
  'release/publish-apps',
  'browser/advice',
  'observe/web-alternating',
  'action-comment',
  'browser/icon-bodies',
  'service/process',
  'store/git/git',
  'service/pages/screens',
  'cli/completion',
  'release/release-interrupted',
  'publish/stores',
  'service/outage',
  'cli/lint-many',
  'service/backup/process',
  'examples',
  'service/nodes',
  'observe/live/archive',
  'cli/ci-files',
  'service/http/many-connections',
  'browser/icons',
  'cli/config/config-code',
  'service/refresh/same-verdicts',
  'service/two-nodes',
  'cli/broken-files',
  'bundle/reproducible',
  'cli/transcripts',
  'store/crash',
  'service/refresh/artifact-share',
  'cli/artifact-content',
  'publish/store-requests',
  'cli/author-process',
  'many-apps-workflow',
  'observe/web-limits',
  'service/refresh/refresh',
  'hosts/apache',
  'cli/assemble',
  'publish/mishaps',
  'service/worker/queue',
  'browser/certificates',
  'service/registries/revoked-urls',
  'cli/verify-cache',
  'service/refresh/unchanged',
  'hosts/nginx-files',
  'observe/web-failing-requests',
  'observe/live/compressed-copies',
  'service/refresh/artifact-checks',
  'observe/live/icon',
  'serve/server',
  'observe/live/checksum-causes',
].map((name) => `/test/${name}.test.ts`);

/**
 * Starts the longest files of each project first, so that no worker is left with a long file at the end. Without this,
 * a machine that has run no tests yet starts the largest files first. Files that share processes come last, one after
 * the other, since a process is only used again for the next file of the queue.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) => groupOrder(one) - groupOrder(other) || isShared(one) - isShared(other) || rank(one) - rank(other),
    );
  }
}

function groupOrder({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function isShared({ project }: TestSpecification): number {
  return Number(!project.config.isolate);
}

function rank({ moduleId }: TestSpecification): number {
  const index = LONG.findIndex((name) => moduleId.endsWith(name));
  return index < 0 ? LONG.length : index;
}
