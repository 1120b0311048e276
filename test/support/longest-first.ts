import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longer than 10 seconds in CI, the longest first of each project. */
const LONG = [
  'platforms/transcripts',
  'windows/transcripts',
  'install/package-managers',
  'install/archives',
  'install/pre-commit',
  'install/image',
  'publish/interrupted',
  'cli/transcripts',
  'cli/broken-files',
  'service/kill',
  'service/hostile-artifacts',
  'service/worker/queue',
  'action',
  'service/pages/journey',
  'examples',
  'store/git/git',
  'release/publish-apps',
  'publish/stores',
  'publish/large-artifact',
  'release/release-interrupted',
  'service/nodes',
  'service/pages/screens',
  'action-comment',
  'browser/cors',
  'service/outage',
  'publish/storm',
  'store/s3/s3',
  'publish/mishaps',
  'service/webhooks/kill',
  'service/api/live',
  'service/webhooks/sender',
  'cli/ci-files',
  'cli/completion',
  'service/process',
  'hosts/bucket-presets',
  'publish/one-document',
  'browser/advice',
  'browser/random',
  'observe/web-failing-requests',
  'service/refresh/artifact-checks',
  'store/crash',
  'observe/live/reachability',
  'observe/live/unanswered',
  'observe/web-network',
  'browser/icons',
  'store/s3/web',
  'cli/author-process',
  'service/refresh/hostile',
  'publish/store-requests',
  'service/api/contract',
  'service/refresh/private-registry',
  'service/http/slow-clients',
  'package-types',
  'service/diagnose',
  'hosts/apache',
  'observe/content/scan-content',
  'cli/artifact-content',
  'service/refresh/refresh',
  'cli/assemble',
  'observe/live/archive',
  'observe/web-limits',
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
