import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'vitest';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import { runRelease } from '../../src/cli/commands/release.ts';
import type { ReleasedApp, ReleaseReport } from '../../src/core/release/report.ts';
import { writeFiles } from '../bundle/tree.ts';
import { folder } from '../support/folders.ts';
import { contextIn, type Recorded } from './author-support.ts';

const isReport = new Ajv().compile(
  JSON.parse(readFileSync(new URL('../../schemas/release.schema.json', import.meta.url), 'utf8')),
);

/** A repository of apps, and `appreg release` as a function. */

// Nothing listens there, so that reading back ends at once.
export const BASE = 'https://127.0.0.1:30999/';

const RELEASE = [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }];

/** A workspace whose manifest lists `listed`, with these files. */
export async function repository(
  files: Record<string, string>,
  { listed = [], release: entries = RELEASE }: { listed?: readonly string[]; release?: readonly object[] | null } = {},
): Promise<string> {
  const root = folder();
  const apps = listed.map((key) => {
    const blockStyle = { iconUrl: 'https://icons.example.net/i.svg', color: '#112233' };
    return [key, { name: key, description: 'An app.', blockStyle, appMetadataUrl: `${BASE}apps/${key}/versions.json` }];
  });
  writeFiles(root, {
    'appreg.config.json': JSON.stringify({ baseUrl: BASE, ...(entries && { release: entries }) }),
    'registry.json': `${JSON.stringify({ apps: Object.fromEntries(apps) }, null, 2)}\n`,
    ...Object.fromEntries(listed.map((key) => [`apps/${key}/versions.json`, '{ "versions": [] }\n'])),
    ...files,
  });
  return root;
}

/** The files of apps in src/, which export their key. */
export function sources(versions: Record<string, string>): Record<string, string> {
  const files = Object.entries(versions).map(([key, version]) => [
    [`src/${key}/main.ts`, `export const app = '${key}';\n`],
    [`src/${key}/VERSION`, `${version}\n`],
  ]);
  return Object.fromEntries(files.flat());
}

export interface Run {
  code: number;
  report: ReleaseReport;
  /** By key. */
  apps: Record<string, ReleasedApp>;
  context: Recorded;
}

/** Runs the command with `--format json`. */
export async function releaseIn(
  root: string,
  options: Parameters<typeof runRelease>[1] & GlobalOptions = {},
): Promise<Run> {
  const context = contextIn(root, { ...options, format: 'json' });
  const code = await runRelease(context, { ...options, format: 'json' });
  const report: ReleaseReport = JSON.parse(context.printed.out.join('\n'));
  expect(isReport(report), JSON.stringify(isReport.errors)).toBe(true);
  return { code, report, apps: Object.fromEntries(report.apps.map((app) => [app.key, app])), context };
}

/** The state of each app. */
export function statesOf({ apps }: Run): Record<string, string> {
  return Object.fromEntries(Object.values(apps).map(({ key, state }) => [key, state]));
}

export function textOf(root: string, path: string): string | null {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null;
}
