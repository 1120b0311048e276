import type { AppregError } from '../core/errors/error.ts';
import { isDocumentWritten, type StepResult } from '../publish/apply-step.ts';
import { Attempts } from '../publish/attempts.ts';
import { listsVersionOrApp } from '../publish/version-attempts.ts';
import { describeWriteState } from '../store/journal.ts';
import { notPublished, publishedEntry, type PublishedEntry } from './plan-entries.ts';
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
): Promise<CommittedAll> {
  const { store, workspace, manifest } = registry;
  const failures: PublishedApp[] = [];
  const refused: PublishedEntry[] = [];
  let attempts = new Attempts<ReleasePlan>(store, { workspace });
  let planned = first;
  for (;;) {
    const attempt = await attempts.attempt(planned);
    if (attempt.kind === 'applied') {
      const { results, notRecorded } = attempt.outcome;
      const error = notRecorded && withLockHint(errorOfApp(notRecorded));
      return {
        results: [...failures, ...planned.versions.map((one) => committed(one, planned, results, error))],
        entries: [...refused, ...planned.entries.map((one) => publishedEntry(one, { notRecorded: error }))],
      };
    }
    const refusal = attempt.kind === 'failed' ? errorOfApp(attempt.error) : null;
    const { versions, entries } = planned;
    const failing = (error: AppregError): CommittedAll => ({
      results: [...failures, ...failAll(versions, error, manifest)],
      entries: [...refused, ...entries.map((one) => notPublished(one, error))],
    });
    // It is unknown what was written, or something was.
    if (refusal !== null && refusal.effect !== 'none' && refusal.effect !== null) return failing(refusal);
    const apps = versions.map(({ app }) => app);
    planned = await planAll(registry, apps, { ...options, described: entries.map(({ app }) => app) });
    failures.push(...planned.failures);
    refused.push(...planned.refused);
    if (refusal === null) continue;
    // The same apps would be refused again.
    if (planned.versions.length === versions.length && writesIn(planned) === writesIn({ entries }))
      return failing(refusal);
    attempts = new Attempts(store, { workspace });
  }
}

/** The results of all apps, and of the entries of listed ones. */
interface CommittedAll {
  results: PublishedApp[];
  entries: PublishedEntry[];
}

function writesIn({ entries }: Pick<ReleasePlan, 'entries'>): number {
  return entries.filter(({ part }) => part.steps.length > 0).length;
}

function committed(
  one: PlannedVersion,
  { listingStep }: ReleasePlan,
  results: readonly StepResult[],
  error: AppregError | null,
): PublishedApp {
  const { plan, listingStep: own } = one.version;
  const isNew = results.some(
    (result) =>
      (listsVersionOrApp(result) && plan.steps.includes(result.step)) ||
      (own !== null && result.step === listingStep && isDocumentWritten(result)),
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
