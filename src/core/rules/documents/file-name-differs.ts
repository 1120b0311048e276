import { message } from '../../text/message.ts';
import { nameDifference } from '../../registry/file-names.ts';
import { normalized } from '../../text/normalized.ts';
import { printable, shorten } from '../../text/text.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

const DIFFERENCE = {
  case: 'differ in case',
  normalization: 'have the same letters in different Unicode normalization forms',
  'case-and-normalization': 'differ in case and in Unicode normalization form',
};

export const fileNameDiffers = defineRule({
  id: 'file-name-differs',
  title: 'File name that differs from its URL',
  on: 'file',
  needs: ['resource', 'path', 'listed'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'Its metadata file is listed under a name that differs in case or Unicode normalization.',
  causes: {
    case: { title: 'The names differ in case' },
    normalization: { title: 'The names differ in Unicode normalization' },
    'case-and-normalization': { title: 'The names differ in case and Unicode normalization' },
  },
  failsWhen: '(workspace) the name of a file differs from its URL in case or Unicode normalization',
  why: 'Windows and macOS find the file anyway; most hosts respond with 404.',
  examples: {
    bad: `appMetadataUrl: apps/Echo.json
in the folder:  apps/echo.json`,
    good: `appMetadataUrl: apps/echo.json
in the folder:  apps/echo.json`,
  },
  check({ resource, path, listed }) {
    const part = differingPart(path, listed);
    if (part === null) return null;
    const cause = nameDifference(part.path, part.listed);
    const wanted = shorten(shown(part.path, cause), 200);
    const found = shorten(shown(part.listed, cause), 200);
    const kind = part.isFolder ? 'folder' : 'file';
    return {
      cause,
      message: message`The URL of the ${resourceName(resource)} names the ${kind} ${wanted}, but it is listed as ${found}: the names ${DIFFERENCE[cause]}.`,
      advice:
        cause === 'normalization'
          ? message`Rename the ${kind} to the form in the URL (${part.path === normalized(part.path, 'NFC') ? 'NFC' : 'NFD'}), or use only ASCII letters.`
          : message`Rename the ${kind} to ${wanted} (git mv), or correct its name in the URL.`,
      evidence: { file: shorten(shown(path, cause), 200), listed: shorten(shown(listed, cause), 200) },
      ...(part.isFolder ? { dedupeKey: part.path } : {}),
    };
  },
});

/** The paths up to the first name that differs; null if none does. */
function differingPart(path: string, listed: string): { path: string; listed: string; isFolder: boolean } | null {
  const [wanted, found] = [path.split('/'), listed.split('/')];
  const at = wanted.findIndex((name, index) => name !== found[index]);
  if (at === -1) return null;
  const upTo = (names: readonly string[]): string => names.slice(0, at + 1).join('/');
  return { path: upTo(wanted), listed: upTo(found), isFolder: at < wanted.length - 1 };
}

/** Forms that render identically are shown as escapes. */
function shown(name: string, cause: keyof typeof DIFFERENCE): string {
  const safe = printable(name);
  return cause === 'case'
    ? safe
    : safe.replace(/[^\u0000-\u007f]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}
