import type { AppFacts, DocumentFacts } from '../../core/facts/facts.ts';
import type { Finding } from '../../core/findings/report.ts';
import { type JudgeSettings, judgeState, newFindings, type RegistryState } from '../check-change.ts';
import { inOrderOfRoles } from '../role.ts';
import type { PlannedStep } from '../plan.ts';

/** Part of a plan: the files of one kind that a change writes, such as the artifact or the metadata file. */
export interface Part<AnyStep extends PlannedStep = PlannedStep> {
  /** The writes that are needed now, each with its role. */
  steps: readonly AnyStep[];
  /** The files that the part is about, also those that need no step now. */
  files: readonly string[];
  /** Changes of the facts that are judged; absent if they change nothing that is. */
  facts?: ChangedFacts;
}

/** Changes that the rules see. */
interface ChangedFacts {
  /** Facts that the state without the part lacks, although it is there. */
  before?: FactsOfPart;
  after: FactsOfPart;
}

interface FactsOfPart {
  manifest?: DocumentFacts;
  app?: Partial<AppFacts>;
}

export const NOTHING: Part<never> = { steps: [], files: [] };

/** The steps of all parts, in the order of their roles, and their files. */
export function joined<AnyStep extends PlannedStep>(
  parts: readonly Part<AnyStep>[],
): { steps: AnyStep[]; files: string[] } {
  return {
    steps: inOrderOfRoles(parts.flatMap(({ steps }) => steps)),
    files: [...new Set(parts.flatMap(({ files }) => files))],
  };
}

/**
 * The warnings and notes that the parts together cause.
 * @param state the registry before
 * @param options.isListed whether its manifest has the app (default); what is said of the entry and the icon of an app that
 * it does not have is caused by listing it
 * @throws AppregError (exit 1) that names the rules, if the change would introduce an error
 */
export function judgeParts(
  parts: readonly Part[],
  state: RegistryState,
  settings: JudgeSettings,
  { isListed = true }: { isListed?: boolean } = {},
): Finding[] {
  const changes = parts.flatMap(({ facts }) => facts ?? []);
  if (changes.length === 0) return [];
  const stateAt = (when: keyof ChangedFacts): RegistryState =>
    changes.reduce((now, change) => withFacts(now, change[when] ?? {}), state);
  return newFindings(
    () => {
      const { findings, verdict } = judgeState(stateAt('before'), settings);
      return {
        verdict,
        findings: isListed ? findings : findings.filter((finding) => !isOfEntry(finding, state.app?.key)),
      };
    },
    stateAt('after'),
    settings,
  );
}

/** True for what is said of the entry of an app, and of its icon. */
function isOfEntry({ app, resource }: Finding, key: string | undefined): boolean {
  return app === key && (resource === 'manifest' || resource === 'icon');
}

function withFacts({ manifest, app }: RegistryState, facts: FactsOfPart): RegistryState {
  return { manifest: facts.manifest ?? manifest, app: app && { ...app, ...facts.app } };
}
