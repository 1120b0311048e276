import type { Finding, Report } from '../core/engine/report.ts';
import { printable } from '../core/text/text.ts';
import { locationOf, webUrl } from './location.ts';

const ROOT = '%SRCROOT%';

export interface Locations {
  locationOf(finding: Finding): object;
  /** `originalUriBaseIds` for all locations so far. */
  bases(): Record<string, object>;
}

/**
 * Locations in SARIF. A URL is split into its origin, as a separate base, and a relative reference: code scanning
 * rejects a whole file for a single absolute https URI.
 */
export function locations(report: Report, folder: string): Locations {
  const bases: Record<string, object> = {};
  const ids = new Map<string, string>();

  function baseOf(origin: string): string {
    const known = ids.get(origin);
    if (known !== undefined) return known;
    const id = `ORIGIN${ids.size === 0 ? '' : ids.size + 1}`;
    ids.set(origin, id);
    bases[id] = { uri: `${origin}/` };
    return id;
  }

  function artifactOf(path: string | null, url: string | null): object {
    const web = path === null && url !== null ? webUrl(url) : null;
    if (web !== null) {
      const { protocol, host, pathname, search } = web;
      return { uri: relativeReference(pathname.slice(1), search), uriBaseId: baseOf(`${protocol}//${host}`) };
    }
    const name = path ?? url ?? '.';
    if (/^([a-z]:)?\//i.test(name)) return { uri: `file://${name.startsWith('/') ? '' : '/'}${encoded(name)}` };
    bases[ROOT] = { description: { text: 'The root of the repository.' } };
    return { uri: encoded(name), uriBaseId: ROOT };
  }

  return {
    locationOf(finding) {
      const { path, url, line, column } = locationOf(finding, report, folder);
      const logical = logicalOf(finding);
      return {
        physicalLocation: {
          artifactLocation: artifactOf(path, url),
          // Code scanning does not show results without a line.
          region: { startLine: line ?? 1, ...(column === null ? {} : { startColumn: column }) },
        },
        ...(logical.length > 0 ? { logicalLocations: logical } : {}),
        ...(path === null && url !== null ? { message: { text: printable(url) } } : {}),
      };
    },
    bases: () => bases,
  };
}

/** A path and query in a form that cannot be parsed as a scheme, a host or an empty reference. */
function relativeReference(path: string, search: string): string {
  const [first = ''] = path.split('/', 1);
  return `${first === '' || first.includes(':') ? './' : ''}${path}${search}`;
}

function encoded(path: string): string {
  return path
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}

function logicalOf({ app, version }: Finding): object[] {
  const key = app === null ? null : printable(app);
  const names: object[] = key === null ? [] : [{ name: key, fullyQualifiedName: key, kind: 'app' }];
  if (version === null) return names;
  const name = printable(version);
  return [...names, { name, fullyQualifiedName: key === null ? name : `${key}@${name}`, kind: 'version' }];
}
