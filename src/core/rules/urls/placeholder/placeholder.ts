import { type UrlParts, urlParts } from '../../../url/url.ts';

/** Placeholders in URLs that a step of a pipeline was to replace. */

interface Placeholder {
  /** `value`: the text for a missing value, which may also be a name. */
  cause: 'template' | 'value';
  /** As in the URL, with percent-escapes decoded: untrusted text. */
  part: string;
}

/** Characters and words without which a URL has no placeholder. */
const MAY_HAVE = /[{}<>$[\]*%:@#]|__|undefined|null|nan|your|change|replace|todo|x\.y/i;

const NAME = '[A-Za-z_][A-Za-z0-9_.-]*';
const TEMPLATES: readonly RegExp[] = [
  // ${{ github.ref_name }}, {{version}}, ${VERSION}, #{version}, {version}, {0}, {}
  /[$#]?\{\{[^{}]{0,100}\}\}|[$#]?\{[^{}/]{0,100}\}/,
  // $(VERSION), $VERSION, v$version, and not $web and $root, containers of Azure Blob Storage
  /\$\([^()/]{1,100}\)|\$(?!(?:web|root)(?:\/|$))[A-Za-z_][A-Za-z0-9_]*/,
  // <version>, <%= version %>
  /<[%A-Za-z][^<>/]{0,100}>/,
  // %VERSION%, %version%, and not two escapes of bytes that are not UTF-8
  /%[A-Za-z_][A-Za-z0-9_]*%(?![0-9A-Fa-f]{2})/,
  // %s, %d of printf, as all of a segment or of a file name
  /(?<=^|[/_.-])%[sd](?=$|[/_.-])/,
  // __VERSION__, @VERSION@, @@version@@, and not __tests__ or __proto__
  /__(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|(?:[a-z]+_)?(?:version|tag|name|key|url|host|sha))__/,
  /@@[A-Za-z_][A-Za-z0-9_]*@@|@[A-Z][A-Z0-9_]*@/,
  // /:version/ of a route, and [version], except those that Artifactory resolves
  new RegExp(`(?<=/):${NAME}(?=/|$|\\.)`),
  /\[(?!RELEASE\]|INTEGRATION\])[A-Za-z][A-Za-z0-9_ -]*\]/,
  /\[object Object\]/,
  // Words of examples
  /(?<![A-Za-z0-9])(?:CHANGE[-_]?ME|REPLACE[-_]?ME|TODO|YOUR[-_](?:ORG|USER|USERNAME|NAME|REPO|BUCKET|HOST|DOMAIN|COMPANY|ACCOUNT|APP|VERSION|REGION)(?:[-_]NAME)?)(?![A-Za-z0-9])/,
  /(?<=^|[/_.-])your-(?:org|user|username|name|repo|bucket|host|domain|company|account)(?:-name)?(?=$|[/_.-])/,
  /(?<![A-Za-z0-9])[vV]?[xX]\.[yY]\.[zZ](?![A-Za-z0-9])/,
];

const MISSING = 'undefined|null|NaN';
/** A whole segment, or the end of a file name: in front of more words, it is a part of a name (`null-object`). */
const VALUE = new RegExp(`^(?:.*[-_.@])?v?(?:${MISSING})(?:\\.(?:tar\\.gz|tgz|json|svg|png))?$`);

/**
 * The first placeholder of a URL; null if it has none.
 * @param url as it is written
 * @param names the number of segments at the start of the path that are names, such as that of a user
 */
export function placeholderIn(
  url: string,
  { hostname, pathname, searchParams }: UrlParts,
  names: number,
): Placeholder | null {
  if (!MAY_HAVE.test(url)) return null;
  // The parser escapes some of these characters, and a template in front of a slash would look like a part of the path.
  const text = decoded(url.replace(/^[a-z]+:\/\//i, ''));
  for (const template of TEMPLATES) {
    const part = template.exec(text)?.[0];
    if (part !== undefined) return { cause: 'template', part };
  }
  if (new RegExp(`^(?:${MISSING})(?:\\.|$)`, 'i').test(hostname)) return { cause: 'template', part: hostname };
  const part = [...pathname.split('/').slice(1 + names), ...searchParams.values()].find((segment) =>
    VALUE.test(segment),
  );
  return part === undefined ? null : { cause: 'value', part };
}

/** True if a URL contains a variable of a template, so that it is the same text for each app or version. */
export function isTemplate(url: string): boolean {
  const parsed = MAY_HAVE.test(url) ? urlParts(url) : null;
  return parsed !== null && placeholderIn(url, parsed, 0)?.cause === 'template';
}

/** The text with its valid percent-escapes decoded. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
