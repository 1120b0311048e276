import { writeProgress, type RegistryClaim } from '../db/claims.ts';
import type { Figures } from '../../observe/registry/part.ts';
import type { Service } from '../context.ts';
import type { CheckProgress } from '../domain/registries.ts';

/** Milliseconds between two writes. */
const INTERVAL = 1000;

/**
 * Stores how far a refresh has got, for the subscribers who wait for it. A refresh that is quick stores nothing.
 * @param total returns the number of apps in total; 0 if it is not known yet
 */
export function openProgressWriter(
  { db, log }: Pick<Service, 'db' | 'log'>,
  registry: RegistryClaim,
  figures: Readonly<Figures>,
  total: () => number,
): { close(): Promise<void> } {
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
    if (total() === 0 || writing !== null) return;
    const { listed, verified } = figures.artifacts;
    const progress = { apps: { total: total(), read: figures.apps }, artifacts: { total: listed, verified } };
    const text = JSON.stringify(progress);
    if (text === stored) return;
    stored = text;
    writing = write(progress);
  }, INTERVAL);
  return {
    async close() {
      clearInterval(timer);
      await writing;
    },
  };
}
