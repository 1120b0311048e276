import { readAboutFile } from '../../src/core/about/about-file.ts';
import { documentText } from '../../src/core/json/json.ts';
import type { Subjects } from '../../src/core/rules/subjects.ts';

const NONE = { app: { homepage: null, source: null, licence: null, support: null }, versions: new Map() };

/** The facts about an about file for rules. @param text a text, or the value of the file */
export function aboutSubject(text: string | object, listed: readonly string[] = []): Subjects['about'] {
  const reading = readAboutFile(documentText(typeof text === 'string' ? text : JSON.stringify(text)));
  return { reading, about: reading.about ?? NONE, listed };
}

/** The value of an about file that retires versions. @param retired the version to use by version; null for none */
export function retiring(retired: Record<string, string | null>): object {
  const versions = Object.entries(retired).map(([version, use]) => [
    version,
    { deprecated: { reason: 'broken', message: 'It does not start.', ...(use !== null && { use }) } },
  ]);
  return { schema: 1, versions: Object.fromEntries(versions) };
}
