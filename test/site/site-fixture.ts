import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documentsOfTree } from '../../src/observe/workspace/tree-snapshot.ts';
import { folderTree } from '../../src/observe/workspace/documents.ts';
import type { AttestationOf } from '../../src/site/catalogue.ts';
import { generateSite, type SiteResult } from '../../src/site/site.ts';
import type { SiteRegistry } from '../../src/site/paths.ts';
import { folder } from '../support/folders.ts';

/** A registry in a folder, and its site. */

export const BASE = 'https://apps.example.com/';
export const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

export interface FixtureApp {
  name?: string;
  description?: string;
  iconUrl?: string;
  color?: string | null;
  /** Versions, or elements of `versions`. */
  versions?: readonly unknown[];
  /** The about file; a text is written as it is. */
  about?: object | string;
}

/** Writes a registry. @returns its folder */
export function registryWith(apps: Record<string, FixtureApp>, root = folder()): string {
  const entries: Record<string, object> = {};
  for (const [index, [key, app]] of Object.entries(apps).entries()) {
    const { name = key, description = 'An app.', color = '#1864ab', versions = ['1.0.0'], about } = app;
    const { iconUrl = `${BASE}apps/${index}/icon.svg` } = app;
    const blockStyle = { iconUrl, color };
    // The path is that of a number, since a key may be any text.
    entries[key] = { name, description, blockStyle, appMetadataUrl: `${BASE}apps/${index}/versions.json` };
    const list = versions.map((version) =>
      typeof version === 'string'
        ? { version, artifactUrl: `${BASE}apps/${index}/${version}.tar.gz`, artifactChecksum: DIGEST }
        : version,
    );
    write(root, `apps/${index}/versions.json`, JSON.stringify({ versions: list }));
    if (about !== undefined)
      write(root, `apps/${index}/versions.about.json`, typeof about === 'string' ? about : JSON.stringify(about));
  }
  write(root, 'registry.json', JSON.stringify({ apps: entries }));
  return root;
}

export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

export const SITE: SiteRegistry = { url: `${BASE}registry.json`, title: 'Acme apps', base: `${BASE}site/` };

interface GenerateOptions {
  site?: SiteRegistry;
  isWriting?: boolean;
  /** Default: none. */
  attestationOf?: AttestationOf;
}

/** Generates the site of a registry in a folder. */
export function siteOf(
  root: string,
  out: string,
  { site = SITE, isWriting = true, attestationOf = () => null }: GenerateOptions = {},
): Promise<SiteResult> {
  return generateSite(
    out,
    site,
    documentsOfTree(folderTree(root, root), 'registry.json', [BASE], { about: true }),
    attestationOf,
    {
      now: '2026-11-25T12:00:00.000Z',
      shownAs: 'site',
      isWriting,
      mayHaveOthers: () => false,
    },
  );
}
