import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import type { Exception, ExceptionList, VersionRange } from '../../core/engine/exception.ts';
import type { DocumentFacts } from '../../core/facts/facts.ts';
import { isSemver } from '../../core/registry/version.ts';
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
  return {
    text,
    includes: (version) => isSemver(version) && satisfies(version, text, { includePrerelease: true }),
  };
}
