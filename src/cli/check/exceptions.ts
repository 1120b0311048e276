import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Exception, ExceptionList } from '../../core/engine/exception.ts';
import type { DocumentFacts } from '../../core/facts/facts.ts';
import { versionRange, type VersionRange } from '../../core/registry/version-range.ts';
import { contentOf } from '../../observe/workspace/document-content.ts';
import type { ConfiguredException, LoadedConfig } from '../config/config.ts';
import { shownPath } from '../io/shown-path.ts';

/** The exceptions of a configuration that `refuseInvalidSettings` accepts; null if it has none. */
export function exceptionsOf({ config, file }: LoadedConfig, cwd: string): ExceptionList | null {
  const configured = config.exceptions ?? [];
  if (configured.length === 0) return null;
  const pointer = file !== null && basename(file) === 'package.json' ? '/appreg/exceptions' : '/exceptions';
  const entries = configured.map(exceptionOf);
  return { entries, document: file === null ? null : documentOf(file, cwd), pointer };
}

/** The configuration as a document, for positions in it. */
function documentOf(file: string, cwd: string): DocumentFacts {
  const web: DocumentFacts['web'] = { missing: { code: 'not-requested', flag: null } };
  return { url: null, file: shownPath(cwd, file), web, content: contentOf(readFileSync(file)) };
}

function exceptionOf(configured: ConfiguredException): Exception {
  const { rule, app = null, version = null, url = null, reason, until = null, issue = null } = configured;
  return { rule, app, version: version === null ? null : rangeOf(version), url, reason, until, issue };
}

function rangeOf(text: string): VersionRange {
  const range = versionRange(text);
  // Without a range, the exception would be for all versions.
  if (range === null) throw new TypeError(`Not a range: ${text}`);
  return range;
}
