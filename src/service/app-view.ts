import { type Reason, reason } from './reasons.ts';
import type { AppView } from './views.ts';

/** What the database knows of an app that decides whether it can be installed. */
export interface AppStanding {
  key: string;
  name: string;
  description: string;
  color: string | null;
  icon: Buffer | null;
  iconFragment: string;
  listed: boolean;
  visible: boolean | null;
  because: readonly string[];
  failingSince: Date | null;
  /** The highest version that is offered. */
  latest: string | null;
  /** How many are offered, and how many are known; the database counts in texts. */
  offeredCount: string;
  versionCount: string;
  /** The states of those that are not withdrawn; null where one is offered. */
  states: readonly string[] | null;
  /** Why one of them is refused. */
  refusal: { code: string | null; message: string | null } | null;
}

export function appView(app: AppStanding): AppView {
  const standing = standingOf(app);
  return {
    key: app.key,
    name: app.name,
    description: app.description,
    color: app.color,
    icon: app.icon?.toString('hex') ?? null,
    iconFragment: app.icon === null ? '' : app.iconFragment,
    ...standing,
    offered: standing.visible === true ? Number(app.offeredCount) : 0,
    versions: Number(app.versionCount),
    failingSince: app.failingSince?.toISOString() ?? null,
  };
}

type Standing = Pick<AppView, 'visible' | 'reasons' | 'latest'>;

/** The same decision as INSTALLABLE (queries.ts), with the reasons. */
function standingOf(app: AppStanding): Standing {
  if (!app.listed) return hidden([reason('app-withdrawn')]);
  const because = app.because.map(reason);
  if (app.visible === false && app.failingSince === null) return hidden(because);
  if (app.latest !== null) return { visible: true, reasons: [], latest: app.latest };
  if (app.states?.includes('pending')) return hidden([reason('artifact-unchecked')], null);
  if (app.states?.includes('refused')) return hidden([reason('artifact-refused'), ...refusalOf(app)]);
  if (because.length > 0) return hidden(because, app.visible === false ? false : null);
  return app.visible === null ? hidden([reason('app-unchecked')], null) : hidden([reason('version-withdrawn')]);
}

function hidden(reasons: Reason[], visible: false | null = false): Standing {
  return { visible, reasons, latest: null };
}

function refusalOf({ refusal }: AppStanding): Reason[] {
  if (refusal === null || refusal.code === null) return [];
  return [refusal.message === null ? reason(refusal.code) : { code: refusal.code, message: refusal.message }];
}
