import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than 45 seconds. The last one of a run would leave the other processes without work. */
export const LONG = [
  'test/platforms/transcripts',
  'test/platforms/runtimes',
  'test/windows/transcripts',
  'test/install/package-managers',
  'test/install/default-installs',
  'test/cli/odd-values',
  'service/test/ssrf/ssrf',
  'conformance/test/service',
  'test/publish/interrupted',
  'service/test/refresh/same-verdicts',
  'test/release/release-interrupted',
  'test/publish/large-artifact',
  'conformance/test/naive-subscriber',
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
  const index = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return index < 0 ? LONG.length : index;
}
