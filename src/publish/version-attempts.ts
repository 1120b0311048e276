import type { AppregError } from '../core/errors/error.ts';
import { isDocumentWritten, type StepResult } from './apply-step.ts';
import { type AttemptOptions, Attempts } from './attempts.ts';
import { isBump } from './choose-version.ts';
import type { RegistryLocation } from './registry-location.ts';
import type { Outcome } from './store-and-record.ts';
import type { VersionPlan } from './version-plan.ts';

/** The result of publishing a version. */
export interface Published extends Outcome<VersionPlan> {
  /** False if these bytes were already listed. */
  isNew: boolean;
}

/** Maximum number of times that an increment is recomputed after conflicts. */
const MAX_ATTEMPTS = 50;
/** The number of companion files of an artifact: another publisher may store each of them first. */
const COMPANIONS = 2;

/** Attempts to publish a version, which is planned again if another publisher has just stored one of its files. */
export class VersionAttempts {
  readonly #attempts: Attempts<VersionPlan>;
  readonly #isIncrement: boolean;
  readonly #isDryRun: boolean;
  #failed = 0;
  #lastTried = '';
  /** The plan of this attempt; null until it is made. */
  #tried: VersionPlan | null = null;

  /** @param word a semantic version; or major, minor or patch */
  constructor(store: RegistryLocation['store'], word: string, options: AttemptOptions) {
    this.#attempts = new Attempts(store, options);
    this.#isIncrement = isBump(word);
    this.#isDryRun = options.dryRun === true;
  }

  get lastPlan(): VersionPlan | null {
    return this.#attempts.lastPlan;
  }

  /**
   * Stores and records a plan, as `Attempts.apply` does.
   * @throws what `refusalOf` takes
   */
  async apply(planned: VersionPlan): Promise<Published> {
    this.#tried = planned;
    const outcome = await this.#attempts.apply(planned);
    const isNew = this.#isDryRun ? !planned.published : outcome.results.some(listsVersionOrApp);
    return { ...outcome, isNew };
  }

  /**
   * Ends an attempt that failed, or whose plan could not be made.
   * @returns null if the version has to be planned again; otherwise the error of the attempt, with what is stored
   * @throws all errors that are not expected
   */
  refusalOf(thrown: unknown): AppregError | null {
    const planned = this.#tried;
    this.#tried = null;
    const error = this.#attempts.after(thrown);
    return error === null || this.#isOfRival(error, planned) ? null : error;
  }

  /** @param planned null if the error is one of planning: another publisher may take the number between two reads */
  #isOfRival({ code }: AppregError, planned: VersionPlan | null): boolean {
    this.#failed += 1;
    if (code !== 'immutable') return false;
    // A companion file that another publisher has just stored is looked at: it may describe the same artifact.
    if (this.#failed <= COMPANIONS && planned !== null && hasCompanions(planned)) return true;
    const number = planned?.entry.version ?? null;
    if (number === this.#lastTried || !this.#isIncrement || this.#failed === MAX_ATTEMPTS) return false;
    if (number !== null) this.#lastTried = number;
    return true;
  }
}

/** True if a step wrote a document that lists the version, or the app; not its notes or its record. */
export function listsVersionOrApp(result: StepResult): boolean {
  const { role } = result.step;
  return isDocumentWritten(result) && (role === 'metadata' || role === 'manifest');
}

/** True if the plan stores files beside the artifact. */
function hasCompanions({ plan }: VersionPlan): boolean {
  return plan.steps.some(({ kind, role }) => kind === 'create' && role !== 'artifact');
}
