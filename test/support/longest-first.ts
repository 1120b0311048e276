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
  'service/hostile-artifacts',
  'publish/large-artifact',
  'publish/interrupted',
  'hosts/service-proxies',
  'service/pages/hostile-text',
  'publish/storm',
  'service/kill',
  'release/release-interrupted',
  'service/outage',
  'service/nodes',
  'service/http/many-connections',
  'publish/mishaps',
  'service/registries/revoked-urls',
  'browser/cors',
  'package-types',
  'observe/web-alternating',
  'action',
  'service/pages/screens',
  'service/refresh/same-verdicts',
  'release/publish-apps',
  'store/git/git',
  'service/pages/journey',
  'service/process',
  'action-comment',
  'service/backup/process',
  'examples',
  'cli/ci-files',
  'release/attestations',
  'publish/stores',
  'cli/transcripts',
  'service/worker/queue',
  'browser/icons',
  'conformance/host/faults',
  'observe/live/archive',
  'cli/config/config-code',
  'service/diagnose',
  'store/s3/s3',
  'browser/icon-bodies',
  'cli/lint-many',
  'browser/advice',
  'hosts/bucket-presets',
  'release/companions',
  'observe/web-network',
  'publish/one-document',
  'hosts/conformance',
  'observe/live/unanswered',
  'cli/completion',
  'service/webhooks/sender',
  'cli/output',
  'service/api/contract',
  'service/api/live',
  'cli/verify-secrets',
  'observe/web-failing-requests',
  'cli/assemble',
  'publish/store-requests',
  'bundle/pipes',
  'browser/site',
  'release/notes',
  'service/refresh/artifact-checks',
  'service/refresh/about',
  'browser/certificates',
  'service/refresh/artifact-share',
  'store/crash',
  'service/refresh/hostile',
  'service/refresh/private-registry',
  'cli/open-files',
  'observe/web-limits',
  'store/s3/web',
  'hosts/apache',
  'observe/archive-tools',
  'service/two-nodes',
  'cli/broken-files',
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
