import { compareText } from '../../core/text/order.ts';
import { counted, printable } from '../../core/text/text.ts';
import type { FileToPack } from '../archive.ts';
import { idOf, type InstalledPackage } from './materials.ts';
import { licenseTexts, type LicenseText, normalizedText } from './package-license.ts';

/** The file with the licenses of the packages in an artifact. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt';

const TITLE = 'This app contains code of the following packages.';
const RULE = '-'.repeat(80);
const NO_TEXT = '(The package contains no license text.)';

/**
 * The notices of packages, which depend only on their names, versions and license texts. Nothing is invented: a package
 * without a text has none.
 * @param installed by name and version
 * @param given texts of the configuration for packages that contain no license, by `idOf`
 * @returns with warnings that name the packages whose text is missing or cannot be read
 */
export function noticesOf(
  installed: readonly InstalledPackage[],
  given: Readonly<Record<string, string>> = {},
): { file: FileToPack; warnings: string[] } {
  const sections = new Map<string, Section>();
  const withoutText = new Map<string, string>();
  const warnings: string[] = [];
  for (const one of installed) {
    const { texts, hasLicense, unreadable } = licenseTexts(one.files, one.license);
    const id = idOf(one);
    for (const { file, failure } of unreadable)
      warnings.push(`${NOTICES_FILE} does not have ${printable(file)} of ${printable(id)}: the file ${failure}`);
    const section = sections.get(id) ?? { head: headOf(one), texts: new Map() };
    sections.set(id, section);
    // The copies of a package usually have the same texts.
    for (const { file, text } of texts) section.texts.set(`${file}\n${text}`, { file, text });
    if (hasLicense) continue;
    const text = Object.hasOwn(given, id) ? normalizedText(given[id] ?? '') : '';
    if (text === '') withoutText.set(id, `${printable(id)} (${one.license ?? 'no license'})`);
    else section.texts.set('', { file: GIVEN, text });
  }
  if (withoutText.size > 0) warnings.push(missingTexts(withoutText));
  const parts = [...sections].map(([id, section]) => textOf(section, withoutText.has(id)));
  return {
    file: { path: NOTICES_FILE, bytes: Buffer.from(`${[TITLE, ...parts].join(`\n\n${RULE}\n\n`)}\n`) },
    warnings,
  };
}

/** The part of a package. */
interface Section {
  head: string;
  /** By name and content. */
  texts: Map<string, LicenseText>;
}

/** The name of a text of the configuration among others. */
const GIVEN = 'LICENSE';

/** @param packages as they are shown, by `idOf` */
function missingTexts(packages: ReadonlyMap<string, string>): string {
  const [them, contain] = packages.size === 1 ? ['it', 'contains'] : ['them', 'contain'];
  const what = packages.size === 1 ? 'the package' : `${counted(packages.size, 'package')}:`;
  const example = printable(JSON.stringify([...packages.keys()][0] ?? ''));
  return `${what} ${[...packages.values()].join(', ')} ${contain} no license text, so ${NOTICES_FILE} has none for ${them}; most licenses require that their text is passed on. If you know the text, give it in bundle.licenses.texts of the configuration: { ${example}: "…" }`;
}

function headOf(one: InstalledPackage): string {
  return `${[one.name, one.version].filter((part) => part !== null).join(' ')}\nLicense: ${one.license ?? '(not declared)'}`;
}

function textOf({ head, texts }: Section, isWithoutText: boolean): string {
  const found = [...texts.values()].toSorted((a, b) => compareText(a.file, b.file) || compareText(a.text, b.text));
  const [only] = found;
  if (only !== undefined && found.length === 1 && !isWithoutText) return `${head}\n\n${only.text}`;
  const parts = found.map(({ file, text }) => `[${printable(file)}]\n\n${text}`);
  return [head, ...(isWithoutText ? [NO_TEXT] : []), ...parts].join('\n\n');
}
