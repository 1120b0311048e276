// A large workspace, for benchmarks: a manifest and a metadata file for each app, without artifacts.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const BASE_URL = 'https://apps.example.com/';

/** One of five errors, in turn. */
function spoil(fault, app, versions) {
  if (fault % 5 === 0) app.blockStyle.color = 'blue';
  else if (fault % 5 === 1) app.appMetadataUrl = app.appMetadataUrl.replace('https:', 'http:');
  else if (fault % 5 === 2) app.description = '';
  else if (fault % 5 === 3) versions[3].version = 'v1.3.0';
  else versions[7].artifactChecksum = 'sha256:unknown';
}

/**
 * Writes a workspace (`registry.json`, `appreg.config.json`, a metadata file for each app).
 * @param faults the number of apps with an error
 * @param count versions of each app
 * @returns the text of the manifest
 */
export function writeWorkspace(folder, apps, faults = 0, count = 10) {
  const entries = {};
  for (let i = 0; i < apps; i++) {
    const key = `app-${i}`;
    const app = {
      name: `App ${i}`,
      description: `Does job number ${i} with care – and says so in “quotes”, in a sentence of the usual length.`,
      blockStyle: { iconUrl: `${BASE_URL}apps/${key}/icon.svg`, color: '#1a73e8' },
      appMetadataUrl: `${BASE_URL}apps/${key}/versions.json`,
    };
    const versions = Array.from({ length: count }, (_, minor) => ({
      version: `1.${minor}.0`,
      artifactUrl: `${BASE_URL}apps/${key}/versions/1.${minor}.0.tar.gz`,
      artifactChecksum: `sha256:${createHash('sha256').update(`${key} ${minor}`).digest('hex')}`,
    }));
    const every = Math.floor(apps / faults);
    if (i % every === 0 && i / every < faults) spoil(i / every, app, versions);
    entries[key] = app;
    mkdirSync(join(folder, 'apps', key), { recursive: true });
    writeFileSync(join(folder, 'apps', key, 'versions.json'), `${JSON.stringify({ versions }, null, 2)}\n`);
  }
  const manifest = `${JSON.stringify({ apps: entries }, null, 2)}\n`;
  writeFileSync(join(folder, 'registry.json'), manifest);
  writeFileSync(join(folder, 'appreg.config.json'), JSON.stringify({ baseUrl: BASE_URL }));
  return manifest;
}
