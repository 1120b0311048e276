import { writeProgress, type RegistryClaim } from '../db/claims.ts';
import type { ObserveProgress } from '../../observe/registry/options.ts';
import type { Service } from '../context.ts';
import type { CheckProgress } from '../domain/registries.ts';

/** Stores how far a refresh has got, for the subscribers who wait for it. A refresh that is quick stores nothing. */
export interface ProgressWriter {
  /** @param read returns the number of apps in total, and what is observed, which changes meanwhile */
  show(read: () => { total: number; observed: Readonly<ObserveProgress> }): void;
  close(): Promise<void>;
}

/** Milliseconds between two writes. */
const INTERVAL = 1000;

export function openProgressWriter({ db, log }: Pick<Service, 'db' | 'log'>, registry: RegistryClaim): ProgressWriter {
  let current: Parameters<ProgressWriter['show']>[0] | null = null;
  let stored = '';
  let writing: Promise<void> | null = null;

  async function write(progress: CheckProgress): Promise<void> {
    try {
      await writeProgress(db, registry, progress);
    } catch (error) {
      // The refresh itself reports a database that cannot be reached.
      log('debug', 'progress-not-stored', { registry: registry.id, error });
    } finally {
      writing = null;
    }
  }

  const timer = setInterval(() => {
    const { total = 0, observed = null } = current?.() ?? {};
    if (observed === null || total === 0 || writing !== null) return;
    const { listed, verified } = observed.artifacts;
    const progress = { apps: { total, read: observed.apps }, artifacts: { total: listed, verified } };
    const text = JSON.stringify(progress);
    if (text === stored) return;
    stored = text;
    writing = write(progress);
  }, INTERVAL);
  return {
    show(read) {
      current = read;
    },
    async close() {
      clearInterval(timer);
      await writing;
    },
  };
}
