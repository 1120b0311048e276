import type { IconFacts } from '../../core/facts/facts.ts';
import type { Stored } from '../../store/store.ts';
import type { AppToAssemble } from '../described-app.ts';
import { NOT_OBSERVED } from '../registry-location.ts';
import type { Step } from '../plan.ts';
import { NOTHING, type Part } from './part.ts';

/** The icon of a described app: created, or replaced by another one. @param stored the current file, if there is one */
export function iconPart(app: AppToAssemble, stored: Stored | null): Part<Step> {
  const { key, image } = app;
  const part = { ...NOTHING, facts: { after: { app: { icon: iconFacts(app) } } } };
  const path = iconPath(app);
  if (path === null || image === null) return part;
  const { bytes } = image;
  const at = { role: 'icon', path, bytes } as const;
  const files = [path];
  if (stored === null) return { ...part, files, steps: [{ ...at, kind: 'create', what: `the icon of ${key}` }] };
  if (Buffer.from(stored.bytes).equals(bytes)) return { ...part, files };
  return { ...part, files, steps: [{ ...at, kind: 'replace', what: `the icon of ${key}, changed` }] };
}

/** The icon as its folder has it. */
export function iconFacts({ source, icon, image: file, entry }: AppToAssemble): IconFacts {
  const { content, image } = file ?? { content: NOT_OBSERVED, image: NOT_OBSERVED };
  const path = icon === null ? null : `${source}/${icon}`;
  return { url: entry.blockStyle.iconUrl, file: path, web: NOT_OBSERVED, content, image };
}

/** The path of the icon in the store; null for an icon that is hosted elsewhere. */
export function iconPath({ key, icon, image }: AppToAssemble): string | null {
  return icon === null || image === null ? null : `apps/${key}/${icon}`;
}
