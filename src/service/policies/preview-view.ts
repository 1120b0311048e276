import type { PolicyPreview } from '../../core/policy/preview.ts';
import { MOST_PREVIEWED, type PreviewView } from './schema.ts';

/** A preview as the API returns it, and as the page shows it: bounded. */
export function previewView({ hidden, appearing, hiddenApps, latest, hidesEverything }: PolicyPreview): PreviewView {
  return {
    hidden: hidden.length,
    appearing: appearing.length,
    hidesEverything,
    hiddenVersions: hidden.slice(0, MOST_PREVIEWED).map(({ key, version, hold: { line, offeredAt } }) => ({
      app: key,
      version,
      line,
      offeredAt: offeredAt?.toISOString() ?? null,
    })),
    appearingVersions: appearing.slice(0, MOST_PREVIEWED).map(({ key, version }) => ({ app: key, version })),
    hiddenApps: hiddenApps.slice(0, MOST_PREVIEWED),
    latest: latest.slice(0, MOST_PREVIEWED).map(({ key, before, after }) => ({ app: key, before, after })),
  };
}
