import { compareText } from '../../core/text/order.ts';
import { counted, printable } from '../../core/text/text.ts';
import type { FileToPack } from '../archive.ts';
import { idOf, type InstalledPackage } from './materials.ts';
import { licenseTexts, type LicenseText } from './package-license.ts';

/** The file with the licenses of the packages in an artifact. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt';

const TITLE = 'This app contains code of the following packages.';
const RULE = '-'.repeat(80);
const NO_TEXT = '(The package contains no license text.)';

/**
 * The notices of packages, which depend only on their names, versions and license texts. Nothing is invented: a package
 * without a text has none.
 * @param installed by name and version
 * @returns with warnings that name the packages whose text is missing or cannot be read
 */
export function noticesOf(installed: readonly InstalledPackage[]): { file: FileToPack; warnings: string[] } {
  const sections = new Map<string, Set<string>>();
  const withoutText = new Set<string>();
  const warnings: string[] = [];
  for (const one of installed) {
    const { texts, unreadable } = licenseTexts(one.files, one.license);
    const id = printable(idOf(one));
    for (const { file, failure } of unreadable)
      warnings.push(`${NOTICES_FILE} does not have ${printable(file)} of ${id}: the file ${failure}`);
    if (texts.length === 0) withoutText.add(`${id} (${one.license ?? 'no license'})`);
    // The copies of a package usually have the same texts.
    sections.set(id, (sections.get(id) ?? new Set()).add(sectionOf(one, texts)));
  }
  if (withoutText.size > 0) warnings.push(missingTexts([...withoutText]));
  const text = [TITLE, ...[...sections.values()].flatMap((copies) => [...copies].toSorted(compareText))].join(
    `\n\n${RULE}\n\n`,
  );
  return { file: { path: NOTICES_FILE, bytes: Buffer.from(`${text}\n`) }, warnings };
}

function missingTexts(packages: readonly string[]): string {
  const [them, contain] = packages.length === 1 ? ['it', 'contains'] : ['them', 'contain'];
  const what = packages.length === 1 ? 'the package' : `${counted(packages.length, 'package')}:`;
  return `${what} ${packages.join(', ')} ${contain} no license text, so ${NOTICES_FILE} has none for ${them}; most licenses require that their text is passed on`;
}

function sectionOf(one: InstalledPackage, texts: readonly LicenseText[]): string {
  const head = `${[one.name, one.version].filter((part) => part !== null).join(' ')}\nLicense: ${one.license ?? '(not declared)'}`;
  const [only] = texts;
  if (only === undefined) return `${head}\n\n${NO_TEXT}`;
  if (texts.length === 1) return `${head}\n\n${only.text}`;
  const parts = texts
    .toSorted((a, b) => compareText(a.file, b.file))
    .map(({ file, text }) => `[${printable(file)}]\n\n${text}`);
  return [head, ...parts].join('\n\n');
}
