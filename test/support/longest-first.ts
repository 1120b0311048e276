import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longer than 15 seconds in CI, the longest first. */
const LONG = [
  'platforms/transcripts',
  'windows/transcripts',
  'cli/transcripts',
  'install/archives',
  'install/image',
  'install/pre-commit',
  'publish/interrupted',
  'publish/release-interrupted',
  'store/s3/s3',
  'service/worker/queue',
  'publish/large-artifact',
  'service/nodes',
  'service/outage',
  'service/pages/journey',
  'service/webhooks/kill',
  'service/webhooks/sender',
  'package-types',
  'publish/mishaps',
  'bundle/package-managers',
  'service/pages/screens',
  'publish/one-document',
  'service/kill',
  'service/backup/process',
  'service/backup/backup',
  'service/embedded-outage',
  'service/full-disk',
  'publish/storm',
  'examples',
  'action',
  'action-comment',
  'publish/publish-apps',
  'store/git/git',
  'browser/cors',
  'hosts/bucket-presets',
  'observe/web-failing-requests',
  'service/refresh/artifact-share',
  'service/refresh/artifact-checks',
  'service/api/live',
  'observe/web-network',
  'store/s3/web',
  'cli/verify-wait',
  'cli/author-process',
  'service/process',
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
