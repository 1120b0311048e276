import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longer than 15 seconds in CI, the longest first. */
const LONG = [
  'platforms/transcripts',
  'windows/transcripts',
  'publish/interrupted',
  'cli/transcripts',
  'service/kill',
  'publish/large-artifact',
  'service/pages/journey',
  'store/git/git',
  'service/pages/screens',
  'service/worker/queue',
  'publish/release-interrupted',
  'install/package-managers',
  'service/nodes',
  'examples',
  'publish/mishaps',
  'publish/one-document',
  'browser/cors',
  'service/outage',
  'action',
  'publish/stores',
  'publish/storm',
  'publish/publish-apps',
  'service/webhooks/kill',
  'hosts/bucket-presets',
  'install/archives',
  'service/webhooks/sender',
  'service/backup/process',
  'install/pre-commit',
  'action-comment',
  'package-types',
  'install/image',
  'browser/random',
  'service/api/live',
  'service/process',
  'service/embedded-outage',
  'store/crash',
  'observe/web-failing-requests',
  'service/refresh/artifact-checks',
  'store/s3/web',
  'store/s3/s3',
  'observe/web-network',
  'observe/live/reachability',
  'observe/web-alternating',
  'browser/advice',
  'cli/completion',
  'service/full-disk',
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
