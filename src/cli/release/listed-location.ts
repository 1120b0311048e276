import { type Baseline, isMissing } from '../../core/facts/facts.ts';
import { asBase, localPath } from '../../observe/workspace/places.ts';
import type { PreparedApp } from '../../publish/prepared-app.ts';
import type { RegistryLocation } from '../../publish/registry-location.ts';
import { digestOfBytes } from '../../store/bytes.ts';
import type { Store } from '../../store/store.ts';
import type { Config } from '../config/config.ts';

/**
 * A registry that lists these apps with the versions of a state that `--against` names, to plan new versions without the
 * store. It cannot be written to.
 */
export function listedLocation(config: Config, apps: readonly PreparedApp[], listed: Baseline): RegistryLocation {
  const base = asBase(config.baseUrl ?? 'https://apps.example.com/');
  const manifest = config.manifest ?? 'registry.json';
  const entries: Record<string, object> = {};
  const files = new Map<string, Uint8Array>();
  const put = (path: string, value: object): void => void files.set(path, Buffer.from(JSON.stringify(value)));
  for (const { key } of apps) {
    const found = listed.keys.includes(key) ? listed.app(key) : null;
    if (found === null) continue;
    const versions = isMissing(found) ? [] : found;
    entries[key] = { appMetadataUrl: `${base}apps/${key}/versions.json` };
    put(`apps/${key}/versions.json`, { versions });
  }
  put(manifest, { apps: entries });
  return { store: readOnly(files), manifest, base, pathOf: (url) => localPath(url, base) };
}

async function refuse(): Promise<never> {
  throw new Error('the state that --against names cannot be written');
}

function readOnly(files: ReadonlyMap<string, Uint8Array>): Store {
  return {
    name: '--against',
    async read(path) {
      const bytes = files.get(path);
      return bytes === undefined ? null : { bytes, token: digestOfBytes(bytes).sha256 };
    },
    async digest(path) {
      const bytes = files.get(path);
      return bytes === undefined ? null : digestOfBytes(bytes);
    },
    create: refuse,
    replace: refuse,
  };
}
