import type { NewVersion } from '../../author/metadata.ts';
import type { Finding } from '../../core/engine/report.ts';
import type { JudgeSettings } from '../check-change.ts';
import { lockStep } from '../lock-step.ts';
import type { Step } from '../plan.ts';
import type { PreparedApp } from '../prepared-app.ts';
import { publish } from '../publish.ts';
import type { RegistryLocation } from '../registry-location.ts';
import { errorOfApp, lockedVersion, type PublishedApp } from './plan-app.ts';

/**
 * Publishes one app in a transaction of its own: the artifact, its entry in the metadata file, its entry in the lock
 * file. An expected error is its result.
 * @throws AppregError if the run was interrupted
 */
export async function publishOne(
  place: RegistryLocation,
  app: PreparedApp,
  judgeSettings: JudgeSettings,
  readBack?: (app: PreparedApp, entry: NewVersion) => Promise<void>,
): Promise<PublishedApp> {
  let entry: NewVersion | null = null;
  let findings: Finding[] = [];
  let isListed = false;
  let lists: Step | undefined;
  try {
    const { isNew } = await publish(place, app.key, app.version, app.artifact, judgeSettings, {
      listing: app.listing,
      ...(readBack && { readBack: (added: NewVersion) => readBack(app, added) }),
      addedSteps(planned) {
        ({ entry, findings } = planned);
        lists = planned.plan.steps.findLast(({ kind }) => kind === 'edit');
        return [lockStep([{ app: app.key, version: lockedVersion(app, planned.entry, judgeSettings.now) }])];
      },
      onStep({ step, outcome }) {
        if (step === lists) isListed = outcome === 'edited';
      },
    });
    return { app, outcome: isNew ? 'published' : 'already-published', error: null, entry, findings };
  } catch (error) {
    const outcome = entry === null ? 'refused' : 'failed';
    return { app, outcome: isListed ? 'published' : outcome, error: errorOfApp(error), entry, findings };
  }
}
