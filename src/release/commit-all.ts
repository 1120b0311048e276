import type { AppregError } from '../core/errors/error.ts';
import { isDocumentWritten, type StepResult } from '../publish/apply-step.ts';
import { isListing } from '../publish/publish-version.ts';
import { run, startingWith } from '../publish/run.ts';
import { describeWriteState } from '../store/journal.ts';
import { withLockHint } from './record-all.ts';
import { errorOfApp, failed, type PlannedVersion, type PublishedApp, succeeded } from './outcome.ts';
import { planAll, type PlanAllOptions, type ReleasePlan, type ReleaseRegistry } from './plan-all.ts';

/**
 * Publishes all apps in one write, such as a commit. If the write is refused, such as for a version that another publisher
 * has just listed with other bytes, all apps are planned again, which shows the app that has to be left out.
 * @param first the plan of all apps
 * @throws AppregError if the run was interrupted, or as `planAll` does
 */
export async function commitAll(
  registry: ReleaseRegistry,
  first: ReleasePlan,
  options: PlanAllOptions,
): Promise<PublishedApp[]> {
  const { store, workspace, manifest } = registry;
  const failures: PublishedApp[] = [];
  let planned = first;
  const again = async (): Promise<ReleasePlan> => {
    const apps = planned.versions.map(({ app }) => app);
    planned = await planAll(registry, apps, options);
    failures.push(...planned.failures);
    return planned;
  };
  for (;;) {
    try {
      const { results, notRecorded } = await run(store, startingWith(planned, again), { workspace });
      const error = notRecorded && withLockHint(errorOfApp(notRecorded));
      return [...failures, ...planned.versions.map((one) => committed(one, planned, results, error))];
    } catch (error) {
      const refusal = errorOfApp(error);
      const before = planned.versions;
      if (refusal.effect === 'none' || refusal.effect === null) {
        store.forget?.();
        await again();
      }
      // The same apps would be refused again.
      if (planned.versions.length === before.length) return [...failures, ...failAll(before, refusal, manifest)];
    }
  }
}

function committed(
  one: PlannedVersion,
  { listing }: ReleasePlan,
  results: readonly StepResult[],
  error: AppregError | null,
): PublishedApp {
  const { plan, listing: own } = one.version;
  const isNew = results.some(
    (result) =>
      (isListing(result) && plan.steps.includes(result.step)) ||
      (own !== null && result.step === listing && isDocumentWritten(result)),
  );
  return succeeded(one, isNew ? 'published' : 'already-published', error);
}

/**
 * No app was written, or it is unknown whether all were: each gets the error, with the state of its own files. The
 * manifest is not one of them.
 */
function failAll(planned: readonly PlannedVersion[], error: AppregError, manifest: string): PublishedApp[] {
  return planned.map((one) => {
    const { files } = one.version;
    const own = (paths: readonly string[] = []): string[] =>
      paths.filter((path) => files.includes(path) && path !== manifest);
    const { stored, notStored, unknown } = error.written ?? {};
    const written = { stored: own(stored), notStored: own(notStored), unknown: own(unknown) };
    const state = error.effect === 'none' ? error.state : describeWriteState(written);
    return failed(one, error.with({ effect: error.effect, state, written }));
  });
}
