import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IconFacts, Missing } from '../../core/facts/facts.ts';
import { AppregError } from '../../core/errors.ts';
import { printable } from '../../core/text/text.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { createDigester } from '../digest/digest.ts';
import { inspectImage } from '../icon/inspect-image.ts';
import { UNWALKED } from './walk.ts';
import {
  ELSEWHERE,
  isAbsence,
  localFile,
  OFFLINE,
  OTHER_NAME,
  otherNameOf,
  type WorkspaceContext,
} from './workspace-context.ts';

const ICON_LIMIT = 16 * 1024 * 1024;

/** An icon in the workspace. */
export interface IconFile {
  url: string | null;
  path: string;
}

/** The icon's file if it is in the workspace; otherwise its facts. Most icons are elsewhere: for these nothing is awaited. */
export function findIcon(context: WorkspaceContext, url: string | null): IconFile | IconFacts {
  const path = localFile(context, url);
  if (typeof path !== 'string') return absentIcon(url, path);
  const otherName = otherNameOf(context, path);
  if (otherName) return { ...absentIcon(url, OTHER_NAME), otherName };
  const exists =
    context.tree && !UNWALKED.test(path) ? context.tree.files.has(path) : existsSync(join(context.root, path));
  return exists ? { url, path } : absentIcon(url, ELSEWHERE);
}

function absentIcon(url: string | null, reason: Missing): IconFacts {
  return { url, file: null, web: OFFLINE, content: reason, image: reason };
}

/** Reads and inspects an icon. */
export async function observeIconFile(context: WorkspaceContext, { url, path }: IconFile): Promise<IconFacts> {
  const read = readRegularFile(join(context.root, path));
  if ('failure' in read) {
    // Without a code, it is neither a file nor a folder, such as a named pipe.
    if (read.code === null || isAbsence(read)) return absentIcon(url, ELSEWHERE);
    throw new AppregError(
      'file-unreadable',
      `${printable(join(context.root, path))} ${read.failure}.`,
      'Check the permissions of the file.',
    );
  }
  const { bytes } = read;
  const digester = createDigester(ICON_LIMIT, { weak: false });
  digester.write(bytes);
  const content = await withoutSecretsInHead(digester.end(), digester.start);
  return { url, file: context.nameOf(path), web: OFFLINE, content, image: inspectImage(bytes) };
}
