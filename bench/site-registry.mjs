// A large registry for the benchmarks of sites: as many apps as given, each with versions that have notes and dates.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BASE = 'https://apps.example.com/';
const NOTES =
  '## Added\n\n- A setting for the interval.\n- Retries of failed requests.\n\n## Fixed\n\n- An event was emitted twice.';

/** Writes the registry into a folder. */
export function makeRegistry(folder, apps, versions) {
  const entries = {};
  for (let i = 0; i < apps; i++) {
    const key = `app-${i}`;
    const url = `${BASE}apps/${key}/`;
    entries[key] = {
      name: `App ${i}`,
      description: 'Connects two systems, and emits an event for each change.',
      blockStyle: { iconUrl: `${url}icon.svg`, color: '#1864ab' },
      appMetadataUrl: `${url}versions.json`,
    };
    const numbers = Array.from({ length: versions }, (_, n) => `1.${n}.0`);
    const list = numbers.map((version, n) => ({
      version,
      artifactUrl: `${url}versions/${version}.tar.gz`,
      artifactChecksum: `sha256:${(i * versions + n).toString(16).padStart(64, '0')}`,
    }));
    const about = numbers.map((version, n) => [
      version,
      { published: new Date(Date.UTC(2026, 0, 1 + n, 0, i % 1440)).toISOString(), notes: NOTES },
    ]);
    mkdirSync(join(folder, 'apps', key), { recursive: true });
    writeFileSync(join(folder, 'apps', key, 'versions.json'), JSON.stringify({ versions: list }));
    writeFileSync(
      join(folder, 'apps', key, 'versions.about.json'),
      JSON.stringify({ schema: 1, versions: Object.fromEntries(about) }),
    );
  }
  writeFileSync(join(folder, 'registry.json'), JSON.stringify({ apps: entries }));
  writeFileSync(join(folder, 'appreg.config.json'), JSON.stringify({ baseUrl: BASE }));
}
