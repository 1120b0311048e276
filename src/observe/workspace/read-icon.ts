import type { IconFacts } from '../../core/facts/facts.ts';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { createDigester } from '../digest/digest.ts';
import { inspectImage } from '../icon/inspect-image.ts';

const ICON_LIMIT = 16 * 1024 * 1024;

/** Reads and inspects an icon. @param path absolute @throws AppregError `file-unreadable` */
export async function readIcon(path: string): Promise<Pick<IconFacts, 'content' | 'image'>> {
  const read = readRegularFile(path);
  if ('failure' in read)
    throw new AppregError(
      'file-unreadable',
      message`${path} ${read.failure}.`,
      message`Check the permissions of the file.`,
    );
  const { bytes } = read;
  const digester = createDigester(ICON_LIMIT, { weak: false });
  digester.write(bytes);
  const content = await withoutSecretsInHead(digester.end(), digester.start);
  return { content, image: inspectImage(bytes) };
}
