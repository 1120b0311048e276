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
  'cli/odd-values',
  'service/hostile-artifacts',
  'service/http/odd-bodies',
  'service/database/refusals',
  'publish/large-artifact',
  'publish/interrupted',
  'hosts/service-proxies',
  'service/pages/hostile-text',
  'publish/storm',
  'service/kill',
  'package-types',
  'observe/web-alternating',
  'release/release-interrupted',
  'service/outage',
  'service/nodes',
  'service/http/many-connections',
  'publish/mishaps',
  'service/registries/revoked-urls',
  'service/pages/journey',
  'service/refresh/same-verdicts',
  'action',
  'service/pages/screens',
  'service/process',
  'action-comment',
  'release/attestations',
  'publish/planned-again',
  'release/every-app-listed',
  'examples',
  'store/git/git',
  'service/worker/queue',
  'release/publish-apps',
  'browser/advice',
  'browser/icon-bodies',
  'cli/transcripts',
  'publish/stores',
  'service/backup/process',
  'cli/author-process',
  'cli/ci-files',
  'store/s3/s3',
  'cli/lint-many',
  'release/companions',
  'browser/icons',
  'hosts/bucket-presets',
  'observe/live/unanswered',
  'service/api/live',
  'publish/one-document',
  'cli/broken-files',
  'observe/web-failing-requests',
  'service/webhooks/sender',
  'observe/web-network',
  'service/diagnose',
  'service/refresh/artifact-checks',
  'cli/completion',
  'service/two-nodes',
  'bundle/pipes',
  'observe/live/archive',
  'cli/assemble',
  'conformance/host/faults',
  'hosts/apache',
  'publish/store-requests',
  'store/s3/web',
  'many-apps-workflow',
  'browser/certificates',
  'observe/live/reachability',
  'service/refresh/about',
  'cli/output',
  'service/refresh/artifact-share',
  'cli/open-files',
  'observe/web-limits',
  'hosts/nginx-files',
  'service/http/slow-clients',
  'observe/content/scan-content',
  'store/crash',
  'bundle/reproducible',
  'cli/site',
  'service/embedded-outage',
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
