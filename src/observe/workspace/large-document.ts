import { isUtf8 } from 'node:buffer';
import type { DocumentContent } from '../../core/facts/facts.ts';
import { nonCanonicalValue } from '../../core/json/json.ts';
import { collectGarbage, allocateResizable } from '../../platform/heap.ts';
import { contentOf } from './document-content.ts';

/**
 * The content of a large document, whose text can be released: it is decoded when it is used for the first time, and
 * read from the file again after it was released. For all other code, and when it is saved, it is a `DocumentContent`
 * like any other.
 */
interface LargeDocument extends DocumentContent {
  readonly text: string | null;
}

/** Functions that release the text of a large document. */
const releaseFunctions = new WeakMap<DocumentContent, () => void>();

/**
 * Reads a large document; null if it is not UTF-8.
 * @param readInto fills a buffer from the beginning of the file, and returns what was read
 * @param readAgain reads the file again
 */
export function openLargeDocument(
  size: number,
  readInto: (buffer: Buffer) => Buffer,
  readAgain: () => Buffer,
): LargeDocument | null {
  const memory = allocateResizable(size);
  const bytes = readInto(memory.bytes);
  if (!isUtf8(bytes)) return null;
  let isDecoded = false;
  let text: string | null = null;
  const decode = (): string | null => {
    const decoded = contentOf(bytes).text;
    memory.free();
    isDecoded = true;
    return decoded;
  };
  const content: LargeDocument = {
    get text() {
      text ??= isDecoded ? contentOf(readAgain()).text : decode();
      return text;
    },
    base64: null,
    bytes: bytes.length,
    cut: false,
  };
  releaseFunctions.set(content, () => {
    text = null;
  });
  return content;
}

/** Releases a large text that was read without findings: it takes more memory than all of its apps. */
export function releaseText(content: DocumentContent): void {
  const release = releaseFunctions.get(content);
  if (release === undefined || !isCanonical(content)) return;
  release();
  collectGarbage();
}

/** Whether no rule can have findings in any entry. */
function isCanonical(content: DocumentContent): boolean {
  const rest = nonCanonicalValue(content);
  return rest !== null && Object.keys(rest['apps'] ?? {}).length === 0;
}
