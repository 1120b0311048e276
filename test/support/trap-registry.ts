import { answer, byMethod, CORS, type FaultHost, tagged } from './fault-host.ts';
import { archive, checksum, SVG } from './live-registry.ts';
import { APP_KEYS, LAST_APP, LAST_VERSION } from './trap-rules.ts';

/** Four apps without a fault, for the rules of trap-rules.ts. */

export const versionsOf = (key: string): string[] => ['1.0.0', ...(key === LAST_APP ? [LAST_VERSION] : [])];

export function metadataOf(key: string, base: string): object {
  const versions = versionsOf(key).map((version) => ({
    version,
    artifactUrl: `${base}/${key}/${version}.tar.gz`,
    artifactChecksum: checksum(archive(`${key} ${version}`)),
  }));
  return { versions };
}

export function manifestAt(base: string): object {
  const apps = APP_KEYS.map((key) => [
    key,
    {
      name: key,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${base}/${key}/icon.svg`, color: '#336699' },
      appMetadataUrl: `${base}/${key}/versions.json`,
    },
  ]);
  return { apps: Object.fromEntries(apps) as object };
}

/** Serves it with entity tags, so that a later check can confirm it. @returns the URL of its manifest */
export function serveTrapRegistry(host: FaultHost): string {
  for (const key of APP_KEYS) {
    host.on(`/${key}/versions.json`, tagged(JSON.stringify(metadataOf(key, host.origin))));
    const icon = answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG });
    host.on(`/${key}/icon.svg`, byMethod({ GET: icon }));
    for (const version of versionsOf(key))
      host.on(
        `/${key}/${version}.tar.gz`,
        tagged(archive(`${key} ${version}`), { 'Content-Type': 'application/gzip' }),
      );
  }
  return host.on('/registry.json', tagged(JSON.stringify(manifestAt(host.origin))));
}
