import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than 45 seconds. The last one of a run would leave the other processes without work. */
export const LONG = [
  'platforms/transcripts',
  'platforms/runtimes',
  'windows/transcripts',
  'install/package-managers',
  'install/default-installs',
  'cli/odd-values',
  'service/ssrf/ssrf',
  'conformance/service',
  'publish/interrupted',
  'service/refresh/same-verdicts',
  'release/release-interrupted',
  'publish/large-artifact',
  'conformance/naive-subscriber',
];

/**
 * Files that share processes come last, one after the other, since a process is only used again for the next file of
 * the queue. Of the others, those that take very long come first. All else is in the order of vitest: by the time of the
 * last run here, or by size, which costs a few seconds of a run.
 */
export class SharedLast extends BaseSequencer {
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
  const index = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return index < 0 ? LONG.length : index;
}
