/** How the kit drives an implementation. */

/** A case, as the implementation sees it. */
export interface CaseRun {
  /** Names its state: each case has a state of its own, which is empty at first. */
  id: string;
  /** The time of the case, ISO 8601 in UTC. */
  now: string;
  /** The file with the certificate (PEM) to trust. */
  caFile: string;
}

/** How a verb ended. */
export type VerbResult =
  | { end: 'success'; output: string }
  /** The implementation says that it could not do it. `details`: what it wrote about that, for people; '' for nothing. */
  | { end: 'failure'; details: string }
  /** It neither succeeded nor failed in the time, or was ended by a signal. */
  | { end: 'timeout' | 'crash'; details: string };

export interface Driver {
  /** @throws Error for a fault of the kit or its environment */
  subscribe(run: CaseRun, url: string, name: string): Promise<VerbResult>;
  refresh(run: CaseRun): Promise<VerbResult>;
  /** The output is JSON. */
  apps(run: CaseRun): Promise<VerbResult>;
  /** Deletes the state of a case. */
  end(run: CaseRun): Promise<void>;
}
