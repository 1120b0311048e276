import { isColor } from '../core/text/color.ts';
import {
  documentText,
  isObject,
  type JsonValue,
  MAX_DEPTH,
  member,
  parseDocument,
  syntaxErrorInText,
} from '../core/json/json.ts';
import { pointerTo } from '../core/json/pointer.ts';
import { locate, survey } from '../core/json/positions.ts';
import { checksumError } from '../core/registry/checksum.ts';
import { listedVersions } from '../core/registry/manifest.ts';
import { isSemver, likelyVersion } from '../core/registry/version.ts';

/** Fixes errors in a document that have only one possible correction; every other byte is preserved. */

export interface Fix {
  pointer: string;
  /** Description of the fix. */
  what: string;
  /** The version whose entry was changed, or null. */
  version: string | null;
}

interface Change extends Fix {
  to: string;
}

/** The fixed text and the list of fixes, empty if nothing was changed. */
export function fixDocument(document: 'manifest' | 'metadata', text: string): { text: string; fixes: Fix[] } {
  const fixes: Fix[] = [];
  let fixed = text;
  if (fixed.startsWith('\ufeff')) {
    fixed = fixed.slice(1);
    fixes.push({ pointer: '', what: 'removed the byte order mark', version: null });
  }
  if (survey(fixed, MAX_DEPTH).depth > MAX_DEPTH) return { text, fixes: [] };
  for (
    let fault = syntaxErrorInText(fixed);
    fault?.cause === 'trailing-comma' && fixes.length < 1000;
    fault = syntaxErrorInText(fixed)
  ) {
    const doubled = !/^,\s*[\]}]/.test(fixed.slice(fault.offset, fault.offset + 1000));
    fixed = fixed.slice(0, fault.offset) + fixed.slice(fault.offset + 1);
    fixes.push({
      pointer: '',
      what: doubled ? 'removed a duplicate comma' : 'removed a comma before a closing bracket',
      version: null,
    });
  }
  const { value, duplicates } = parseDocument(documentText(fixed));
  if (value === undefined || duplicates.length > 0) return { text: fixed, fixes };
  const changes = document === 'manifest' ? manifestChanges(value) : metadataChanges(value);
  const spans = locate(
    fixed,
    changes.map((change) => change.pointer),
  );
  // Assembled from pieces: slicing a large text for each change would copy it every time.
  const pieces: string[] = [];
  let done = 0;
  const located = changes.flatMap((change) => {
    const span = spans.get(change.pointer);
    return span === undefined ? [] : [{ ...change, span }];
  });
  if (located.length < changes.length) throw new Error('a value to fix has no position');
  for (const { to, span, ...fix } of located.toSorted((a, b) => a.span.start - b.span.start)) {
    pieces.push(fixed.slice(done, span.start), JSON.stringify(to));
    done = span.end;
    fixes.push(fix);
  }
  return { text: pieces.join('') + fixed.slice(done), fixes };
}

function metadataChanges(value: JsonValue): Change[] {
  const versions = listedVersions(value);
  if (versions === null) return [];
  const taken = new Set(versions.map((entry) => member(entry, 'version')));
  const changes: Change[] = [];
  for (const [index, entry] of versions.entries()) {
    const version = member(entry, 'version');
    const named = typeof version === 'string' ? version : null;
    const at = (field: string): string => pointerTo('versions', index, field);
    if (named !== null && !isSemver(named)) {
      const meant = likelyVersion(named);
      // Only a prefix or white space around a complete version is unambiguous; `1.2` is not.
      if (meant !== null && !taken.has(meant) && named.trim().replace(/^[vV=]+/, '') === meant) {
        taken.add(meant);
        changes.push({
          pointer: at('version'),
          to: meant,
          what: `wrote the version ${JSON.stringify(named)} as "${meant}"`,
          version: named,
        });
      }
    }
    const checksum = member(entry, 'artifactChecksum');
    const repaired = typeof checksum === 'string' ? checksumError(checksum)?.repaired : null;
    if (repaired)
      changes.push({
        pointer: at('artifactChecksum'),
        to: repaired,
        what: `wrote the checksum as ${repaired.slice(0, 19)}… (same digest)`,
        version: named,
      });
    changes.push(...trimmed(member(entry, 'artifactUrl'), at('artifactUrl'), named));
  }
  return changes;
}

function manifestChanges(value: JsonValue): Change[] {
  const apps = member(value, 'apps');
  if (!isObject(apps)) return [];
  const changes: Change[] = [];
  for (const key of Object.keys(apps)) {
    const style = member(apps[key], 'blockStyle');
    changes.push(...trimmed(member(apps[key], 'appMetadataUrl'), pointerTo('apps', key, 'appMetadataUrl'), null));
    changes.push(...trimmed(member(style, 'iconUrl'), pointerTo('apps', key, 'blockStyle', 'iconUrl'), null));
    const color = member(style, 'color');
    if (typeof color !== 'string' || isColor(color)) continue;
    const written = `#${color.trim().replace(/^#/, '')}`;
    if (isColor(written))
      changes.push({
        pointer: pointerTo('apps', key, 'blockStyle', 'color'),
        to: written,
        what: `wrote the color ${JSON.stringify(color)} as "${written}"`,
        version: null,
      });
  }
  return changes;
}

/** A URL with surrounding white space, the only URL error with an unambiguous fix. */
function trimmed(url: JsonValue | undefined, pointer: string, version: string | null): Change[] {
  if (typeof url !== 'string' || url === url.trim() || url.trim() === '') return [];
  return [{ pointer, to: url.trim(), what: 'removed white space around a URL', version }];
}
