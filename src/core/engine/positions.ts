import type { DocumentFacts } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { lineStarts, locate, positionOf, type Span } from '../json/positions.ts';
import { parseDocument } from '../json/json.ts';
import type { Finding } from '../findings/report.ts';

/** Lines and columns, resolved only for findings. */

export interface Pending {
  finding: Finding;
  offset: number | null;
  onName: boolean;
}

/** Resolves the positions of the findings in one document, all in one pass over its text. */
export function resolvePositions(list: readonly Pending[], document: DocumentFacts): void {
  const { content } = document;
  if (isMissing(content)) return;
  const isText = content.base64 === null;
  const text =
    content.text ?? textBeforeInvalidByte(content.base64 ?? '', list.find((p) => p.offset !== null)?.offset ?? 0);
  const starts = lineStarts(text);
  const spans =
    parseDocument(content).value === undefined
      ? new Map<string, Span>()
      : locate(
          text,
          list.flatMap((p) => selfAndAncestors(p.finding.pointer ?? '')),
        );
  for (const { finding, offset, onName } of list) {
    const span = selfAndAncestors(finding.pointer ?? '')
      .map((pointer) => spans.get(pointer))
      .find((s) => s !== undefined);
    const at = isText ? (offset ?? startOf(span, onName)) : endOfText(text, offset);
    if (at !== null) Object.assign(finding, positionOf(starts, at));
  }
}

/** Where a name or a value starts. */
function startOf(span: Span | undefined, onName: boolean): number | null {
  if (span === undefined) return null;
  return onName && span.nameStart !== null ? span.nameStart : span.start;
}

/** The position in bytes that are not text: after those before the first invalid one. */
function endOfText(text: string, offset: number | null): number | null {
  return offset === null ? null : text.length;
}

/** The text before the byte that is not valid UTF-8, for its position. */
function textBeforeInvalidByte(base64: string, byteOffset: number): string {
  const bytes = Uint8Array.from(atob(base64).slice(0, byteOffset), (c) => c.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** A pointer and its ancestors, starting with the pointer itself. */
function selfAndAncestors(pointer: string): string[] {
  const list = [pointer];
  for (let p = pointer; p !== '';) list.push((p = p.slice(0, p.lastIndexOf('/'))));
  return list;
}
